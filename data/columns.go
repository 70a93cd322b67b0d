package data

import (
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
	"github.com/gpdrf/gpdrf-gpu/internal/tablefile"
)

// columnRows are the rows of a file of typed columns. They have no lines: a place is a row and a column, both counted
// from 1.
type columnRows struct {
	tablefile.Reader
	columns []tablefile.Column
	name    string
	row     int
	spared  map[int]bool // columns that are not read, whatever they hold
}

func (c *columnRows) Read() ([]string, error) {
	c.row++
	cells, err := c.Reader.Read()
	if err != nil && err != io.EOF {
		err = &Error{File: c.name, Line: c.row, Msg: err.Error(), Err: err}
	}
	for i, cell := range cells { // the writer of a file need not have checked its texts
		fault := ""
		if strings.IndexByte(cell, 0) >= 0 {
			fault = zeroByte
		} else if !utf8.ValidString(cell) {
			fault = "is not UTF-8 text (" + phrase.Quote(cell) + ")"
		}
		if fault != "" && !c.spared[i] {
			return nil, errorAt(c.name, position{c.row, i + 1}, "%s: write the column as text, or leave it out with "+
				"%s %d", fault, asFlag("ignore"), i+1)
		}
	}
	return cells, err
}

func (c *columnRows) isNumber(cell int) bool              { return !c.columns[cell].Text }
func (c *columnRows) FieldPos(cell int) (row, column int) { return c.row, cell + 1 }
func (c *columnRows) InputOffset() int64                  { return 0 }

// isColumns looks at the first bytes: typed columns are in Parquet and Arrow files.
func isColumns(head []byte) bool {
	return tablefile.IsParquet(head) || tablefile.IsArrow(head) || tablefile.IsArrowStream(head)
}

// openColumns reads the names of the columns, and the first row.
func (r *records) openColumns() error {
	rows, err := r.input.columns()
	if err != nil {
		return err
	}
	columns := rows.Columns()
	if len(columns) == 0 {
		return r.errorf("has no columns: a table with at least one row is needed")
	}
	names := mapSlice(columns, func(c tablefile.Column) string { return c.Name })
	r.rows = &columnRows{Reader: rows, columns: columns, name: r.name, spared: r.spared(names)}
	r.dialect = detectedDialect{separator: ',', names: names}
	r.noCells, r.indexes = map[int]string{}, map[int]bool{}
	for i, c := range columns {
		r.indexes[i] = c.Index
		if c.Unread != "" {
			r.noCells[i] = c.Unread
		}
	}
	if err := r.readFirst(); err != nil {
		return err
	}
	return r.nameColumns(names)
}

// spared returns the places of the columns that a user has left out, or that a model does not know.
func (in *input) spared(names []string) map[int]bool {
	ignored, _ := columnsNamed(in.name, in.opt.Ignore, names, "") // the layout reports the error
	all := setOf(ignored)
	if like := in.opt.Schema; like != nil {
		known := setOf(slices.Concat(like.InputColumns(), like.Outputs(), []string{like.ID}))
		delete(known, "") // the name "" stands for no column of row names
		for i, name := range names {
			all[i] = !known[name]
		}
		// The layout reports the error of another name.
		if i, err := columnNamed(in.name, in.opt.ID, names, ""); err == nil && in.opt.ID != "" {
			all[i] = false
		}
	}
	return all
}

func (in *input) columns() (rows tablefile.Reader, err error) {
	from, err := tablefile.Linked()
	switch {
	case err != nil:
	case tablefile.IsArrowStream(in.head):
		rows, err = from.OpenArrowStream(in.bytes)
	default: // the index is at the end of the file
		size, seekErr := in.src.Seek(0, io.SeekEnd)
		magic := make([]byte, min(8, len(in.head)))
		if n, _ := in.src.ReadAt(magic, 0); seekErr != nil || n < len(magic) || !isColumns(magic) {
			return nil, in.errorf("is a file that cannot be read from its end: undo its gzip")
		}
		open := from.OpenParquet
		if tablefile.IsArrow(in.head) {
			open = from.OpenArrow
		}
		rows, err = open(in.src, size)
	}
	if err != nil {
		return nil, &Error{File: in.name, Msg: err.Error(), Err: err}
	}
	return rows, nil
}
