package scaling

import (
	"fmt"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/matrix"
)

// CategoryEffects replaces each column of numbered words, or of codes, by inputs: the effects of its words on the
// targets, or on the indicators of classes, in standard deviations. A word that no training row has, and a missing one,
// has effect 0. It is fitted on training rows and kept in the model. Nil CategoryEffects change nothing.
type CategoryEffects struct {
	Columns []ColumnEffects `json:"columns"` // in the order of the columns
	Targets []string        `json:"targets"` // names of the P targets or classes that each column has an input for
}

// ColumnEffects are the effects of the words, or codes, of one column.
type ColumnEffects struct {
	At     int       `json:"at"`               // position among the columns of a row
	Words  int       `json:"words"`            // number of words or codes
	Codes  []float64 `json:"codes,omitempty"`  // in order; nil for words
	Spread []float64 `json:"spread,omitempty"` // standard deviation of the effects of all words, new ones too [P]
	Values []float64 `json:"-"`                // effects [Words,P], in single precision
}

// word returns the number of the word or code of a cell; −1 for a new or missing one.
func (c ColumnEffects) word(cell float64) int {
	if c.Codes == nil {
		return int(cell)
	}
	if k, known := slices.BinarySearch(c.Codes, cell); known {
		return k
	}
	return -1
}

// Width returns the number of inputs of rows with d columns.
func (e *CategoryEffects) Width(d int) int {
	if e == nil {
		return d
	}
	return d + len(e.Columns)*(len(e.Targets)-1)
}

// Inputs returns the position of the first effect of each column among the inputs.
func (e *CategoryEffects) Inputs() (at []int) {
	for k, c := range e.Columns {
		at = append(at, c.At+k*(len(e.Targets)-1))
	}
	return at
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
		if k := c.word(row[c.At]); k >= 0 {
			to = append(to, c.Values[k*p:(k+1)*p]...)
		} else {
			to = append(to, make([]float64, p)...)
		}
		at = c.At + 1
	}
	return append(to, row[at:]...)
}

// CodeColumns returns the positions of the columns of codes.
func (e *CategoryEffects) CodeColumns() (at []int) {
	if e == nil {
		return nil
	}
	for _, c := range e.Columns {
		if c.Codes != nil {
			at = append(at, c.At)
		}
	}
	return at
}

// EffectiveCodes returns the positions of the columns of codes that have effects.
func (e *CategoryEffects) EffectiveCodes() []int {
	return slices.DeleteFunc(e.CodeColumns(), func(at int) bool {
		return slices.ContainsFunc(e.Columns, func(c ColumnEffects) bool { return c.At == at && c.isZero() })
	})
}

// ZeroColumns returns the columns of words, of all columns of a row, without an effect on any target.
func (e *CategoryEffects) ZeroColumns(columns []string) (names []string) {
	for _, c := range e.Columns {
		if c.Codes == nil && c.isZero() {
			names = append(names, columns[c.At])
		}
	}
	return names
}

// isZero reports whether no word has an effect.
func (c ColumnEffects) isZero() bool {
	return !slices.ContainsFunc(c.Values, func(v float64) bool { return v != 0 })
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

// LengthScales returns length-scales of the columns, from those of the inputs: of a column of words or codes, the
// shortest one. Nil stays nil.
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
	if e == nil || len(e.Targets) < 1 {
		return fmt.Errorf("%d columns of words without their effects", len(words))
	}
	end := 0 // of the columns so far
	for i, c := range e.Columns {
		isWords := len(words) > 0 && words[0].At == c.At
		switch {
		case c.At < end || c.At >= len(s.Columns), isWords == (c.Codes != nil),
			c.Spread != nil && len(c.Spread) != len(e.Targets):
			return fmt.Errorf("effects of a column %d, the %d. of %d", c.At, i+1, len(e.Columns))
		case isWords && c.Words != len(words[0].Words), !isWords && c.Words != len(c.Codes):
			return fmt.Errorf("effects of %d words in column %d, which has others", c.Words, c.At)
		case !slices.IsSorted(c.Codes):
			return fmt.Errorf("codes of column %d that are not in order", c.At)
		}
		if isWords {
			words = words[1:]
		}
		end = c.At + 1
	}
	if len(words) > 0 {
		return fmt.Errorf("words of column %d without their effects", words[0].At)
	}
	return nil
}
