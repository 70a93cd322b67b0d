package data

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/gpdrf/gpdrf-gpu/data/matrix"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
)

// records reads the rows of a table as text cells, and knows the place of each.
type records struct {
	*input
	rows    rowReader
	guard   *guardReader
	dialect detectedDialect
	header  []string // column names, nil if the file has none
	bare    []bool   // columns whose names the file leaves empty
	types   []string // types of the columns of an ARFF table, such as numeric and nominal
	width   int
	row     []string // the current row, valid until next is called
	// Notations of columns whose numbers are not plain, nil for others; nil without such columns.
	notations []*Notation
	written   []string // the current row as it is written in the file
	strays    []bool   // cells of the row that do not have the notation of their column
	line      int      // line where the row starts
	before    int      // number of lines before the table
	titles    int      // number of these lines that are above the names of the columns
	first     bool     // row is the first data row and was not requested yet
	// Types of columns that cannot be read, such as lists.
	noCells map[int]string
	indexes map[int]bool // columns that a file of typed columns calls an index of pandas
}

// newRecords finds out how the table is written, and reads the first row.
func newRecords(in *input) (*records, error) {
	if isColumns(in.head) {
		rec := &records{input: in, guard: &guardReader{}}
		return rec, rec.openColumns()
	}
	rec := &records{input: in, guard: &guardReader{src: in.bytes, limits: in.lim}}
	switch {
	case isARFF(in.head):
		return rec, rec.openARFF()
	case isJSONRows(in.head):
		if fault := tableFault(in.head); fault != "" {
			return nil, in.errorf("%s", fault)
		}
		return rec, rec.openJSON()
	case isGraphArray(in.head):
		return nil, in.errorf("is an array of graphs in JSON: write each of its graphs on a line of its own, without " +
			"[, ] and commas between them")
	case in.opt.Sequence == "" && (in.opt.Schema == nil || in.opt.Schema.Sequence == "") && inBrackets(in.head):
		return nil, in.errorf("has rows in brackets: write them without brackets as CSV, or in JSON as " +
			"{\"column\": value, …}")
	}
	dialect := in.opt.Dialect
	var known, inputs []string
	if in.opt.Schema != nil {
		known, inputs = in.opt.Schema.names(), in.opt.Schema.InputColumns()
	}
	head := rec.skipTitles(in.someRows(), &dialect)
	rec.guard.src = in.bytes
	if rec.dialect = detectDialect(head, dialect, known, inputs); rec.dialect.singleColumn {
		rec.guard.src = &blankRowReader{src: in.bytes, comments: rec.dialect.comments, beforeHeader: rec.dialect.header,
			most: in.lim.record}
	}
	rec.rows = rec.dialect.rows(rec.guard)
	if err := rec.readFirst(); err != nil {
		return nil, err
	}
	switch {
	case rec.dialect.header:
		err := rec.takeHeader(rec.row)
		if rec.dialect.rowNames {
			rec.header, rec.bare = slices.Insert(rec.header, 0, "row names"), slices.Insert(rec.bare, 0, true)
			rec.width++
		}
		return rec, err
	case rec.dialect.names != nil:
		return rec, rec.nameColumns(rec.dialect.names)
	}
	rec.first = true
	return rec, nil
}

// readFirst reads the first row, whose width is that of the table.
func (r *records) readFirst() error {
	if err := r.read(); err == io.EOF {
		return r.errorf("is empty: a table with at least one row is needed")
	} else if err != nil {
		return err
	}
	r.width = len(r.row)
	return nil
}

// nameColumns sets names that do not stand in the table. Its first row is one of data.
func (r *records) nameColumns(names []string) error {
	r.first = true
	return r.takeHeader(names)
}

func (r *records) takeHeader(names []string) error {
	r.header, r.bare = make([]string, r.width), make([]bool, r.width)
	seen := make(map[string]int, r.width)
	for i, cell := range names {
		name := strings.Clone(strings.TrimSpace(cell))
		// The prefix is the one that pandas uses.
		r.bare[i] = name == "" || strings.HasPrefix(name, "Unnamed: ")
		if name == "" {
			name = "column " + strconv.Itoa(i+1)
		}
		if j, twice := seen[name]; twice {
			return r.cellError(i, "columns %d and %d are both named %s: names must differ", j+1, i+1,
				phrase.Quote(name))
		}
		r.header[i] = name
		seen[name] = i
	}
	return nil
}

// next reads one data row into r.row; io.EOF after the last.
func (r *records) next() error {
	if r.first {
		r.first = false
		r.readNotations()
		return nil
	}
	if err := r.read(); err != nil {
		return err
	}
	if r.dialect.singleColumn && len(r.row) > 1 {
		return r.rowError("this row has %s, the first row has 1: "+
			"every row needs the same; if %s does not part them, give another separator, such as %s=';'",
			phrase.Plural(len(r.row), "cell"), phrase.Quote(string(r.dialect.separator)), asKey("separator"))
	}
	if len(r.row) != r.width {
		advice := ""
		if cut := r.cutCell(); cut != "" {
			advice = "; write a cell such as " + cut + " in quotes"
		} else if r.dialect.shortHeader && r.dialect.header {
			advice = "; write.table of R leaves the name of the row names out, unless it has row.names=FALSE or " +
				"col.names=NA"
		}
		return r.rowError("this row has %s, the first row has %d: every row needs the same%s",
			phrase.Plural(len(r.row), "cell"), r.width, advice)
	}
	if r.namesAgain() {
		return r.rowError("this row has the names of the columns again, as where files were joined: remove it, or "+
			"give %s=no if the first row is data", asKey("header"))
	}
	r.readNotations()
	return nil
}

// cutCell finds an interval such as (0,1] in the current row, whose comma has cut it into two cells; else "".
func (r *records) cutCell() string {
	for i := 1; i < len(r.row) && r.dialect.separator == ','; i++ {
		if cell := r.row[i-1] + "," + r.row[i]; intervalForm.MatchString(cell) {
			return strings.TrimSpace(cell)
		}
	}
	return ""
}

var intervalForm = regexp.MustCompile(`^\s*[\[(][^\[\](),]*,[^\[\](),]*[\])]\s*$`)

// rowError makes an error about the current row alone.
func (r *records) rowError(format string, args ...any) error {
	return ofRow(r.errorAt(position{line: r.line}, format, args...))
}

// namesAgain reports whether the current row repeats the header.
func (r *records) namesAgain() bool {
	for i, cell := range r.row {
		cell = strings.TrimSpace(cell)
		if !r.dialect.header || cell != r.header[i] && !(cell == "" && r.bare[i]) {
			return false
		}
	}
	return r.width > 1 && slices.ContainsFunc(r.row, isText)
}

func (r *records) read() error {
	r.guard.mark = r.rows.InputOffset()
	row, err := r.rows.Read()
	pe, quotes := errors.AsType[*csv.ParseError](err)
	switch {
	case err == nil:
		r.row, r.written = row, row
		r.line, _ = r.rows.FieldPos(0)
		r.line += r.before
		return nil
	case err == io.EOF:
		return err
	case errors.Is(err, errTextLimit):
		return &Error{File: r.name, Err: err, Msg: "holds more than " + humanize.IBytes(uint64(r.lim.text)) +
			" of text: too large to read, take a part of it"}
	case errors.Is(err, errRecordLimit):
		return &Error{File: r.name, Err: err, Msg: fmt.Sprintf("the row after line %d is longer than %s: a quote may "+
			"be left open, or this is not a table", r.line, humanize.IBytes(uint64(r.lim.record)))}
	case quotes && errors.Is(err, csv.ErrBareQuote):
		r.row, r.written = row, row // these are the cells before the quote
		return &Error{File: r.name, Line: pe.Line + r.before, Column: pe.Column, Err: pe, row: true,
			Msg: `found a " inside a cell that does not start with one: remove it, or quote the whole cell`}
	case quotes:
		return &Error{File: r.name, Line: pe.StartLine + r.before, Err: pe,
			Msg: `a quoted cell of this row is not closed, or has text after its closing ": check its quotes`}
	}
	return readError(r.name, err)
}

// cellError makes an Error at cell i of the current row.
func (r *records) cellError(i int, format string, args ...any) *Error {
	return r.errorAt(r.placeOf(i), format, args...)
}

// placeOf returns the place of cell i of the current row.
func (r *records) placeOf(i int) position {
	line, column := r.rows.FieldPos(i)
	return position{line + r.before, column}
}

// columnName returns the name of column i in the file, or a made-up one.
func (r *records) columnName(i int) string {
	if r.header != nil {
		return r.header[i]
	}
	return "x" + strconv.Itoa(i)
}

func (r *records) columnNames() []string {
	return mapSlice(matrix.Every(r.width), r.columnName)
}

// hasType reports whether the file says that column i is of one of these types.
func (r *records) hasType(i int, kinds ...string) bool {
	return r.types != nil && slices.Contains(kinds, r.types[i])
}

// isTyped reports whether the format of the file says that cell i of the current row is a number, not text.
func (r *records) isTyped(i int) bool {
	rows, ok := r.rows.(interface{ isNumber(cell int) bool })
	return ok && rows.isNumber(i) || r.hasType(i, "numeric", "integer", "real")
}

// doubtfulHeader reports a header with numbers in it, and its text. Such a header may be a row with a mistyped cell.
func (r *records) doubtfulHeader() (text string, doubtful bool) {
	at := slices.IndexFunc(r.header, isText)
	if at < 0 || r.dialect.names != nil || r.types != nil {
		return "", false
	}
	return r.header[at], slices.ContainsFunc(r.header, func(name string) bool { return !isText(name) })
}

func isText(cell string) bool {
	var d detectedDialect
	return d.isText(cell)
}
