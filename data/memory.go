package data

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/gpdrf/gpdrf-gpu/data/matrix"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
	"github.com/gpdrf/gpdrf-gpu/seq"
)

// Rows are N rows in memory: inputs, sequences or both, and targets of one kind. A prediction ignores targets, weights,
// groups and times.
type Rows struct {
	// Columns are the names of the inputs; nil is x0, x1, ….
	Columns []string
	// Inputs [N][D] are the numbers of each row; nil where a row is a sequence alone.
	Inputs [][]float64
	// Sequences [N] are DNA, proteins, text or whole numbers between blanks; nil for none.
	Sequences []string
	// Tokens names the alphabet of training sequences, such as "dna" or "words"; "" detects it.
	Tokens string
	// Values [N] are the targets of a regression.
	Values []float64
	// Targets [N][T] are the targets of a regression with several targets, in place of Values.
	Targets [][]float64
	// TargetNames [T] are the names of several targets; nil is y0, y1, ….
	TargetNames []string
	// Classes [N] are the targets of a classification.
	Classes []string

	// Weights [N] are the numbers of copies that rows count as; nil for one each.
	Weights []float64
	// Groups [N] are names of groups, whose rows every split keeps together; nil for none.
	Groups []string
	// Times [N] are the times of rows: splits train on the past and test on the future; nil for no order.
	Times []float64
	// Offset [N] is added to the log rate of each row of counts: the logarithm of an exposure; nil for no offset.
	Offset []float64
}

// inMemory is the name and the path of a set that comes from no file.
const inMemory = "rows"

// n returns the number of rows.
func (r Rows) n() int { return max(len(r.Inputs), len(r.Sequences)) }

// FromRows makes a training set of rows in memory. Errors name the row, from 1, and the column.
func FromRows(r Rows) (*Dataset, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	d := &Dataset{Name: inMemory, Path: inMemory, Columns: slices.Clone(r.Columns), Task: Regression,
		Y: slices.Clone(r.Values), Target: defaultTarget}
	if r.Inputs != nil {
		if r.Columns == nil {
			d.Columns = plainColumns(len(r.Inputs[0]))
		}
		x, err := r.numbers(d.Columns)
		if err != nil {
			return nil, err
		}
		d.X = matrix.New(r.n(), len(d.Columns), x)
	}
	if r.Sequences != nil {
		if r.Inputs != nil {
			d.schema.Sequence = sequenceName
		}
		var err error
		if d.Sequences, err = encodeRows(seq.NewEncoder(r.kind()), r.Sequences, sequenceName); err != nil {
			return nil, err
		}
	}
	d.schema.TargetAt = len(d.Columns)
	if r.Classes != nil {
		d.Task = Classification
		d.Classes = slices.Compact(slices.Sorted(slices.Values(r.Classes))) // in the order of their letters
		if !slices.ContainsFunc(d.Classes, isText) {
			sortNumbers(d.Classes)
		}
		find := classFinder(d.Classes)
		d.Labels = mapSlice(r.Classes, func(label string) int32 { i, _ := find(label); return i })
	}
	if r.Targets != nil {
		d.Y = slices.Concat(r.Targets...)
		d.Targets = slices.Clone(r.targetNames())
		d.schema.TargetsAt = matrix.Every(len(d.Columns) + len(d.Targets))[len(d.Columns):]
		d.Target = targetText(d.schema.TargetsAt, slices.Concat(d.Columns, d.Targets))
	}
	d.setFacts(r)
	return d.toTrain()
}

// toTrain returns the rows that count, and refuses those from which nothing can be learnt.
func (d *Dataset) toTrain() (*Dataset, error) {
	d, err := d.weighted()
	if err != nil {
		return nil, err
	}
	if err := d.checkSplitRoles(inMemory, d.schema.Roles); err != nil {
		return nil, err
	}
	if err := checkTraining(d, nil); err != nil {
		return nil, err
	}
	d.Fingerprint = d.fingerprint()
	return d, nil
}

// weighted returns the rows of a weight above 0, of which there must be one.
func (d *Dataset) weighted() (*Dataset, error) {
	if d.Weights != nil && slices.Max(d.Weights) == 0 {
		return nil, errorf("", "the weights of all rows are 0: at least two rows must count")
	}
	if slices.Contains(d.Weights, 0) {
		d = d.Subset(matrix.Which(d.N(), func(i int) bool { return d.Weights[i] > 0 }))
	}
	return d, nil
}

func (r Rows) check() error {
	n := r.n()
	if err := r.checkLengths(); err != nil {
		return err
	}
	switch {
	case n == 0:
		return errorf("", "there are no rows: give inputs or sequences")
	case boolToFloat(r.Values != nil)+boolToFloat(r.Targets != nil)+boolToFloat(r.Classes != nil) != 1:
		return errorf("", "give either values or targets, for a regression, or classes")
	case r.Sequences == nil && r.Tokens != "" && r.Tokens != TokensAuto:
		return errorf("", "the tokens are %s, and there are no sequences: leave them out", phrase.Quote(r.Tokens))
	case r.Inputs != nil && len(r.Inputs[0]) == 0 && r.Sequences == nil:
		return errorf("", "the rows have no inputs: give at least one number for each")
	}
	names := map[string]bool{}
	targets := []string{defaultTarget}
	if r.Targets != nil {
		targets = r.targetNames()
	}
	for _, name := range slices.Concat(targets, r.Columns) {
		if names[name] {
			return errorf("", "there are two columns %s: names must differ, and %s is the target",
				phrase.Quote(name), phrase.List(targets))
		}
		names[name] = true
	}
	if err := checkTokens(r.Tokens); err != nil {
		return err
	}
	if err := r.checkWords(); err != nil {
		return err
	}
	if err := r.checkTargets(); err != nil {
		return err
	}
	return r.checkFacts()
}

// checkLengths refuses parts that do not have one element for each row.
func (r Rows) checkLengths() error {
	n := r.n()
	for _, part := range []struct {
		what  string
		n     int
		given bool
	}{
		{"slice", len(r.Inputs), r.Inputs != nil}, {"sequence", len(r.Sequences), r.Sequences != nil},
		{"value", len(r.Values), r.Values != nil}, {"target slice", len(r.Targets), r.Targets != nil},
		{"class label", len(r.Classes), r.Classes != nil}, {"weight", len(r.Weights), r.Weights != nil},
		{"group", len(r.Groups), r.Groups != nil}, {"time", len(r.Times), r.Times != nil},
		{"offset", len(r.Offset), r.Offset != nil},
	} {
		if part.given && part.n != n {
			return errorf("", "%s for %s: give one for each row", phrase.Plural(part.n, part.what),
				phrase.Plural(n, "row"))
		}
	}
	return nil
}

// checkWords refuses labels and names that a model file cannot hold.
func (r Rows) checkWords() error {
	for i, label := range r.Classes {
		if label == "" || !utf8.ValidString(label) {
			return rowErrorf(i, ": the class label is %s: give each row a label of UTF-8 text", phrase.Quote(label))
		}
	}
	for _, name := range slices.Concat(r.Columns, r.TargetNames) {
		if !utf8.ValidString(name) {
			return errorf("", "the column %s is not called by UTF-8 text: rename it", phrase.Quote(name))
		}
	}
	return nil
}

func (r Rows) targetNames() []string {
	if r.TargetNames != nil || len(r.Targets) == 0 {
		return r.TargetNames
	}
	return plainTargets(len(r.Targets[0]))
}

// checkTargets refuses rows of several targets that are not finite or too large, or too few.
func (r Rows) checkTargets() error {
	if r.TargetNames != nil && len(r.Targets) > 0 && len(r.TargetNames) != len(r.Targets[0]) {
		return errorf("", "%s for %s: give a name for each target", phrase.Plural(len(r.TargetNames), "target name"),
			phrase.Plural(len(r.Targets[0]), "target"))
	}
	if r.Targets != nil && (r.Inputs == nil || len(r.targetNames()) < 2) {
		return errorf("", "targets are for rows with inputs and two targets or more: give values instead")
	}
	for i, row := range r.Targets {
		if n := len(r.targetNames()); len(row) != n {
			return lengthError(i, len(row), phrase.Plural(n, "target"), r.TargetNames != nil)
		}
		for _, v := range row {
			if !(math.Abs(v) <= maxMagnitude) {
				return rowErrorf(i, ": a target is %g: only finite numbers within ±%g can be used", v, maxMagnitude)
			}
		}
	}
	return nil
}

// numbers returns the inputs [N,D].
func (r Rows) numbers(columns []string) ([]float64, error) {
	x := make([]float64, 0, r.n()*len(columns))
	for i, row := range r.Inputs {
		if len(row) != len(columns) {
			return nil, lengthError(i, len(row), phrase.Plural(len(columns), "column"), r.Columns != nil)
		}
		for c, v := range row {
			if !(math.Abs(v) <= maxMagnitude) {
				return nil, rowErrorf(i, ": column %s is %g: only finite numbers within ±%g can be used",
					phrase.Quote(columns[c]), v, maxMagnitude)
			}
		}
		x = append(x, row...)
	}
	return x, nil
}

// lengthError returns the error of row i, which has n numbers for columns such as "2 targets". Without names, row 1
// gave their count.
func lengthError(i, n int, columns string, named bool) error {
	numbers := phrase.Plural(n, "number")
	if !named {
		return rowErrorf(i, " has %s, and row 1 has %s: give each row as many", numbers, columns)
	}
	return rowErrorf(i, " has %s for %s: give one for each", numbers, columns)
}

// kind returns the alphabet that Tokens names, or the one that the sequences look like.
func (r Rows) kind() seq.Kind {
	if r.Tokens != "" && r.Tokens != TokensAuto && r.Tokens != TokensChars {
		return seq.Kind(r.Tokens)
	}
	t := &sequenceTexts{}
	for _, s := range r.Sequences {
		t.append([]byte(s), position{})
	}
	return t.detect(r.Tokens)
}

// encodeRows encodes the sequences of rows.
func encodeRows(e *seq.Encoder, sequences []string, column string) (*seq.Set, error) {
	for i, text := range sequences {
		err := e.Add([]byte(text))
		if bad, ok := errors.AsType[*seq.SymbolError](err); ok {
			return nil, rowErrorf(i, ": found %s at byte %d of column %s, %s", phrase.Quote(bad.Symbol),
				bad.At+1, phrase.Quote(column), bad.Msg)
		}
		if err != nil {
			return nil, fmt.Errorf("row %d: %w", i+1, err)
		}
	}
	set, _ := e.Set()
	for i := range sequences {
		if len(set.At(i)) == 0 {
			return nil, rowErrorf(i, ": the sequence in column %s is empty: write at least one symbol",
				phrase.Quote(column))
		}
	}
	return set, nil
}
