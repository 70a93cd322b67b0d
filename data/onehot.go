package data

import (
	"io"
	"slices"
)

// OneHot is a column of text that became an input for each of its values: 1 where the cell has
// that value, else 0.
type OneHot struct {
	Column string   `json:"column"`
	At     int      `json:"at"` // position among the input columns of the file, from 0
	Values []string `json:"values"`
}

// InputColumn is an input column of a file, and what becomes of its cells.
type InputColumn struct {
	Name    string
	Values  []string // of words, each of which is an input; nil where cells are numbers
	Boolean bool     // true and false are numbers, too
	Fill    float64  // of a missing number, with MissingImpute; NaN where it is not known yet
	Flag    bool     // an input says whether the cell is missing; it follows the others
}

// FileColumns are the input columns of a file but that of sequences, in order.
func (s Schema) FileColumns() (columns []InputColumn) {
	hot, fills := s.OneHot, s.Fills
	for i := 0; i < len(s.Columns); {
		c, at := InputColumn{Name: s.Columns[i]}, len(columns)
		if len(hot) > 0 && hot[0].At == at {
			c.Name, c.Values, hot = hot[0].Column, hot[0].Values, hot[1:]
		}
		c.Boolean = slices.Contains(s.Booleans, c.Name)
		if len(fills) > 0 && fills[0].At == at {
			c.Fill, c.Flag, fills = fills[0].Value, fills[0].Flag, fills[1:]
		}
		columns, i = append(columns, c), i+c.width()
	}
	return columns
}

// width is how many inputs the column becomes.
func (c InputColumn) width() int {
	n := max(1, len(c.Values))
	if c.Flag {
		n++
	}
	return n
}

// checkOneHot says whether the expanded names are those of the columns.
func (s Schema) checkOneHot() bool {
	for _, h := range s.OneHot {
		if len(h.Values) == 0 {
			return false
		}
	}
	return slices.Equal(expanded(s.FileColumns()), s.Columns)
}

// expanded are the names of the inputs: colour=red and colour=blue for the column colour.
func expanded(columns []InputColumn) []string {
	var names []string
	for _, c := range columns {
		if c.Values == nil {
			names = append(names, c.Name)
		}
		for _, v := range c.Values {
			names = append(names, c.Name+"="+v)
		}
		if c.Flag {
			names = append(names, c.Name+"=missing")
		}
	}
	return names
}

// append adds the inputs of a cell: its number v, or a 1 at the word of number hot; −1 is none.
func (c InputColumn) append(to []float64, v float64, hot int, missing bool) []float64 {
	if c.Values == nil {
		to = append(to, v)
	}
	for k := range c.Values {
		to = append(to, oneIf(k == hot))
	}
	if c.Flag {
		to = append(to, oneIf(missing))
	}
	return to
}

func oneIf(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// describe says in a schema what becomes of the columns.
func (s *Schema) describe(columns []InputColumn, missing string) {
	s.Columns = expanded(columns)
	for at, c := range columns {
		if c.Values != nil {
			s.OneHot = append(s.OneHot, OneHot{c.Name, at, c.Values})
		}
		if c.Boolean {
			s.Booleans = append(s.Booleans, c.Name)
		}
		if missing == MissingImpute && (c.Values == nil || c.Flag) {
			s.Fills = append(s.Fills, Fill{c.Name, at, c.Fill, c.Flag})
		}
	}
}

// rewind goes back to the start of the file.
func (in *input) rewind() (err error) {
	src, ok := in.src.(io.Seeker)
	if ok {
		_, err = src.Seek(0, io.SeekStart)
	}
	if !ok || err != nil {
		return errorf(in.name, "is read twice, which is not possible here: give a file")
	}
	in.bytes, in.head, err = unzipped(in.name, in.src)
	return err
}
