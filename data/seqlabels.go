package data

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data/cellformat"
	"github.com/gpdrf/gpdrf-gpu/data/matrix"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
	"github.com/gpdrf/gpdrf-gpu/seq"
)

// sequenceTarget is the name of the target of sequences.
const sequenceTarget = "class"

// labelsStand tells where labels of sequences may stand, unless a column or an item has them.
func labelsStand(s *seq.Set, known Schema) string {
	if s == nil || s.Alphabet.Kind.IsGraph() || known.Target != sequenceTarget || known.Sequence != "" {
		return ""
	}
	return "; labels are the headers of FASTA, as >CLASS or >NAME|CLASS, or stand before a tab, or in " +
		asFlag("labels") + " FILE"
}

// setLabels makes classes or numbers of the labels. Labels are classes if they are words, or few different whole
// numbers. Classes have the order of their numbers or their letters. The target column of a table already has its name.
func (t *sequenceTexts) setLabels(made *table) error {
	if t.targets != nil && t.labels != nil {
		if err := t.severalClasses(len(t.targets)); err != nil {
			return err
		}
		made.nameTargets(matrix.Every(len(t.targets)), t.targets)
		return t.setTargets(made)
	}
	if t.labels == nil {
		return t.withoutLabels(made)
	}
	where, hold := "", "the labels hold"
	if column := "target column " + phrase.Quote(made.schema.Target); made.schema.Target != "" {
		where, hold = column+": ", column+" holds"
	}
	made.schema.Target = cmp.Or(made.schema.Target, sequenceTarget)
	made.task = t.task
	if like := t.opt.Schema; like != nil {
		made.schema.Target, made.schema.Classes = like.Target, like.Classes
		return t.setTargets(made)
	}
	classes, why := t.findClasses()
	hint, note := "", ""
	if made.task == "" {
		if i := t.strayLabel(); i >= 0 {
			return t.labelError(i,
				"found the target %s, and others are numbers: correct it, or use the task classification",
				phrase.Quote(t.labels[i]))
		}
		if err := t.checkWords(len(classes), why == "" && slices.ContainsFunc(classes, isText)); err != nil {
			return err
		}
		made.task = Classification
		if why != "" {
			made.task = Regression
		} else if _, err := cellformat.ParseNumber(classes[0]); err == nil {
			hint = " (" + otherTasks(classes) + ")"
		}
	}
	switch {
	case made.task == Regression && why == "":
		note = where + "regression"
	case made.task == Regression:
		note = fmt.Sprintf("%s %s: task regression", hold, why)
	case len(classes) > maxClasses:
		return t.errorf("has %d different classes, more than %d: give fewer, or use the task regression", len(classes),
			maxClasses)
	case len(classes) > maxAutoClasses && 2*len(classes) > t.n():
		return t.errorf("%s %d different values in %s, too many for classes: use the task regression%s", hold,
			len(classes), phrase.Plural(t.n(), "row"), labelsStand(made.Sequences, made.schema))
	default:
		made.schema.Classes = classes
		note = fmt.Sprintf("%sclasses %s%s", where, phrase.List(classes), hint)
	}
	if hint != "" {
		made.TaskNote = note
	}
	t.note("%s", note)
	return t.setTargets(made)
}

// withoutLabels returns the error about sequences that need labels and have none.
func (t *sequenceTexts) withoutLabels(made *table) error {
	if t.opt.TargetOptional {
		made.schema.Target = ""
		return nil
	}
	if t.kind == seq.Graphs && isGraphLines(t.head) {
		return t.errorf("has no classes: give each graph the key label, or the targets with %s FILE", asFlag("labels"))
	}
	return t.errorf("has no classes: write >CLASS or >NAME|CLASS as headers, or class, tab and sequence on every "+
		"line, or give %s FILE", asFlag("labels"))
}

// findClasses lists the different labels in order; why is the reason not to take numbers for classes.
func (t *sequenceTexts) findClasses() (classes []string, why string) {
	classes = slices.Compact(slices.Sorted(slices.Values(t.labels)))
	var values []float64
	for _, l := range classes {
		if v, err := cellformat.ParseNumber(l); err == nil {
			values = append(values, v)
		}
	}
	if len(values) < len(classes) {
		return classes, ""
	}
	for _, v := range slices.Sorted(slices.Values(values)) {
		if v != math.Trunc(v) {
			why = "numbers that are not whole (" + phrase.Number(v) + ")"
		}
	}
	classes = numberClasses(values)
	switch {
	case why != "":
	case len(classes) > maxAutoClasses:
		why = fmt.Sprintf("%d different whole numbers, more than %d", len(classes), maxAutoClasses)
	case 2*len(classes) > t.n():
		why = fmt.Sprintf("%d different whole numbers in %s", len(classes), phrase.Plural(t.n(), "row"))
	}
	return classes, why
}

// checkWords refuses words as classes that are nearly all different, unless the task is set.
func (t *sequenceTexts) checkWords(different int, words bool) error {
	if !words || different <= 2 || 2*different <= t.n() {
		return nil
	}
	behind := setOf(mapSlice(matrix.Every(t.n()), func(i int) string { return strings.TrimSpace(string(t.of(i))) }))
	advice := "give others, or use the task classification"
	if a, ok := cellformat.AmountOf(t.labels[0]); ok && a.Unit != "" {
		advice = "write the numbers alone, without " + phrase.Quote(a.Unit)
	} else if 2*len(behind) <= t.n() && t.kind == "" {
		advice = "the classes stand after the tab, and they belong before it"
	}
	return t.labelError(0, "found the target %s: the targets hold %d different words in %s, so they are not "+
		"classes: %s", phrase.Quote(t.labels[0]), different, phrase.Plural(t.n(), "row"), advice)
}

// strayLabel returns the first label that is not a number, if the others are numbers and do not look like classes. Then
// it is a missing value, or some numbers are fractions. It is −1 without such a label.
func (t *sequenceTexts) strayLabel() int {
	word, missing := -1, -1
	fractions, numbers := false, false
	for i, l := range t.labels {
		v, err := cellformat.ParseNumber(l)
		switch {
		case err == nil:
			numbers = true
			fractions = fractions || v != math.Trunc(v)
		case cellformat.IsMissing(l) && missing < 0:
			missing = i
		}
		if err != nil && word < 0 {
			word = i
		}
	}
	switch {
	case fractions:
		return word
	case numbers:
		return missing
	}
	return -1
}

// classFinder finds the number of a class by its name, or by its value if it is a number.
func classFinder(classes []string) func(label string) (int32, bool) {
	index := make(map[string]int32, len(classes))
	values := classIndex(classes)
	for i, c := range classes {
		index[c] = int32(i)
	}
	// The classes are booleans, and may be written 0 and 1.
	areBooleans := len(classes) == 2 && indexOf(classes, "false") >= 0 && indexOf(classes, "true") >= 0
	return func(label string) (int32, bool) {
		if i, ok := index[label]; ok {
			return i, true
		}
		v, err := cellformat.ParseNumber(label)
		if b, ok := cellformat.Boolean(label); ok && areBooleans {
			v, err = b, nil
		}
		i, ok := values[v]
		return i, ok && err == nil
	}
}

// setTargets sets the targets of the rows by the task. Optional targets of a row with an invalid one are not known.
func (t *sequenceTexts) setTargets(made *table) error {
	u := unneededLabels{}
	find := classFinder(made.schema.Classes)
	width := max(1, len(t.targets))
	advice := "correct it, or use the task classification"
	if t.opt.Schema != nil {
		advice = "correct it or remove the sequence"
	}
	for first := 0; first < len(t.labels); first += width {
		bad, err := t.addTargets(made, find, first, width, advice)
		if err != nil && !t.opt.TargetOptional {
			return err
		} else if err != nil {
			u.meet(t.labels[bad], t.where[bad])
		}
	}
	t.settle(u, made, t.n())
	return nil
}

// addTargets adds the targets of a row, by its labels from first on. If a label is invalid, the targets are not known;
// bad is its position, and the error is about it. advice is what to do about a word where a number must be.
func (t *sequenceTexts) addTargets(made *table, find func(label string) (int32, bool), first, width int,
	advice string) (bad int, err error) {
	if made.task == Classification {
		c, known := find(t.labels[first])
		if !known {
			c = -1
			err = t.labelError(first, "found class %s, which the training data do not have (their classes are %s): "+
				"remove the sequence, or train on data with this class", phrase.Quote(t.labels[first]),
				phrase.List(made.schema.Classes))
		}
		made.Labels = append(made.Labels, c)
		return first, err
	}
	for k := range width {
		label := t.labels[first+k]
		v, wrong := cellformat.ParseNumber(label)
		made.y = append(made.y, v)
		if wrong == nil && math.Abs(v) <= maxMagnitude {
			continue
		}
		made.y = append(made.y[:first], slices.Repeat([]float64{math.NaN()}, width)...)
		if t.targets != nil {
			return first + k, t.labelError(first+k, "found %s in the target %s, which must be a finite number: "+
				"correct it", phrase.Quote(label), phrase.Quote(t.targets[k]))
		}
		return first, t.labelError(first, "found the target %s, which must be a finite number: %s", phrase.Quote(label),
			advice)
	}
	return 0, nil
}

// readLabels takes the labels from a file. It has one on each line, in the order of the sequences, or name and label,
// with a tab or a comma between them.
func (t *sequenceTexts) readLabels(path string) error {
	f, err := t.opt.open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	in := &input{name: path, src: f, lim: fileLimits()}
	if err := in.open(); err != nil {
		return err
	}
	var lines []string
	var where []position
	err = in.eachLine(in.lim.cells, in.lim.cells, func(number int, line []byte) error {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			lines, where = append(lines, string(line)), append(where, position{number, 1})
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(lines) > 0 && strings.ContainsAny(lines[0], "\t,") {
		return t.labelsByName(path, lines, where)
	}
	if len(lines) != t.n() {
		return errorf(path, "holds %s for %s: give one on each line, in the order of the sequences, or "+
			"name, tab and label", phrase.Plural(len(lines), "label"), phrase.Plural(t.n(), "sequence"))
	}
	t.labels, t.where, t.labelsIn = lines, where, path
	return nil
}

// labelError makes an error about label i, with its place.
func (t *sequenceTexts) labelError(i int, format string, args ...any) *Error {
	e := t.errorAt(t.where[i], format, args...)
	if t.labelsIn != "" {
		e.File = t.labelsIn
	}
	return e
}

func (t *sequenceTexts) labelsByName(path string, lines []string, where []position) error {
	at := map[string]int{}
	labels := make([]string, len(lines))
	for i, line := range lines {
		cut := strings.IndexByte(line, '\t')
		if cut < 0 {
			cut = strings.IndexByte(line, ',')
		}
		if cut < 0 {
			return errorAt(path, position{line: where[i].line}, "there is no tab or comma between name and label")
		}
		name := strings.TrimSpace(line[:cut])
		if j, twice := at[name]; twice {
			return errorAt(path, position{line: where[i].line}, "the name %s is also on line %d: names must differ",
				phrase.Quote(name), where[j].line)
		}
		at[name] = i
		labels[i] = strings.TrimSpace(line[cut+1:])
	}
	names := t.names
	if !slices.ContainsFunc(names, func(name string) bool { _, ok := at[name]; return ok }) && t.kind == seq.Graphs {
		names = nil // labels of molecules may be matched by number
	}
	places := make([]position, t.n())
	t.labels = make([]string, t.n())
	for i := range t.n() {
		name := strconv.Itoa(i + 1)
		if names != nil {
			name = names[i]
		}
		j, ok := at[name]
		withoutClass := name[:max(0, strings.LastIndexByte(name, '|'))]
		for _, short := range []string{firstWord(name), withoutClass} {
			if !ok && short != "" {
				j, ok = at[short]
			}
		}
		if !ok {
			return errorf(path, "has no label for the sequence %s, which is on line %d of %s", phrase.Quote(name),
				t.at[i].line, t.name)
		}
		t.labels[i], places[i] = labels[j], where[j]
	}
	t.where, t.labelsIn = places, path
	return nil
}

// firstWord returns a FASTA name without its description.
func firstWord(header string) string {
	if end := strings.IndexAny(header, " \t"); end >= 0 {
		return header[:end]
	}
	return header
}

// nameTargets sets the names of the targets that the labels hold. Several targets are a regression.
func (t *sequenceTexts) nameTargets(names []string) {
	if len(names) == 1 {
		t.target = names[0]
	} else if len(names) > 1 {
		t.targets = names
	}
}

// targetNames returns the requested names of targets among the existing names; nil if none is requested.
func (in *input) targetNames(there []string) []string {
	switch like := in.opt.Schema; {
	case like != nil:
		return like.Outputs()
	case in.opt.Target == "":
		return nil
	}
	return splitColumns(in.opt.Target, there)
}

// checkTargetNames refuses names that do not exist, or that exist twice.
func (in *input) checkTargetNames(names, there []string, what string) error {
	for i, name := range names {
		if !slices.Contains(there, name) {
			return in.errorf("has no %s %s%s", what, phrase.Quote(name), didYouMean(name, there))
		}
		if slices.Contains(names[:i], name) {
			return in.errorf("has the %s %s among its targets twice: name it once", what, phrase.Quote(name))
		}
	}
	return nil
}
