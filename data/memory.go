package data

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/seq"
)

// Rows are N rows in memory: inputs, sequences or both, and targets of one kind.
type Rows struct {
	// Columns are the names of the inputs; nil is x0, x1, ….
	Columns []string
	// Inputs [N][D] are the numbers of each row; nil where a row is a sequence alone.
	Inputs [][]float64
	// Sequences [N] are DNA, proteins, text or whole numbers between blanks; nil for none.
	Sequences []string
	// Tokens names the alphabet of the sequences, one of Tokens(); "" detects it.
	Tokens string
	// Values [N] are the targets of a regression.
	Values []float64
	// Targets [N][T] are those of a regression of several targets, in place of Values.
	Targets [][]float64
	// TargetNames [T] are the names of several targets; nil is y0, y1, ….
	TargetNames []string
	// Classes [N] are the targets of a classification.
	Classes []string
}

// inMemory is the name and the path of a set that comes from no file.
const inMemory = "rows"

// N is the number of rows.
func (r Rows) N() int { return max(len(r.Inputs), len(r.Sequences)) }

// FromRows makes a training set of rows in memory. Errors name the row, from 1, and the column.
func FromRows(r Rows) (*Dataset, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	d := &Dataset{Name: inMemory, Path: inMemory, Columns: r.Columns, Task: Regression, Y: slices.Clone(r.Values),
		Target: DefaultTarget}
	if r.Inputs != nil {
		if r.Columns == nil {
			d.Columns = plainColumns(nil, len(r.Inputs[0]))
		}
		x, err := r.numbers(d.Columns)
		if err != nil {
			return nil, err
		}
		d.X = matrix(r.N(), len(d.Columns), x)
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
		d.setClasses(r.Classes)
	}
	if r.Targets != nil {
		d.Y, d.Targets = slices.Concat(r.Targets...), r.targetNames()
		for c := range d.Targets {
			d.schema.TargetsAt = append(d.schema.TargetsAt, len(d.Columns)+c)
		}
		d.Target = targetText(d.schema.TargetsAt, slices.Concat(d.Columns, d.Targets))
	}
	if err := checkTraining(d); err != nil {
		return nil, err
	}
	d.Fingerprint = d.fingerprint()
	return d, nil
}

// check compares the sizes.
func (r Rows) check() error {
	n := r.N()
	for _, part := range []struct {
		what  string
		n     int
		given bool
	}{
		{"slice", len(r.Inputs), r.Inputs != nil}, {"sequence", len(r.Sequences), r.Sequences != nil},
		{"value", len(r.Values), r.Values != nil}, {"slice of targets", len(r.Targets), r.Targets != nil},
		{"class label", len(r.Classes), r.Classes != nil},
	} {
		if part.given && part.n != n {
			return errorf("", "%s for %s: give one for each row", plural(part.n, part.what), plural(n, "row"))
		}
	}
	switch {
	case n == 0:
		return errorf("", "there are no rows: give inputs or sequences")
	case oneIf(r.Values != nil)+oneIf(r.Targets != nil)+oneIf(r.Classes != nil) != 1:
		return errorf("", "give either values or targets, for a regression, or classes")
	case r.Inputs != nil && len(r.Inputs[0]) == 0 && r.Sequences == nil:
		return errorf("", "the rows have no inputs: give at least one number for each")
	}
	names, targets := map[string]bool{}, []string{DefaultTarget}
	if r.Targets != nil {
		targets = r.targetNames()
	}
	for _, name := range slices.Concat(targets, r.Columns) {
		if names[name] {
			return errorf("", "there are two columns %s: names must differ, and %s is the target",
				quote(name), list(targets))
		}
		names[name] = true
	}
	return cmp.Or(checkTokens(r.Tokens), r.checkTargets())
}

// targetNames are the names of several targets.
func (r Rows) targetNames() []string {
	if r.TargetNames != nil || len(r.Targets) == 0 {
		return r.TargetNames
	}
	return plainTargets(len(r.Targets[0]))
}

// checkTargets refuses targets that are not finite or too large, and rows with too few of them.
func (r Rows) checkTargets() error {
	if r.TargetNames != nil && len(r.Targets) > 0 && len(r.TargetNames) != len(r.Targets[0]) {
		return errorf("", "%s for %s: give a name for each target", plural(len(r.TargetNames), "target name"),
			plural(len(r.Targets[0]), "target"))
	}
	if r.Targets != nil && (r.Inputs == nil || len(r.targetNames()) < 2) {
		return errorf("", "targets are for rows with inputs and two targets or more: give values instead")
	}
	for i, row := range r.Targets {
		if n := len(r.targetNames()); len(row) != n {
			return errorf("", "row %d has %s, and there are %s: give a number for each target", i+1,
				plural(len(row), "number"), plural(n, "target"))
		}
		for _, v := range row {
			if !(math.Abs(v) <= largest) {
				return errorf("", "row %d: a target is %g: only finite numbers within ±%g can be used", i+1, v, largest)
			}
		}
	}
	for i, v := range r.Values {
		if !(math.Abs(v) <= largest) {
			return errorf("", "row %d: the value is %g: only finite numbers within ±%g can be used", i+1, v, largest)
		}
	}
	return nil
}

// numbers are the inputs [N,D].
func (r Rows) numbers(columns []string) ([]float64, error) {
	x := make([]float64, 0, r.N()*len(columns))
	for i, row := range r.Inputs {
		if len(row) != len(columns) {
			return nil, errorf("", "row %d has %s, and there are %s: give a number for each column", i+1,
				plural(len(row), "number"), plural(len(columns), "column"))
		}
		for c, v := range row {
			if !(math.Abs(v) <= largest) {
				return nil, errorf("", "row %d: column %s is %g: only finite numbers within ±%g can be used",
					i+1, quote(columns[c]), v, largest)
			}
		}
		x = append(x, row...)
	}
	return x, nil
}

// kind is the alphabet that Tokens names, or the one that the sequences look like.
func (r Rows) kind() seq.Kind {
	if r.Tokens != "" && r.Tokens != TokensAuto && r.Tokens != TokensChars {
		return seq.Kind(r.Tokens)
	}
	t := &texts{}
	for _, s := range r.Sequences {
		t.text = append(t.text, s...)
		t.end = append(t.end, len(t.text))
	}
	return t.detect(r.Tokens)
}

// setClasses sets labels and classes, in the order of their numbers or else of their letters.
func (d *Dataset) setClasses(labels []string) {
	d.Classes = slices.Compact(slices.Sorted(slices.Values(labels)))
	if !slices.ContainsFunc(d.Classes, isText) {
		slices.SortStableFunc(d.Classes, func(a, b string) int {
			x, _ := parseNumber(a)
			y, _ := parseNumber(b)
			return cmp.Compare(x, y)
		})
	}
	index := map[string]int32{}
	for i, c := range d.Classes {
		index[c] = int32(i)
	}
	d.Labels = make([]int32, len(labels))
	for i, l := range labels {
		d.Labels[i] = index[l]
	}
}

// encodeRows codes the sequences of rows.
func encodeRows(e *seq.Encoder, sequences []string, column string) (*seq.Set, error) {
	for i, text := range sequences {
		err := e.Add([]byte(text))
		var bad *seq.SymbolError
		if errors.As(err, &bad) {
			return nil, errorf("", "row %d: found %s at byte %d of column %s, %s", i+1, quote(bad.Symbol),
				bad.At+1, quote(column), bad.Msg)
		}
		if err != nil {
			return nil, fmt.Errorf("row %d: %w", i+1, err)
		}
	}
	set, _ := e.Set()
	for i := range sequences {
		if len(set.At(i)) == 0 {
			return nil, errorf("", "row %d: the sequence in column %s is empty: write at least one symbol", i+1,
				quote(column))
		}
	}
	return set, nil
}

// Given are the rows in the columns of the schema, for Schema.Rows. Columns are matched by name;
// without names they are taken in order.
func (r Rows) Given(s Schema) (Given, error) {
	g := Given{N: r.N(), Sequences: r.Sequences}
	names := s.NumberColumns()
	if text := s.TextColumns(); len(text) > 0 {
		return g, errorf("", "the model has columns of text: %s: give such rows in a file", list(text))
	}
	at := make([]int, len(names))
	for k, name := range names {
		if at[k] = k; r.Columns != nil {
			at[k] = slices.Index(r.Columns, name)
		}
		if at[k] < 0 {
			return g, errorf("",
				"there is no column %s, which the training data have; the columns here are %s", quote(name),
				strings.Join(r.Columns, ", "))
		}
	}
	for i, row := range r.Inputs {
		if r.Columns == nil && len(row) != len(names) || r.Columns != nil && len(row) != len(r.Columns) {
			return g, errorf("", "row %d has %s, the training data have %s", i+1, plural(len(row), "number"),
				plural(len(names), "column"))
		}
		for _, k := range at {
			g.Numbers = append(g.Numbers, row[k])
		}
	}
	return g, nil
}

// Given are N rows that stand in no file, such as those of a request: what a file of the training
// set's columns would hold.
type Given struct {
	N         int
	Numbers   []float64           // [N,len(NumberColumns)]; NaN is a missing cell
	Texts     map[string][]string // [N] of each of TextColumns; "" is a missing cell
	Sequences []string            // [N]; nil where rows have none
}

// Rows makes a data set of rows to be predicted. They are checked, filled in and expanded as
// readFor does with those of a file, so that their predictions are the same. Errors name the row,
// from 1, and the column.
func (s Schema) Rows(g Given) (*Dataset, error) {
	d := &Dataset{Name: "request", Path: "request", Columns: s.Columns, Task: s.Task, Classes: s.Classes, schema: s}
	if g.N < 1 {
		return nil, errorf("", "there are no rows: give at least one")
	}
	if err := s.checkGiven(g); err != nil {
		return nil, err
	}
	if columns := s.FileColumns(); len(columns) > 0 {
		x, err := g.expand(columns, len(s.Columns), s.Missing == MissingImpute)
		if err != nil {
			return nil, err
		}
		d.X = matrix(g.N, len(s.Columns), x)
	}
	if s.Alphabet != nil {
		var err error
		if d.Sequences, err = encodeRows(seq.EncoderFor(s.Alphabet), g.Sequences, s.SequenceColumn()); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// checkGiven compares the sizes of g with those of the schema.
func (s Schema) checkGiven(g Given) error {
	if width := len(s.NumberColumns()); len(g.Numbers) != g.N*width {
		return errorf("", "%s of %s for %s", plural(len(g.Numbers), "number"), plural(width, "column"),
			plural(g.N, "row"))
	}
	for _, name := range s.TextColumns() {
		if len(g.Texts[name]) != g.N {
			return errorf("", "%s in column %s for %s", plural(len(g.Texts[name]), "cell"), quote(name),
				plural(g.N, "row"))
		}
	}
	if s.Alphabet != nil && len(g.Sequences) != g.N {
		return errorf("", "%s for %s", plural(len(g.Sequences), "sequence"), plural(g.N, "row"))
	}
	return nil
}

// expand writes the inputs [N,width] of the cells.
func (g Given) expand(columns []InputColumn, width int, impute bool) ([]float64, error) {
	x := make([]float64, 0, g.N*width)
	numbers := g.Numbers
	for i := range g.N {
		for _, c := range columns {
			v, hot, missing, ok := 0.0, -1, false, true
			if c.Values == nil {
				if !c.isText() {
					if v, numbers = numbers[0], numbers[1:]; c.Date != nil {
						v = c.Date.Seconds(v)
					}
				} else if c.Date != nil {
					if v, ok = c.Date.parse(g.Texts[c.Name][i]); !ok {
						return nil, errorf("", "row %d: found %s in column %s, %s", i+1, quote(g.Texts[c.Name][i]),
							quote(c.Name), c.Date.like())
					}
				} else if v, ok = c.Notation.parse(g.Texts[c.Name][i]); !ok {
					return nil, errorf("", "row %d: found %s in column %s: %s", i+1, quote(g.Texts[c.Name][i]),
						quote(c.Name), c.Notation.like())
				}
				if missing = math.IsNaN(v); missing {
					v = c.Fill
				} else if !(math.Abs(v) <= largest) {
					return nil, errorf("",
						"row %d: found %s in column %s, which is beyond ±%g: only smaller numbers can be used", i+1,
						number(v), quote(c.Name), largest)
				}
			} else {
				cell := strings.TrimSpace(g.Texts[c.Name][i])
				if hot, _ = c.find(cell); c.isMissing(cell) {
					hot, missing = -1, true
				}
			}
			if missing && !impute {
				return nil, errorf("",
					"row %d: column %s is missing: fill it in; a model trained with --missing impute does so "+
						"itself", i+1, quote(c.Name))
			}
			x = c.append(x, v, hot, missing)
		}
	}
	return x, nil
}

// NewWords are warnings about words that the training data do not have, one for each column.
func (s Schema) NewWords(g Given) (warnings []string) {
	for _, c := range s.FileColumns() {
		if c.Values == nil {
			continue
		}
		n, first := 0, 0
		for i, cell := range g.Texts[c.Name] {
			cell = strings.TrimSpace(cell)
			if _, known := c.find(cell); known || c.isMissing(cell) {
				continue
			}
			if n++; n == 1 {
				first = i
			}
		}
		if n > 0 {
			warnings = append(warnings, unknownWord(fmt.Sprintf("row %d", first+1), g.Texts[c.Name][first], c, n))
		}
	}
	return warnings
}

// unknownWord is the message about the first of n words that the training data lack.
func unknownWord(where, cell string, c InputColumn, n int) string {
	others, becomes := "", "all inputs of the column are 0 there"
	if c.Others != nil {
		becomes = "it counts as other"
	}
	if n > 1 {
		others = fmt.Sprintf(", the first of %d new cells", n)
	}
	return fmt.Sprintf("%s: %s in column %s is not in the training data%s: %s", where, quote(cell),
		quote(c.Name), others, becomes)
}
