package data

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data/cellformat"
	"github.com/gpdrf/gpdrf-gpu/internal/didyoumean"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
)

// TableOptions set the roles of the columns of a table of text.
type TableOptions struct {
	// OneHot makes an input of each of the 1000 most frequent values of a text column. Without it, a column of more
	// than 30 values is numbered.
	OneHot bool
	// Ignore are columns to leave out, by names or numbers from 1, with commas between them.
	Ignore string
	// Text are columns of words, named as in Ignore. In them digits and NA are words, and only an empty cell is
	// missing.
	Text string
	// ID is the column that names the rows. It is no input, and predictions carry it.
	ID string
	// Missing is one of MissingWays; "" is error.
	Missing string
	Roles   RowRoles
	// Dates is one of DateOrders, for dates such as 1/2/2020. "" is auto: the other cells decide.
	Dates string

	Dialect
}

// firstOption names the first option that is set, "" if none is.
func (o TableOptions) firstOption() string {
	for _, option := range []struct {
		name string
		set  bool
	}{
		{"one-hot", o.OneHot}, {"ignore", o.Ignore != ""}, {"text", o.Text != ""}, {"id", o.ID != ""},
		{o.Roles.firstOption(), o.Roles.firstOption() != ""},
		{"missing", o.Missing != "" && o.Missing != MissingError},
		{"dates", o.Dates != "" && o.Dates != "auto"},
		{"separator", o.Separator != "" && o.Separator != "auto"}, {"decimal", decimals[o.Decimal] != ""},
		{"thousands", o.Thousands != "" && o.Thousands != "auto"}, {"header", headers[o.Header] != ""},
	} {
		if option.set {
			return option.name
		}
	}
	return ""
}

// check refuses unknown words.
func (o *TableOptions) check() error {
	if o.Missing != "" && !slices.Contains(MissingWays(), o.Missing) {
		return errorf("", "%s cannot be %s%s", asFlag("missing"), phrase.Quote(o.Missing),
			didyoumean.Hint(o.Missing, MissingWays()))
	}
	if o.Dates != "" && !slices.Contains(cellformat.DateOrders(), o.Dates) {
		return errorf("", "there is no order of dates %s: give %s", phrase.Quote(o.Dates),
			strings.Join(cellformat.DateOrders(), ", "))
	}
	return o.Dialect.check()
}

// assign gives each column of a training file its role.
func (l *layout) assign(rec *records, p *profile) (err error) {
	names := rec.columnNames()
	opt := l.opt
	ignored, err := columnsNamed(rec.name, opt.Ignore, names, "to leave out")
	if err != nil {
		return err
	}
	if err := l.nameRows(rec); err != nil {
		return err
	}
	if opt.Sequence != "" {
		if err := l.findSequence(rec); err != nil {
			return err
		}
	}
	if err := l.assignRoles(rec, p, ignored); err != nil {
		return err
	}
	for _, at := range l.targets {
		if slices.Contains(ignored, at) || at == l.id {
			return rec.errorf("the column %s cannot be both the target and left out: name another with %s",
				phrase.Quote(names[at]), asFlag("target"))
		}
	}
	first := len(l.notes)
	for i := range names {
		switch {
		case slices.Contains(l.targets, i), l.texts != nil && i == l.sequence:
		case i == l.id, l.roleAt(i) >= 0, slices.Contains(ignored, i):
			l.leaveOut(names[i], i, "")
		default:
			if err := l.assignInput(rec, &p.columns[i], i); err != nil {
				return err
			}
		}
	}
	l.noteInputs(rec, p)
	l.boundNotes(first)
	if l.id >= 0 {
		l.idName = names[l.id]
	}
	if err := l.checkCells(rec); err != nil {
		return err
	}
	if len(l.inputs) == 0 && l.texts == nil {
		return l.noInputs()
	}
	if len(l.targets) != 1 || l.texts != nil {
		return nil // several targets are numbers; setLabels examines the labels of sequences
	}
	at := l.targets[0]
	l.target, err = targetOf(rec.name, names[at], &p.columns[at], l.task, rec.hasType(at, "nominal"))
	if l.target.task == Classification {
		l.class = classFinder(l.target.classes)
	}
	return err
}

// noInputs returns the error of a table without inputs.
func (l *layout) noInputs() error {
	hint, column := "", "COL"
	if len(l.leftOut) == 1 {
		column = flagWord(l.leftOut[0].Column, l.leftOut[0].At)
	}
	for _, c := range l.leftOut {
		if holdsMolecules(c.Column) {
			column = flagWord(c.Column, c.At)
		}
	}
	if len(l.leftOut) > 0 {
		hint = fmt.Sprintf("; left out: %s (%s %s reads a column of text as sequences)",
			phrase.List(leftNames(l.leftOut)), asFlag("sequence"), column)
	}
	return l.errorf("has no input column beside the target%s", hint)
}

// holdsMolecules reports whether a column holds SMILES, by its name.
func holdsMolecules(name string) bool { return strings.Contains(strings.ToLower(name), "smiles") }

// longText is the least number of bytes of a text that may be a sequence.
const longText = 8

// leaveOut leaves a column out. why is a note, or "" if the user has requested it.
func (l *layout) leaveOut(name string, at int, why string) {
	l.leftOut = append(l.leftOut, LeftOutColumn{name, at})
	if nameless := "column " + strconv.Itoa(at+1); name == nameless && why != "" {
		l.note("%s %s: left out", nameless, why)
	} else if why != "" {
		l.note("column %s %s: left out", phrase.Quote(name), why)
	}
}

func leftNames(columns []LeftOutColumn) []string {
	return mapSlice(columns, func(c LeftOutColumn) string { return c.Column })
}

// assignInput makes column i an input, or several, or leaves it out.
func (l *layout) assignInput(rec *records, c *columnProfile, i int) error {
	opt := l.opt
	name := rec.columnName(i)
	flag := flagWord(name, i)
	bad := func(s occurrences, format string, args ...any) error {
		return rec.errorAt(s.at, "found %s in column %s%s", phrase.Quote(s.cell), phrase.Quote(name),
			fmt.Sprintf(format, args...))
	}
	switch {
	case rec.noCells[i] != "":
		l.leaveOut(name, i, "is of type "+rec.noCells[i]+", which cannot be read")
	case c.filled() == c.doubtful.n: // dashes and dots also mean missing cells if the column holds nothing else
		l.leaveOut(name, i, "is empty")
	case c.isDates() && c.isText(), rec.isDated(i):
		return l.addDates(rec, c, i)
	case i == 0 && rec.dialect.rowNames:
		l.leaveOut(name, i, "has no name, as R writes the names of rows")
	case i == 0 && rec.header != nil && rec.bare[i] && (c.consecutive || c.isUnique() || c.isNumbering()):
		l.leaveOut(name, i, "has no name and numbers the rows")
	case strings.HasPrefix(name, namelessIndex) && c.texts.n == 0:
		l.leaveOut(name, i, "is an index of pandas")
	case c.epoch(name) != nil:
		l.addDate(i, c.epoch(name), &c.dates.spans[0])
	case c.isBoolean():
		if c.texts.n > 0 {
			l.note("column %s is true or false and becomes a number, 1 or 0", phrase.Quote(name))
		}
		l.add(i, InputColumn{Name: name, Boolean: true, TrueFalse: c.texts.n > 0})
	case c.isUnclear() && !c.keepsUnits(opt.OneHot):
		return bad(c.signs.ambiguous, ": %s", c.clearer())
	case c.hasLoneMinus():
		return bad(c.signs.behind, ", and no other number has its minus after it: correct it, write the minus before "+
			"it, or leave the column out with %s %s", asFlag("ignore"), flag)
	case c.hasUnits() && !c.keepsUnits(opt.OneHot):
		return bad(c.texts, ", a number with the unit %s%s: write numbers alone, read the column as words by %s=%s, "+
			"or leave it out with %s %s", phrase.Quote(c.signs.units[0]), c.otherUnit(), asKey("text"), flag,
			asFlag("ignore"), flag)
	case !c.isWords && cellformat.IsDecorated(c.texts.cell):
		return bad(c.texts, ": %s, read the column as words by %s=%s, or leave it out with %s %s",
			plainCell(c.texts.cell), asKey("text"), flag, asFlag("ignore"), flag)
	case c.texts.n > 0 && (!c.isText() || c.isStray()) && !rec.hasType(i, "nominal"):
		return bad(c.texts, ", whose other cells are numbers: correct it, leave it empty with %s impute, read the "+
			"column as words by %s=%s, or leave it out with %s %s", asFlag("missing"), asKey("text"), flag,
			asFlag("ignore"), flag)
	case c.isUnique(), c.isIdentifier() && !(opt.OneHot && c.distinct() <= maxTexts):
		l.leaveIdentifier(rec, c, i)
	case c.isText() && c.distinct() > maxKept:
		return bad(c.firstText(), ", which has %d different texts in %s, more than %d: group them, or leave the "+
			"column out with %s %s", c.distinct(), phrase.Plural(c.filled(), "row"), maxKept, asFlag("ignore"), flag)
	case c.isText() || rec.hasType(i, "nominal") && c.texts.n > 0:
		l.warnStray(rec, c, i)
		l.addWords(rec, c, i)
	default:
		if c.numbersRows(name) {
			l.counting = append(l.counting, i)
		}
		l.add(i, InputColumn{Name: name})
	}
	return nil
}

// warnStray warns about a word among numbers that makes a short column text. In a longer one, it is an error.
func (l *layout) warnStray(rec *records, c *columnProfile, i int) {
	if c.texts.n == 1 && c.numbers > 1 && c.filled() <= mistakes && !c.isWords && !rec.hasType(i, "nominal") {
		l.warnAt(c.texts.at, "found %s in column %s, whose other cells are numbers, and reads the column as text: if "+
			"it is a mistake, correct it, or leave it empty with %s impute", phrase.Quote(c.texts.cell),
			phrase.Quote(rec.columnName(i)), asFlag("missing"))
	}
}

// addWords makes inputs of the texts of a column.
func (l *layout) addWords(rec *records, c *columnProfile, i int) {
	if c.distinct() > fewTexts && !l.opt.OneHot && l.texts == nil && rec.width <= max(maxNarrow, l.rows) {
		l.numberWords(rec, c, i)
		return
	}
	most := fewTexts
	if l.opt.OneHot {
		most = maxTexts
	}
	values, others := c.frequent(most)
	inputs := len(values)
	rest := ""
	if others != nil {
		inputs++
		rest = fmt.Sprintf(", its most frequent texts, and one for the %d others", len(others))
	}
	l.note("column %s is text and becomes %s, one for each of %s%s%s%s", phrase.Quote(rec.columnName(i)),
		phrase.Plural(inputs, "input"), phrase.List(values), rest, l.moleculeHint(rec, i), c.whyText())
	l.add(i, InputColumn{Name: rec.columnName(i), Values: values, Others: others, Text: c.isWords})
}

// numberWords numbers the texts of a column. They are too many for an input of each.
func (l *layout) numberWords(rec *records, c *columnProfile, i int) {
	hint := ""
	if c.distinct() <= maxTexts {
		hint = " (" + asKey("one-hot") + "=true makes an input of each)"
	}
	l.note("column %s is text and becomes the effect of each of its %d texts on the target%s%s%s",
		phrase.Quote(rec.columnName(i)), c.distinct(), hint, l.moleculeHint(rec, i), c.whyText())
	l.add(i, InputColumn{Name: rec.columnName(i), Values: c.values(), Text: c.isWords, Numbered: true})
}

// moleculeHint returns the hint that a column of text may hold molecules; "" if its name does not tell.
func (l *layout) moleculeHint(rec *records, i int) string {
	name := rec.columnName(i)
	if !holdsMolecules(name) || l.texts != nil || rec.header == nil {
		return ""
	}
	return fmt.Sprintf(" (%s %s reads its texts as molecules)", asFlag("sequence"), flagWord(name, i))
}

// leaveIdentifier leaves out a column of texts that hardly repeat. The first such column with a different text in each
// row becomes the names of the rows. Long texts may be sequences.
func (l *layout) leaveIdentifier(rec *records, c *columnProfile, i int) {
	name := rec.columnName(i)
	why := fmt.Sprintf("is text that hardly repeats, %d values in %s", c.distinct(), phrase.Plural(c.compared(), "row"))
	if c.mayBe(name) != "" && !l.hasRole("group") {
		why += fmt.Sprintf(", and may group the rows (%s %s)", asFlag("group"), flagWord(name, i))
	}
	if c.isUnique() {
		why = "is text that names each row"
	}
	if l.id < 0 && c.isUnique() {
		l.id = i
		why += ", which predictions carry"
	}
	l.leaveOut(name, i, why+c.whyText())
	if (len(c.texts.cell) >= longText || holdsMolecules(name)) && l.opt.Sequence == "" && rec.header != nil {
		l.notes[len(l.notes)-1] += fmt.Sprintf(" (%s %s reads its texts as sequences)", asFlag("sequence"),
			flagWord(name, i))
	}
}

var (
	weightName = regexp.MustCompile(`(?i)^(sample[ _-]?)?weights?$`)
	groupName  = regexp.MustCompile(`(?i)^(group|patient|subject|participant)s?([ _-]?(id|no|nr|number))?$|[ _-]id$`)
)

// noteInputs adds notes about inputs that number the rows, unless they are the only ones, and about those that may
// weight or group the rows.
func (l *layout) noteInputs(rec *records, p *profile) {
	for _, i := range l.counting {
		if name := rec.columnName(i); len(l.inputs) > 1 || l.texts != nil {
			l.note("column %s counts the rows and is an input: %s %s leaves it out", phrase.Quote(name),
				asFlag("ignore"), flagWord(name, i))
		}
	}
	for _, i := range l.inputs {
		name := rec.columnName(i)
		if date := p.columns[i].asDate(); date != "" {
			l.note("column %s has numbers that may be dates and is read as plain numbers: written as %s they become "+
				"days", phrase.Quote(name), date)
		}
		if p.columns[i].collapses() {
			l.note("column %s has whole numbers that differ only beyond 53 bits, to which they are rounded",
				phrase.Quote(name))
		}
		if role := p.columns[i].mayBe(name); role != "" && !l.hasRole(role) {
			l.note("column %s is an input, and may %s the rows: if so, give %s %s", phrase.Quote(name),
				strings.TrimSuffix(role, "s"), usererror.Flag(role), flagWord(name, i))
		}
	}
}

// mayBe returns the role that a column may have instead of an input, by its name and values; "" if none.
func (c *columnProfile) mayBe(name string) string {
	switch {
	case weightName.MatchString(name) && c.texts.n == 0 && c.low >= 0:
		return "weights"
	case groupName.MatchString(name) && c.fractions.cell == "" && c.distinct() < c.filled():
		return "group"
	}
	return ""
}

// isIDName reports whether a column holds row names, by its name.
func isIDName(name string) bool {
	name = strings.ToLower(name)
	return strings.HasSuffix(name, "id") ||
		slices.Contains([]string{"index", "idx", "row", "no", "no.", "nr", "nr.", "#", "number", "key"}, name)
}

// namelessIndex begins the name of an index without one, which numbers the rows of a table before some were removed.
const namelessIndex = "__index_level_"

// isIndex reports whether column i is an index of pandas, which writes it after the others of a Parquet or Arrow file.
func (r *records) isIndex(i int) bool {
	return strings.HasPrefix(r.columnName(i), namelessIndex) || r.indexes[i]
}

func (l *layout) add(i int, c InputColumn) {
	l.inputs, l.columns = append(l.inputs, i), append(l.columns, c)
}

// flagWord writes column i as a flag names it: by its name, or by its number if the name has a comma, a blank or
// another sign that a shell reads.
func flagWord(name string, i int) string {
	if strings.HasPrefix(name, "-") || strings.ContainsAny(name, ", \t'\"$`\\()[]{}<>|&;*?!#~") {
		return strconv.Itoa(i + 1)
	}
	return name
}

// columnsNamed finds columns by their names or numbers.
func columnsNamed(file, words string, names []string, role string) (at []int, err error) {
	if words == "" {
		return nil, nil
	}
	for _, word := range splitColumns(words, names) {
		i, err := columnNamed(file, word, names, role)
		if err != nil {
			return nil, err
		}
		at = append(at, i)
	}
	return at, nil
}

// columnNamed finds a column by its name, or else by its number, counted from 1.
func columnNamed(file, word string, names []string, role string) (int, error) {
	if i := slices.Index(names, word); i >= 0 {
		return i, nil
	}
	if n, err := strconv.Atoi(word); err == nil {
		if n < 1 || n > len(names) {
			return 0, errorf(file, "has no column number %d %s: columns count from 1 to %d", n, role, len(names))
		}
		return n - 1, nil
	}
	return 0, errorf(file, "has no column %s %s%s; its columns are %s", phrase.Quote(word), role,
		didYouMean(word, names), phrase.List(names))
}
