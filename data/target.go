package data

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/gpdrf/gpdrf-gpu/data/cellformat"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
)

const (
	maxClasses     = maxTexts
	maxAutoClasses = 20 // largest number of whole numbers that auto takes for classes
	// More whole numbers than the first are counts, not classes, if the rarest has less than this share of the rows of
	// the most frequent: large counts are rare, and other rows may hold larger ones.
	maxUnevenClasses, evenShare = 10, 0.1
)

// targetKind is the kind of a target column.
type targetKind struct {
	task    Task
	classes []string // the classes in the order of their numbers, or of their letters if they are words
	note    string
	// The other task would do as well, and the note tells the user how to choose it.
	open bool
}

// targetOf decides the kind of a target by the profile of its column. Words are classes. Whole numbers are classes if
// there are two of them, or few near 0 or 1. For other numbers the task decides, if given. A mistyped number is an
// error, not a class.
func targetOf(file, column string, c *columnProfile, task Task, nominal bool) (targetKind, error) {
	where := "target column " + phrase.Quote(column)
	classes, why, err := targetClasses(file, where, c, task, nominal)
	if err != nil {
		return targetKind{task: task}, err
	}
	if task == Regression || task == "" && why != "" {
		k := targetKind{task: Regression, note: where + ": regression"}
		if task == "" {
			k.note = fmt.Sprintf("%s %s: task regression", where, why)
			if k.open = c.fractions.cell == "" && c.distinct() <= maxClasses; k.open {
				k.note = fmt.Sprintf("%s %s: taken as numbers (%s classification for classes)", where, why,
					asFlag("task"))
			}
		}
		return k, nil
	}
	k := targetKind{task: Classification, classes: classes, note: fmt.Sprintf("%s: classes %s", where,
		phrase.List(classes))}
	switch {
	case c.distinct() > maxClasses:
		return k, errorf(file,
			"the %s holds more than %d different values: too many for classes, use the task regression",
			where, maxClasses)
	case c.manyDifferent():
		return k, errorf(file,
			"the %s holds %d different values in %s: too many for classes, use the task regression", where,
			c.distinct(), phrase.Plural(c.filled(), "row"))
	case task == "" && c.texts.n == 0 && !nominal:
		k.open = true
		k.note = fmt.Sprintf("%s holds %d whole numbers %s … %s: taken as classes (%s)",
			where, len(classes), classes[0], classes[len(classes)-1], otherTasks(classes))
	}
	return k, nil
}

// otherTasks names the options for numbers that are taken as classes.
func otherTasks(classes []string) string {
	others := asFlag("task") + " regression for numbers"
	if len(classes) > 2 {
		others += ", " + asFlag("likelihood") + " ordinal for levels in order"
	}
	if len(classes) > 2 && classes[0] == "0" {
		others += ", " + asFlag("likelihood") + " poisson for counts"
	}
	return others
}

// targetClasses returns the classes that a target column has, if any. why is the reason for having none unless the task
// is set.
func targetClasses(file, where string, c *columnProfile, task Task, nominal bool) (classes []string, why string,
	err error) {
	bad := func(s occurrences, format string, args ...any) error {
		return errorAt(file, s.at, "found %s in the %s%s", phrase.Quote(s.cell), where, fmt.Sprintf(format, args...))
	}
	switch {
	case c.filled() == 0:
		err = errorf(file, "the %s has no values", where)
	case c.texts.n == 0 && (!c.isCodes() || task == Regression):
		classes, why = wholeNumbers(c)
		if nominal {
			why = ""
		}
	case c.isUnclear() && !c.keepsUnitsAs(task):
		err = bad(c.signs.ambiguous, ", which is not a plain number: %s", c.clearer())
	case c.hasLoneMinus() && task != Classification:
		err = bad(c.signs.behind, ", and no other number has its minus after it: correct it, or write the minus "+
			"before it")
	case c.hasUnits() && !c.keepsUnitsAs(task):
		err = bad(c.texts, ", a number with the unit %s: write numbers alone, or use the task classification",
			phrase.Quote(c.signs.units[0]))
	case c.isBoolean() && (task != Regression || c.isTyped):
		classes = c.booleanClasses()
	case c.isWords && task == Regression:
		err = bad(c.texts, ", which is text by %s: a regression needs numbers", asKey("text"))
	case !c.isWords && cellformat.IsDecorated(c.texts.cell):
		err = bad(c.texts, ", which is not a plain number: %s", plainCell(c.texts.cell))
	case task == Regression:
		err = bad(c.texts, ", which must be a number: correct it, or use the task classification")
	case task == "" && (c.fractions.cell != "" || !c.isText()):
		err = bad(c.texts, ", whose other values are numbers: correct it, or use the task classification")
	case task == "" && c.isDates():
		err = bad(c.texts, ", which is a date: write dates as numbers, or name another target with %s",
			asFlag("target"))
	case task == "" && c.isCodes() && c.texts.n == 0 && c.manyDifferent():
		err = bad(c.codes, ", whose leading zero makes the column text, with %d different texts in %s: give "+
			"%s regression for numbers, or name another target with %s", c.distinct(),
			phrase.Plural(c.filled(), "row"), asFlag("task"), asFlag("target"))
	case task == "" && !nominal && c.manyDifferent():
		err = bad(c.texts, ", which holds %d different words in %s, so they are not classes: name another target with "+
			"%s", c.distinct(), phrase.Plural(c.filled(), "row"), asFlag("target"))
	default:
		classes = c.values()
	}
	return classes, why, err
}

// manyDifferent reports whether the values are too many and too rare for classes.
func (c *columnProfile) manyDifferent() bool {
	return c.distinct() > maxAutoClasses && 2*c.distinct() > c.filled()
}

// numberClass writes the label of a class that is a number. Whole numbers of usual size have no exponent.
func numberClass(v float64) string {
	const usual = 1e15 // whole numbers up to it are exact
	if v == math.Trunc(v) && math.Abs(v) < usual {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return phrase.Number(v)
}

// numberClasses writes the labels of the different numbers, in order. A sum turns −0 into 0.
func numberClasses(values []float64) []string {
	values = mapSlice(values, func(v float64) float64 { return v + 0 })
	slices.Sort(values)
	return mapSlice(slices.Compact(values), numberClass)
}

// wholeNumbers lists the different numbers of a column in order. why is the reason not to take them for classes unless
// the user asks for it.
func wholeNumbers(c *columnProfile) (classes []string, why string) {
	if c.fractions.cell != "" {
		why = "holds numbers that are not whole (" + c.fractions.cell + ")"
	}
	if c.distinct() > maxClasses {
		if why == "" {
			why = fmt.Sprintf("holds more than %d different whole numbers", maxClasses)
		}
		return nil, why
	}
	rows := map[float64]int{}
	for cell, n := range c.seen {
		if v, err := (&detectedDialect{comma: true}).number(cell); err == nil { // the cell may have a point or a comma
			rows[v] += n
		}
	}
	classes = numberClasses(slices.Collect(maps.Keys(rows)))
	if why != "" {
		return classes, why
	}
	n := len(classes)
	span := c.high - c.low + 1
	if n == 0 {
		return nil, "holds no number that can be used"
	}
	numbers := fmt.Sprintf("holds %d whole numbers %s … %s", n, classes[0], classes[n-1])
	switch {
	case n < 2:
		return classes, "holds the value " + classes[0] + " only"
	case 2*n > c.filled() && !(n == 2 && c.low >= -1 && c.high <= 1):
		return classes, fmt.Sprintf("holds %d different whole numbers in %s", n, phrase.Plural(c.filled(), "row"))
	case n > 2 && (c.low < -1 || c.low > 1 || float64(2*n) < span || n > maxAutoClasses):
		return classes, numbers
	case n > maxUnevenClasses && unevenRows(rows):
		return classes, numbers + ", large ones rarely"
	}
	return classes, ""
}

// unevenRows reports whether the rarest value has far fewer rows than the most frequent.
func unevenRows(rows map[float64]int) bool {
	counts := slices.Sorted(maps.Values(rows))
	return float64(counts[0]) < evenShare*float64(counts[len(counts)-1])
}

// profileNumbers profiles targets that are numbers, or booleans.
func profileNumbers(y []float64, booleans bool) *columnProfile {
	c := &columnProfile{seen: map[string]int{}, low: math.Inf(1), high: math.Inf(-1), numbers: len(y)}
	if booleans {
		c.numbers = 0
		c.texts.n = len(y)
		c.booleans = len(y)
		c.isTyped = true
		c.signs.hasText = true
	}
	for _, v := range y {
		if booleans {
			c.seen[strconv.FormatBool(v != 0)]++
			continue
		}
		c.low, c.high = min(c.low, v), max(c.high, v)
		if v != math.Trunc(v) && c.fractions.cell == "" {
			c.fractions.cell = phrase.Number(v)
		}
		if len(c.seen) <= maxClasses {
			c.seen[phrase.Number(v+0)]++
		}
	}
	return c
}

// setTarget decides the kind of targets that are numbers, and stores them.
func (d *Dataset) setTarget(name string, y []float64, nominal, booleans bool) (note string, err error) {
	k, err := targetOf(name, d.Target, profileNumbers(y, booleans), d.Task, nominal)
	if err != nil {
		return "", err
	}
	d.Task = k.task
	d.Classes = k.classes
	d.TaskNote = k.choice()
	if d.Task == Regression {
		d.Y = y
	} else {
		d.setLabels(y)
	}
	return k.note, nil
}

// choice returns the note about the other task, if that would do as well.
func (k targetKind) choice() string {
	if k.open {
		return k.note
	}
	return ""
}

// setLabels stores classes that are numbers as indices: −1 for an unknown class.
func (d *Dataset) setLabels(y []float64) {
	index := classIndex(d.Classes)
	d.Labels = make([]int32, len(y))
	for i, v := range y {
		c, known := index[v]
		d.Labels[i] = c
		if !known {
			d.Labels[i] = -1
		}
	}
}

// classIndex maps the numbers of classes to their indices. If all classes are booleans, the numbers are 1 and 0.
func classIndex(classes []string) map[float64]int32 {
	index := make(map[float64]int32, len(classes))
	words := slices.ContainsFunc(classes, func(c string) bool { _, ok := cellformat.Boolean(c); return !ok })
	for i, c := range classes {
		v, err := strconv.ParseFloat(c, 64)
		if !words {
			v, _ = cellformat.Boolean(c)
			err = nil
		}
		if err == nil && !cellformat.IsCode(c) {
			index[v] = int32(i)
		}
	}
	return index
}

// checkClasses refuses a class whose training rows are all left out, because they lack cells or have the weight 0.
func (l *layout) checkClasses(made *table) error {
	if l.opt.Schema != nil || l.class == nil || l.dropped+l.weightless == 0 {
		return nil
	}
	rows := make([]int, len(l.target.classes))
	for _, c := range made.Labels {
		rows[c]++
	}
	none := slices.Index(rows, 0)
	if none < 0 {
		return nil
	}
	return l.errorf("all rows of class %s of the target column %s are left out, since they lack cells or have "+
		"the weight 0: fill cells in by %s impute, or remove these rows", phrase.Quote(l.target.classes[none]),
		phrase.Quote(l.names[0]), asFlag("missing"))
}

// knownClass returns the test of a class that is a number. It returns the fault, or "". Any number is accepted if there
// are no classes.
func knownClass(like *Schema) func(v float64) (wrong string) {
	if like == nil || like.Task != Classification {
		return func(float64) string { return "" }
	}
	known := classIndex(like.Classes)
	return func(v float64) string {
		if _, ok := known[v]; !ok {
			return unknownClass(numberClass(v), like.Target, like.Classes)
		}
		return ""
	}
}

func unknownClass(class, column string, classes []string) string {
	advice := "remove the row, or train on data with this class"
	if _, err := cellformat.ParseNumber(class); err == nil && len(classes) > 2 {
		advice += "; if these are amounts, train with " + asFlag("task") + " regression"
	}
	return fmt.Sprintf("found class %s in the target column %s, which the training data do not have "+
		"(their classes are %s): %s", class, phrase.Quote(column), phrase.List(classes), advice)
}
