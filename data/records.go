package data

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
)

// records reads the rows of a table as text cells, knowing where each stands.
type records struct {
	name   string
	rows   rowReader
	guard  *guard
	style  style
	header []string // column names, nil where the file has none
	bare   []bool   // which of them the file leaves empty
	types  []arffType
	width  int
	row    []string // the current row, valid until next is called
	line   int      // the line where row starts
	before int      // lines before the table
	first  bool     // row is the first data row and was not yet asked for
}

// newRecords finds out how the table is written. It has read the first row on return.
func newRecords(in *input) (*records, error) {
	if isColumns(in.head) {
		rec := &records{name: in.name, guard: &guard{}}
		return rec, rec.openColumns(in)
	}
	head, err := in.text()
	if err != nil {
		return nil, err
	}
	rec := &records{name: in.name, guard: &guard{src: in.bytes, limits: in.lim}}
	switch {
	case isARFF(in.head):
		return rec, rec.openARFF(in)
	case isJSONRows(in.head):
		return rec, rec.openJSON(in)
	}
	dialect := in.opt.Dialect
	if err := dialect.check(); err != nil {
		return nil, err
	}
	var known []string
	if in.opt.Like != nil {
		known = in.opt.Like.names()
	}
	head = in.someRows(head)
	rec.guard.src = in.bytes
	rec.style = findStyle(head, dialect, known)
	rec.rows = rec.style.rows(rec.guard)
	if err := rec.readFirst(); err != nil {
		return nil, err
	}
	switch {
	case rec.style.header:
		return rec, rec.takeHeader()
	case rec.style.names != nil:
		return rec, rec.nameColumns(rec.style.names)
	}
	rec.first = true
	return rec, nil
}

// readFirst reads the first row, which says how wide the table is.
func (r *records) readFirst() error {
	if err := r.read(); err == io.EOF {
		return errorf(r.name, "is empty: a table with at least one row is needed")
	} else if err != nil {
		return err
	}
	r.width = len(r.row)
	return nil
}

// nameColumns takes names that stand outside the table. Its first row is one of data.
func (r *records) nameColumns(names []string) error {
	row := r.row
	r.row = names
	err := r.takeHeader()
	r.row, r.first = row, true
	return err
}

func (r *records) takeHeader() error {
	r.header, r.bare = make([]string, r.width), make([]bool, r.width)
	seen := make(map[string]int, r.width)
	for i, cell := range r.row {
		name := strings.Clone(strings.TrimSpace(cell))
		// pandas' word
		if r.bare[i] = name == "" || strings.HasPrefix(name, "Unnamed: "); name == "" {
			name = "column " + strconv.Itoa(i+1)
		}
		if j, twice := seen[name]; twice {
			return r.cellError(i, "columns %d and %d are both named %s: names must differ", j+1, i+1, quote(name))
		}
		r.header[i], seen[name] = name, i
	}
	return nil
}

// next reads one data row into r.row; io.EOF after the last.
func (r *records) next() error {
	if r.first {
		r.first = false
		return nil
	}
	if err := r.read(); err != nil {
		return err
	}
	if len(r.row) != r.width {
		return &Error{File: r.name, Line: r.line, row: true, Msg: fmt.Sprintf(
			"this row has %s, the first row has %d: every row needs the same", plural(len(r.row), "cell"), r.width)}
	}
	return nil
}

func (r *records) read() error {
	r.guard.mark = r.rows.InputOffset()
	row, err := r.rows.Read()
	var pe *csv.ParseError
	switch {
	case err == nil:
		r.row = row
		r.line, _ = r.rows.FieldPos(0)
		r.line += r.before
		return nil
	case err == io.EOF:
		return err
	case isLimit(err):
		return r.limitError(err)
	case errors.As(err, new(*Error)):
		return err
	case errors.As(err, &pe):
		r.row = row // the cells before the quote
		return r.quoteError(pe)
	}
	return readError(r.name, err)
}

// quoteError words what encoding/csv found wrong with the quotes of a row.
func (r *records) quoteError(pe *csv.ParseError) error {
	if errors.Is(pe.Err, csv.ErrBareQuote) {
		return &Error{File: r.name, Line: pe.Line + r.before, Column: pe.Column, Err: pe, row: true,
			Msg: `found a " inside a cell that does not start with one: remove it, or quote the whole cell`}
	}
	return &Error{File: r.name, Line: pe.StartLine + r.before, Err: pe,
		Msg: `a quoted cell of this row is not closed, or has text after its closing ": check its quotes`}
}

// limitError words the two errors of guard.
func (r *records) limitError(err error) error {
	e := &Error{File: r.name, Err: err}
	if errors.Is(err, errTextLimit) {
		e.Msg = "holds more than " + humanize.IBytes(uint64(r.guard.limits.text)) +
			" of text: too large to read, take a part of it"
		return e
	}
	e.Msg = fmt.Sprintf("the row after line %d is longer than %s: a quote may be left open, or this is not a table",
		r.line, humanize.IBytes(uint64(r.guard.limits.record)))
	return e
}

// cellError is an Error at cell i of the current row.
func (r *records) cellError(i int, format string, args ...any) *Error {
	at := r.placeOf(i)
	return &Error{File: r.name, Line: at.line, Column: at.column, Msg: fmt.Sprintf(format, args...)}
}

// placeOf is where cell i of the current row stands.
func (r *records) placeOf(i int) place {
	line, column := r.rows.FieldPos(i)
	return place{line + r.before, column}
}

// columnName is the name of column i in the file, given or made up.
func (r *records) columnName(i int) string {
	if r.header != nil {
		return r.header[i]
	}
	return "x" + strconv.Itoa(i)
}

func (r *records) columnNames() []string {
	names := make([]string, r.width)
	for i := range names {
		names[i] = r.columnName(i)
	}
	return names
}

// hasType: the file says that column i is of one of these types.
func (r *records) hasType(i int, kinds ...string) bool {
	return r.types != nil && slices.Contains(kinds, r.types[i].kind)
}

// doubtfulHeader reports a header with numbers in it, which may be a row with a
// mistyped cell, and its text.
func (r *records) doubtfulHeader() (text string, doubtful bool) {
	at := slices.IndexFunc(r.header, isText)
	if at < 0 || r.style.names != nil || r.types != nil {
		return "", false
	}
	return r.header[at], slices.ContainsFunc(r.header, func(name string) bool { return !isText(name) })
}

func isText(cell string) bool {
	var s style
	return s.isText(cell)
}
