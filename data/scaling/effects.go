package scaling

import (
	"fmt"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/matrix"
)

// CategoryEffects replaces each column of numbered words by inputs: the effects of its words on the targets, or on the
// indicators of classes, in standard deviations. A word that no training row has, and a missing one, has effect 0. It
// is fitted on training rows and kept in the model. Nil CategoryEffects change nothing.
type CategoryEffects struct {
	Columns []ColumnEffects `json:"columns"` // in the order of the columns
	Targets []string        `json:"targets"` // names of the P targets or classes that each column has an input for
}

// ColumnEffects are the effects of the words of one column.
type ColumnEffects struct {
	At     int       `json:"at"`    // position among the columns of a row
	Words  int       `json:"words"` // number of words
	Values []float64 `json:"-"`     // effects [Words,P], in single precision
}

// Width returns the number of inputs of rows with d columns.
func (e *CategoryEffects) Width(d int) int {
	if e == nil {
		return d
	}
	return d + len(e.Columns)*(len(e.Targets)-1)
}

// Apply returns a data set with effects in place of numbered words. It returns a set that has them already unchanged.
func (e *CategoryEffects) Apply(d *data.Dataset) *data.Dataset {
	if e == nil || d == nil || d.IsProjected() {
		return d
	}
	n, columns := matrix.Size(d.X)
	x := make([]float64, 0, n*e.Width(columns))
	row := make([]float64, columns)
	for i := range n {
		x = e.append(x, matrix.Row(row, d.X, i))
	}
	return d.WithFeatures(matrix.New(n, e.Width(columns), x), e.names(d.Columns), false)
}

// append adds the inputs of a row.
func (e *CategoryEffects) append(to, row []float64) []float64 {
	at, p := 0, len(e.Targets)
	for _, c := range e.Columns {
		to = append(to, row[at:c.At]...)
		if k := int(row[c.At]); k >= 0 {
			to = append(to, c.Values[k*p:(k+1)*p]...)
		} else {
			to = append(to, make([]float64, p)...)
		}
		at = c.At + 1
	}
	return append(to, row[at:]...)
}

// ZeroColumns returns the columns, of all columns of a row, whose words have no effect on any target.
func (e *CategoryEffects) ZeroColumns(columns []string) (names []string) {
	for _, c := range e.Columns {
		if !slices.ContainsFunc(c.Values, func(v float64) bool { return v != 0 }) {
			names = append(names, columns[c.At])
		}
	}
	return names
}

// names returns the names of the inputs, from those of the columns.
func (e *CategoryEffects) names(columns []string) (names []string) {
	at := 0
	for _, c := range e.Columns {
		names = append(names, columns[at:c.At]...)
		for _, target := range e.Targets {
			if len(e.Targets) == 1 {
				names = append(names, columns[c.At])
			} else {
				names = append(names, fmt.Sprintf("effect of %s on %s", columns[c.At], target))
			}
		}
		at = c.At + 1
	}
	return append(names, columns[at:]...)
}

// LengthScales returns length-scales of the columns, from those of the inputs: of a column of words, the shortest one.
// Nil stays nil.
func (e *CategoryEffects) LengthScales(inputs []float64) (lengths []float64) {
	if e == nil || inputs == nil {
		return inputs
	}
	p := len(e.Targets)
	for _, c := range e.Columns {
		numbers := c.At - len(lengths)
		lengths = append(append(lengths, inputs[:numbers]...), slices.Min(inputs[numbers:numbers+p]))
		inputs = inputs[numbers+p:]
	}
	return append(lengths, inputs...)
}

// Check reports the faults of CategoryEffects of a file, for the numbered words of the schema.
func (e *CategoryEffects) Check(s data.Schema) error {
	words := s.NumberedWords()
	if e == nil && words == nil {
		return nil
	}
	if e == nil || len(e.Columns) != len(words) || len(e.Targets) < 1 {
		return fmt.Errorf("%d columns of words without their effects", len(words))
	}
	for i, c := range e.Columns {
		if c.At != words[i].At || c.Words != len(words[i].Words) {
			return fmt.Errorf("effects of %d words in column %d, which has %d", c.Words, c.At, len(words[i].Words))
		}
	}
	return nil
}
