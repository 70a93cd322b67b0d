package data

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data/matrix"
	"github.com/gpdrf/gpdrf-gpu/internal/didyoumean"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
	"github.com/gpdrf/gpdrf-gpu/seq"
)

// defaultTarget is the column that is the target if none is named. If it does not exist, the last column is the target.
const defaultTarget = "target"

// layout maps the cells of a row to the inputs, in order, and to the target.
type layout struct {
	*input
	inputs   []int
	counting []int // inputs that number the rows
	columns  []InputColumn
	targets  []int    // positions of the targets; empty if the file has none
	names    []string // names of the targets
	oneByOne string   // remedy for a word in one of several targets
	id       int      // position of the name of the row; −1 if rows have none
	idName   string
	roles    []roleColumn
	timeForm *string // form of the times, as Schema.TimeForm
	leftOut  []LeftOutColumn

	target  targetKind // kind of a single target
	class   func(label string) (int32, bool)
	missing string // one of MissingWays

	noTarget int // number of rows left out for a missing target
	dropped  int // number of rows left out for other missing cells
	// number of rows of weight 0, which are left out
	weightless int
	read       int // number of rows that were kept
	rows       int // number of rows in the first reading of a training file
	unneeded   unneededLabels

	unknown []occurrences // texts that the training data do not have, by columns

	sequence     int // position of the sequence, if texts is not nil
	sequenceName string
	texts        *sequenceTexts
	trial        *seq.Encoder // encoder of a Stream that detects bad texts
}

// LeftOutColumn is a column of the training file that is no input.
type LeftOutColumn struct {
	Column string `json:"column"`
	At     int    `json:"at"` // position in the file, from 0
}

// newLayout decides the roles of the columns of a training file (roles.go).
func newLayout(rec *records, p *profile, at []int) (*layout, error) {
	if rec.width < 2 && hasFASTAName(rec.name) {
		return nil, rec.errorf("has no header before a sequence: write >CLASS or >NAME|CLASS in a line before each")
	}
	if rec.width < 2 {
		return nil, rec.errorf("has one column only: at least one input column is needed beside the target"+
			" (cells are separated by comma, semicolon, tab, | or blanks; %s names another)", asKey("separator"))
	}
	l := &layout{input: rec.input, rows: p.rows, targets: at, names: matrix.Pick(rec.columnNames(), at), id: -1,
		missing: rec.opt.Missing}
	if rec.opt.Describe && l.missing == "" {
		l.missing = MissingImpute
	}
	l.missing = cmp.Or(l.missing, MissingError)
	if err := rec.severalClasses(len(at)); err != nil {
		return nil, err
	}
	if len(at) > 1 {
		l.oneByOne = "several targets are numbers, so correct it, or give one of " + phrase.List(l.names) +
			" at a time with " + asFlag("target")
	}
	rec.titlesNote()
	if text, doubtful := rec.doubtfulHeader(); doubtful {
		l.note("the first row has the text %s in it and is read as the column names (%s=no to change)",
			phrase.Quote(text), asKey("header"))
	}
	if err := l.assign(rec, p); err != nil {
		return nil, err
	}
	return l, l.checkMissing(rec, p)
}

// checkCells refuses columns with a role whose cells cannot be read. Rows to predict need no target.
func (l *layout) checkCells(rec *records) error {
	columns := slices.Concat(l.inputs, []int{l.id})
	if !l.opt.TargetOptional {
		columns = append(columns, l.targets...)
	}
	if l.texts != nil {
		columns = append(columns, l.sequence)
	}
	columns = append(columns, mapSlice(l.roles, func(c roleColumn) int { return c.at })...)
	for _, i := range columns {
		if kind := rec.noCells[i]; kind != "" {
			return rec.errorf("column %s is of type %s: only numbers, text, dates and true or false can be read; "+
				"write it as one of these, or name another", phrase.Quote(rec.columnName(i)), kind)
		}
	}
	return nil
}

// unread returns the columns that a user has excluded from the inputs.
func (in *input) unread(rec *records) (at []int, err error) {
	names := rec.columnNames()
	if at, err = columnsNamed(rec.name, in.opt.Ignore, names, "to leave out"); err != nil {
		return nil, err
	}
	for _, word := range []string{in.opt.ID, in.opt.Sequence, in.opt.Roles.Group, in.opt.Roles.Time} {
		i, unknown := columnNamed(rec.name, word, names, "") // the function assign refuses unknown words
		if unknown == nil {
			at = append(at, i)
		}
	}
	return at, nil
}

// again reads the table from its start, with the notations of its columns.
func (in *input) again(notations []*Notation) (*records, error) {
	if _, err := in.src.Seek(0, io.SeekStart); err != nil {
		return nil, readError(in.name, err)
	}
	if err := in.open(); err != nil {
		return nil, err
	}
	rec, err := newRecords(in)
	if err != nil {
		return nil, err
	}
	rec.notations = notations
	return rec, nil
}

// maxNotes is the largest number of notes about columns. A wide table may have one for each column.
const maxNotes = 50

// boundNotes leaves out the last notes, counted from first, if there are too many.
func (in *input) boundNotes(first int) {
	if more := len(in.notes) - first - maxNotes; more > 0 {
		in.notes = in.notes[:first+maxNotes]
		in.note("not shown: %s about its columns", phrase.Plural(more, "more note"))
	}
}

// findTargets finds the target, or several. Without a name it is the column target, or else the last column that is not
// an index of pandas.
func findTargets(file, target string, names []string, isIndex func(i int) bool) (at []int, err error) {
	if target == "" {
		i := slices.Index(names, defaultTarget)
		if i < 0 {
			for i = len(names) - 1; i > 0 && isIndex(i); i-- {
			}
		}
		return []int{i}, nil
	}
	if at, err = columnsNamed(file, target, names, "to be the target"); err != nil {
		return nil, err
	}
	for i, a := range at {
		if slices.Contains(at[:i], a) {
			return nil, errorf(file, "has the column %s among its targets twice: name it once", phrase.Quote(names[a]))
		}
	}
	if len(at) > 1 && len(at) >= len(names) {
		return nil, errorf(file, "has no column left beside the %d targets: at least one input is needed", len(at))
	}
	return at, nil
}

// layoutByName matches a file to a training set by the names of its columns, in any order. It may have others.
func layoutByName(rec *records, like *Schema) (*layout, error) {
	l := &layout{input: rec.input, columns: like.FileColumns(), id: -1}
	unused := slices.Clone(rec.header)
	places := make(map[string]int, rec.width)
	for i, name := range rec.header {
		places[name] = i
	}
	take := func(name string) int {
		at, there := places[name]
		if !there {
			return -1
		}
		unused[at] = ""
		return at
	}
	for _, c := range like.LeftOut {
		take(c.Column)
	}
	var missing []string
	for _, c := range l.columns {
		at := take(c.Name)
		if at < 0 {
			missing = append(missing, c.Name)
		}
		l.inputs = append(l.inputs, at)
	}
	if missing != nil {
		why := "the model was trained with it"
		if l.opt.TrainRows != nil { // there is no model yet
			why = "the training rows have it"
		}
		return nil, missingColumn(rec, missing[0], why, missing[1:]...)
	}
	for _, name := range like.Outputs() {
		at := take(name)
		if at < 0 && !l.opt.TargetOptional {
			return nil, missingColumn(rec, name, "it is the target of the training data")
		}
		if at >= 0 {
			l.targets, l.names = append(l.targets, at), append(l.names, name)
		}
	}
	if len(l.targets) < len(like.Outputs()) {
		l.targets, l.names = nil, nil
	}
	if like.Sequence != "" {
		at := take(like.Sequence)
		if at < 0 {
			return nil, missingColumn(rec, like.Sequence, "it has the sequences of the training data")
		}
		l.setSequence(rec, at)
	}
	if at := take(like.ID); at >= 0 && like.ID != "" {
		l.id, l.idName = at, like.ID
	}
	if err := l.nameRows(rec); err != nil {
		return nil, err
	}
	take(l.idName)
	if err := l.rolesLike(rec, like, take); err != nil {
		return nil, err
	}
	unused = slices.DeleteFunc(unused, func(name string) bool { return name == "" })
	if len(unused) > 0 {
		l.note("not in the training data and ignored: %s", phrase.List(unused))
	}
	return l, nil
}

// nameRows takes the names of the rows from a column that a user has named, if any.
func (l *layout) nameRows(rec *records) (err error) {
	if l.opt.ID == "" {
		return nil
	}
	if l.id, err = columnNamed(l.name, l.opt.ID, rec.columnNames(), namesRows); err != nil {
		return err
	}
	l.idName = rec.columnName(l.id)
	return nil
}

// namesRows is the purpose of a column of names in messages.
const namesRows = "that names the rows"

// missingColumn returns the error about a column that the file lacks, and about others with the same reason.
func missingColumn(rec *records, name, why string, others ...string) error {
	line := 1 + rec.before
	if rec.types != nil { // in ARFF, the names are in the head of the file
		line = 1
	}
	also := ""
	if others != nil {
		also = "; also missing: " + phrase.List(others)
	}
	return rec.errorAt(position{line: line}, "column %s is missing: %s%s%s; the columns here are %s",
		phrase.Quote(name), why, didYouMean(name, rec.header), also, phrase.List(rec.header))
}

// nameByPlace names the columns of a file without a header in the order of the training file. The file has all columns,
// all but the targets, or the inputs alone.
func (r *records) nameByPlace(like *Schema) error {
	if like.Sequence != "" {
		return r.errorf("has no header: a table with a column of sequences needs one")
	}
	inputs := like.namesOf(func(InputColumn) bool { return true })
	width, targets, others := len(inputs), len(like.Outputs()), len(like.LeftOut)
	all := width + targets + others
	if r.width != all && !(r.opt.TargetOptional && (r.width == all-targets || r.width == width)) {
		return r.errorf("has %s and no header, the training data have %s, %s and %s left out: "+
			"give the same columns in the same order, or a header", phrase.Plural(r.width, "column"),
			phrase.Plural(width, "input"), aTarget(targets), phrase.Plural(others, "column"))
	}
	var names []string
	for i := range all {
		target := slices.Index(like.places(), i)
		out := slices.IndexFunc(like.LeftOut, func(c LeftOutColumn) bool { return c.At == i })
		switch {
		case target >= 0 && r.width < all, out >= 0 && r.width == width: // no target is in this file
		case target >= 0:
			names = append(names, like.Outputs()[target])
		case out >= 0:
			names = append(names, like.LeftOut[out].Column)
		default:
			names = append(names, inputs[0])
			inputs = inputs[1:]
		}
	}
	r.header, r.dialect.names = names, names
	return nil
}

// aTarget writes "a target", or "3 targets".
func aTarget(n int) string {
	if n == 1 {
		return "a target"
	}
	return phrase.Plural(n, "target")
}

// didYouMean writes ` (did you mean "AP"?)` where a known word is near.
func didYouMean(word string, known []string) string {
	if near, ok := didyoumean.Nearest(strings.TrimSpace(word), known); ok {
		return " (did you mean " + phrase.Quote(near) + "?)"
	}
	return ""
}
