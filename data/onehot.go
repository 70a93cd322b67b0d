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

// inputColumn is an input column of a file.
type inputColumn struct {
	name    string
	values  []string // of text; nil where cells are numbers
	boolean bool     // true and false are numbers, too
	fill    float64  // what a missing number becomes; NaN where that is not known yet
	flag    bool     // an input of its own says that the cell is missing
}

// fileColumns are the input columns of a file that the schema describes.
func (s Schema) fileColumns() []inputColumn {
	var columns []inputColumn
	hot, fills := s.OneHot, s.Fills
	for i := 0; i < len(s.Columns); {
		c, at := inputColumn{name: s.Columns[i]}, len(columns)
		if len(hot) > 0 && hot[0].At == at {
			c.name, c.values, hot = hot[0].Column, hot[0].Values, hot[1:]
		}
		c.boolean = slices.Contains(s.Booleans, c.name)
		if len(fills) > 0 && fills[0].At == at {
			c.fill, c.flag, fills = fills[0].Value, fills[0].Flag, fills[1:]
		}
		columns, i = append(columns, c), i+c.width()
	}
	return columns
}

// width is how many inputs the column becomes.
func (c inputColumn) width() int {
	n := max(1, len(c.values))
	if c.flag {
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
	return slices.Equal(expanded(s.fileColumns()), s.Columns)
}

// expanded are the names of the inputs: colour=red and colour=blue for the column colour.
func expanded(columns []inputColumn) []string {
	var names []string
	for _, c := range columns {
		if c.values == nil {
			names = append(names, c.name)
		}
		for _, v := range c.values {
			names = append(names, c.name+"="+v)
		}
		if c.flag {
			names = append(names, c.name+"=missing")
		}
	}
	return names
}

func oneHots(columns []inputColumn) (hot []OneHot) {
	for i, c := range columns {
		if c.values != nil {
			hot = append(hot, OneHot{c.name, i, c.values})
		}
	}
	return hot
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
