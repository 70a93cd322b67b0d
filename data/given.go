package data

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/seq"
)

// Given are N rows that stand in no file, such as those of a request: what a file of the training
// set's columns would hold.
type Given struct {
	N         int
	Numbers   []float64           // [N,len(NumberColumns)]; NaN is a missing cell
	Texts     map[string][]string // [N] of each of TextColumns; "" is a missing cell
	Sequences []string            // [N]; nil where rows have none
}

// NumberColumns are the input columns of a file that hold numbers, in order.
func (s Schema) NumberColumns() []string {
	return s.namesOf(func(c InputColumn) bool { return c.Values == nil })
}

// TextColumns are the input columns of a file that hold words, in order.
func (s Schema) TextColumns() []string {
	return s.namesOf(func(c InputColumn) bool { return c.Values != nil })
}

func (s Schema) namesOf(want func(InputColumn) bool) (names []string) {
	for _, c := range s.FileColumns() {
		if want(c) {
			names = append(names, c.Name)
		}
	}
	return names
}

// SequenceColumn is what the sequences of rows are called: their column or, where a file has no
// columns, "sequence". It is "" where rows have none.
func (s Schema) SequenceColumn() string {
	switch {
	case s.Alphabet == nil:
		return ""
	case s.Sequence == "":
		return sequenceName
	}
	return s.Sequence
}

const sequenceName = "sequence"

// NumbersName is what a tensor of all columns of numbers is called: "inputs", unless a column of
// words or sequences is.
func (s Schema) NumbersName() string {
	name := "inputs"
	for slices.Contains(s.TextColumns(), name) || name == s.SequenceColumn() {
		name += "_"
	}
	return name
}

// InputColumns are the names of all input columns of a file, in order; that of sequences is the
// last.
func (s Schema) InputColumns() []string {
	names := s.namesOf(func(InputColumn) bool { return true })
	if name := s.SequenceColumn(); name != "" {
		names = append(names, name)
	}
	return names
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
			v, hot, missing := 0.0, -1, false
			if c.Values == nil {
				v, numbers = numbers[0], numbers[1:]
				if missing = math.IsNaN(v); missing {
					v = c.Fill
				} else if !(math.Abs(v) <= largest) {
					return nil, errorf("",
						"row %d: found %s in column %s, which is beyond ±%g: only smaller numbers can be used", i+1,
						number(v), quote(c.Name), largest)
				}
			} else {
				cell := strings.TrimSpace(g.Texts[c.Name][i])
				hot = indexOf(c.Values, cell)
				missing = hot < 0 && (isMissing(cell) || isDoubtful(cell))
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
			if slices.Contains(c.Values, cell) || isMissing(cell) || isDoubtful(cell) {
				continue
			}
			if n++; n == 1 {
				first = i
			}
		}
		if n > 0 {
			warnings = append(warnings, unknownWord(fmt.Sprintf("row %d", first+1), g.Texts[c.Name][first], c.Name, n))
		}
	}
	return warnings
}

// unknownWord is about a word that the training data do not have, the first of so many.
func unknownWord(where, cell, column string, n int) string {
	others := ""
	if n > 1 {
		others = fmt.Sprintf(", the first of %d new cells", n)
	}
	return fmt.Sprintf("%s: %s in column %s is not in the training data%s: all inputs of the column are 0 there",
		where, quote(cell), quote(column), others)
}

// parseNumberCell reads a cell of a column of numbers as a file's reader does: "" and words for
// missing values are NaN.
func parseNumberCell(cell string) (float64, error) {
	cell = strings.TrimSpace(cell)
	if isMissing(cell) || isDoubtful(cell) {
		return math.NaN(), nil
	}
	v, err := parseNumber(cell)
	if err != nil && !isRange(err) {
		return 0, errorf("", "found %s, which must be a number", quote(cell))
	}
	return v, nil
}
