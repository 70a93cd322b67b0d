package data

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// OneHot is a column of text that became an input for each of its values: 1 where the cell has
// that value, else 0.
type OneHot struct {
	Column string   `json:"column"`
	At     int      `json:"at"` // position among the input columns of the file, from 0
	Values []string `json:"values"`
}

// mostTexts is how many different texts a column may have.
const mostTexts = 1000

// inputColumn is an input column of a file; values is nil where its cells are numbers.
type inputColumn struct {
	name   string
	values []string
}

// fileColumns are the input columns of a file that the schema describes.
func (s Schema) fileColumns() []inputColumn {
	var columns []inputColumn
	hot := s.OneHot
	for i := 0; i < len(s.Columns); {
		if len(hot) > 0 && hot[0].At == len(columns) {
			columns = append(columns, inputColumn{hot[0].Column, hot[0].Values})
			i, hot = i+len(hot[0].Values), hot[1:]
			continue
		}
		columns = append(columns, inputColumn{name: s.Columns[i]})
		i++
	}
	return columns
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

// findTexts reads all rows to find the columns with text and their values.
func (l *layout) findTexts(rec *records) error {
	seen := make([]map[string]bool, len(l.inputs))
	text := make([]bool, len(l.inputs))
	for j := range seen {
		seen[j] = map[string]bool{}
	}
	for {
		if err := rec.next(); err == io.EOF {
			break
		} else if err != nil {
			return err
		}
		for j, i := range l.inputs {
			cell := strings.TrimSpace(rec.row[i])
			if cell == "" || isMissing(cell) {
				continue // reading the values says where it is
			}
			text[j] = text[j] || isText(cell)
			if len(seen[j]) <= mostTexts && !seen[j][cell] {
				seen[j][strings.Clone(cell)] = true
			}
			if text[j] && len(seen[j]) > mostTexts {
				return rec.cellError(i, "found %s in column %s, which has more than %d different values: correct the cell, or remove the column",
					quote(cell), quote(l.columns[j].name), mostTexts)
			}
		}
	}
	for j := range l.columns {
		if !text[j] {
			continue
		}
		for value := range seen[j] {
			l.columns[j].values = append(l.columns[j].values, value)
		}
		slices.Sort(l.columns[j].values)
		l.notes = append(l.notes, fmt.Sprintf("%s: column %s is text and becomes %s, one for each of %s", rec.name,
			quote(l.columns[j].name), plural(len(l.columns[j].values), "input"), list(l.columns[j].values)))
	}
	return nil
}

// rewind goes back to the start of the file.
func (in *input) rewind() (err error) {
	src, ok := in.src.(io.Seeker)
	if ok {
		_, err = src.Seek(0, io.SeekStart)
	}
	if !ok || err != nil {
		return errorf(in.name, "is read twice for one-hot inputs, which cannot be done here: give a file")
	}
	in.bytes, in.head, err = unzipped(in.name, in.src)
	return err
}
