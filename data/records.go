package data

import (
	"bytes"
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
	csv    *csv.Reader
	guard  *guard
	header []string // column names, nil where the file has none
	width  int
	row    []string // the current row, valid until next is called
	line   int      // the line where row starts
	before int      // lines before the table
	first  bool     // row is the first data row and was not yet asked for
}

// newRecords finds separator and header. It has read the first row on return.
func newRecords(in *input) (*records, error) {
	head, err := in.text()
	if err != nil {
		return nil, err
	}
	name, g := in.name, &guard{src: in.bytes, limits: in.lim}
	rec := &records{name: name, csv: csv.NewReader(g), guard: g}
	rec.csv.Comma = separator(head)
	var names []string
	if isARFF(in.head) {
		if names, rec.before, err = in.arffHeader(); err != nil {
			return nil, err
		}
		rec.csv.Comma, rec.csv.Comment = ',', '%'
	}
	rec.csv.FieldsPerRecord = -1 // a ragged row gets our own message
	rec.csv.ReuseRecord = true
	if err := rec.read(); err == io.EOF {
		return nil, errorf(name, "is empty: a table with at least one row is needed")
	} else if err != nil {
		return nil, err
	}
	rec.width = len(rec.row)
	if names != nil {
		if len(names) != rec.width {
			return nil, &Error{File: name, Line: rec.line, Msg: fmt.Sprintf("this row has %s, but there are %d lines @attribute",
				plural(rec.width, "cell"), len(names))}
		}
		row := rec.row
		rec.row = names
		err := rec.takeHeader()
		rec.row, rec.first = row, true
		return rec, err
	}
	if !isHeader(rec.row) {
		rec.first = true
		return rec, nil
	}
	return rec, rec.takeHeader()
}

func (r *records) takeHeader() error {
	r.header = make([]string, r.width)
	seen := make(map[string]int, r.width)
	for i, cell := range r.row {
		name := strings.Clone(strings.TrimSpace(cell))
		if name == "" {
			return r.cellError(i, "column %d of the header has no name: name it, or remove the column if it only numbers the rows", i+1)
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
		return &Error{File: r.name, Line: r.line, Msg: fmt.Sprintf("this row has %s, the first row has %d: every row needs the same",
			plural(len(r.row), "cell"), r.width)}
	}
	return nil
}

func (r *records) read() error {
	r.guard.mark = r.csv.InputOffset()
	row, err := r.csv.Read()
	var pe *csv.ParseError
	switch {
	case err == nil:
		r.row = row
		r.line, _ = r.csv.FieldPos(0)
		r.line += r.before
		return nil
	case err == io.EOF:
		return err
	case errors.Is(err, errTextLimit), errors.Is(err, errRecordLimit):
		return r.limitError(err)
	case errors.As(err, &pe):
		return r.quoteError(pe)
	}
	return readError(r.name, err)
}

// quoteError words what encoding/csv found wrong with the quotes of a row.
func (r *records) quoteError(pe *csv.ParseError) error {
	if errors.Is(pe.Err, csv.ErrBareQuote) {
		return &Error{File: r.name, Line: pe.Line + r.before, Column: pe.Column, Err: pe,
			Msg: `found a " inside a cell that does not start with one: remove it, or quote the whole cell`}
	}
	return &Error{File: r.name, Line: pe.StartLine + r.before, Err: pe,
		Msg: `a quoted cell of this row is not closed, or goes on after its closing ": check its quotes`}
}

// limitError words the two errors of guard.
func (r *records) limitError(err error) error {
	e := &Error{File: r.name, Err: err}
	if errors.Is(err, errTextLimit) {
		e.Msg = "holds more than " + humanize.IBytes(uint64(r.guard.limits.text)) + " of text: too large to read, take a part of it"
		return e
	}
	e.Msg = fmt.Sprintf("the row after line %d is longer than %s: a quote may be left open, or this is no table",
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
	line, column := r.csv.FieldPos(i)
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

// isHeader: a row with any text in it names the columns. An empty cell is a missing
// value rather than a name.
func isHeader(row []string) bool { return slices.ContainsFunc(row, isText) }

func isText(cell string) bool {
	cell = strings.TrimSpace(cell)
	_, err := parseNumber(cell)
	return cell != "" && err != nil && !errors.Is(err, strconv.ErrRange)
}

// doubtfulHeader reports a header with numbers in it, which may be a row with a
// mistyped cell, and its text.
func (r *records) doubtfulHeader() (text string, doubtful bool) {
	at := slices.IndexFunc(r.header, isText)
	if at < 0 {
		return "", false
	}
	return r.header[at], slices.ContainsFunc(r.header, func(name string) bool { return !isText(name) })
}

// separator is the one of tab, semicolon and comma that cuts the first lines into the
// same number of cells, more than one. Where several do, the tab comes before the
// semicolon, and that before the comma, which may be a decimal comma.
func separator(head []byte) rune {
	lines := firstLines(head, 5)
	best, most := ',', 0
	for _, sep := range "\t;," {
		count := strings.Count(lines[0], string(sep))
		same := count > 0
		for _, line := range lines[1:] {
			same = same && strings.Count(line, string(sep)) == count
		}
		if same {
			return sep
		}
		if count > most {
			best, most = sep, count
		}
	}
	return best
}

// firstLines are up to n whole lines that are not blank, without what is quoted; the
// first line in any case.
func firstLines(head []byte, n int) []string {
	var lines []string
	var line []byte
	quoted := false
	for _, c := range head {
		switch {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c != '\n':
			line = append(line, c)
		case len(bytes.TrimSpace(line)) > 0:
			lines = append(lines, string(line))
			if len(lines) == n {
				return lines
			}
			line = line[:0]
		}
	}
	if len(lines) == 0 {
		lines = append(lines, string(line))
	}
	return lines
}
