package data

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data/written"
)

// numberReader is a rowReader that can read a row of numbers in much less time.
type numberReader interface {
	// readNumbers reads the next row into values [width] if it has width cells, and the needed ones are numbers in
	// plain notation of at most ±largest. It returns the line where the row starts. Otherwise it leaves the row to
	// Read.
	readNumbers(values []float64, needed []bool) (line int, ok bool)
}

// numberRows reads successive rows of a table as long as they are plain numbers.
type numberRows struct {
	rec    *records
	lay    *layout
	from   numberReader // nil if a row needs its text
	values []float64    // values of a row, by cell
	needed []bool
}

func (l *layout) numberRows(rec *records) *numberRows {
	p := &numberRows{rec: rec, lay: l}
	from, ok := rec.rows.(numberReader)
	words := slices.ContainsFunc(l.columns, func(c InputColumn) bool {
		return c.Values != nil || c.Date != nil || c.TrueFalse
	})
	words = words || rec.notations != nil
	if !ok || words || l.id >= 0 || l.roles != nil || l.texts != nil ||
		l.class != nil && len(l.targets) > 0 || l.labelled() {
		return p
	}
	p.from = from
	p.values = make([]float64, rec.width)
	p.needed = make([]bool, rec.width)
	for _, i := range slices.Concat(l.inputs, l.targets) {
		p.needed[i] = true
	}
	return p
}

// next reads the next row; false leaves it to records.next.
func (p *numberRows) next() bool {
	if p.from == nil || p.rec.first {
		return false
	}
	p.rec.guard.mark = p.rec.rows.InputOffset()
	line, ok := p.from.readNumbers(p.values, p.needed)
	if ok {
		p.rec.line = line + p.rec.before
	}
	return ok
}

// append adds the inputs of the row, and keeps its targets and its line.
func (p *numberRows) append(to []float64, made *table) []float64 {
	for j, i := range p.lay.inputs {
		to = append(to, p.values[i])
		if p.lay.columns[j].Flag {
			to = append(to, 0)
		}
	}
	for _, i := range p.lay.targets {
		made.y = append(made.y, p.values[i])
	}
	made.lines = append(made.lines, int32(p.rec.line))
	return to
}

// csvRows cuts a text as [csv.Reader] does. It reads rows of plain numbers by itself.
type csvRows struct {
	*csv.Reader
	lines     *lines
	separator byte // 0 if rows are never plain
	comment   byte // lines that start with it are left out; 0 for none
	blanks    bool // a line of blanks is a row, of one cell
}

// tabSign stands for a tab where blanks are skipped: [csv.Reader] treats tabs as blanks.
const tabSign = '\x1f'

func newCSVRows(r io.Reader, s *style) *csvRows {
	separator := s.separator
	if s.blanks && separator == '\t' {
		separator = tabSign
		r = &replaced{r, '\t', tabSign}
	}
	from := &lines{src: bufio.NewReaderSize(r, headSize)}
	c := &csvRows{Reader: csv.NewReader(from), lines: from, blanks: s.singleColumn}
	c.Comma = separator
	c.FieldsPerRecord = -1
	c.ReuseRecord = true
	c.TrimLeadingSpace = s.blanks
	if s.comments {
		c.Comment, c.comment = '#', '#'
	}
	if separator < 0x80 && !s.comma {
		c.separator = byte(separator)
	}
	return c
}

// Read works like that of [csv.Reader], and leaves out lines of blanks, too. Its errors also count the lines of plain
// rows.
func (c *csvRows) Read() ([]string, error) {
	row, err := c.Reader.Read()
	for err == nil && !c.blanks && len(row) == 1 && strings.TrimSpace(row[0]) == "" {
		row, err = c.Reader.Read()
	}
	if pe, ok := errors.AsType[*csv.ParseError](err); ok {
		pe.StartLine += c.lines.plain
		pe.Line += c.lines.plain
	}
	for i := 0; c.Comma == tabSign && i < len(row); i++ { // a cell in quotes may hold some
		row[i] = strings.ReplaceAll(row[i], string(tabSign), "\t")
	}
	return row, err
}

func (c *csvRows) FieldPos(cell int) (line, column int) {
	line, column = c.Reader.FieldPos(cell)
	return line + c.lines.plain, column
}

func (c *csvRows) InputOffset() int64 { return c.Reader.InputOffset() + c.lines.plainBytes }

func (c *csvRows) readNumbers(values []float64, needed []bool) (at int, ok bool) {
	line, ok := c.lines.next()
	if !ok || c.separator == 0 || line[0] == c.comment || !c.numbers(line, values, needed) {
		return 0, false
	}
	c.lines.take()
	return c.lines.line, true
}

// numbers reads the cells of a line.
func (c *csvRows) numbers(line []byte, values []float64, needed []bool) bool {
	line = bytes.TrimSuffix(line[:len(line)-1], []byte("\r"))
	if len(line) == 0 {
		return false // a blank line is not a row
	}
	for i := range values {
		size := bytes.IndexByte(line, c.separator)
		last := i == len(values)-1
		if last != (size < 0) {
			return false
		}
		cell := line
		if !last {
			cell, line = line[:size], line[size+1:]
		}
		if needed[i] {
			v, ok := plainNumber(cell)
			if !ok {
				return false
			}
			values[i] = v
		} else if bytes.IndexByte(cell, '"') >= 0 {
			return false
		}
	}
	return true
}

// exactTens are the powers of ten that are exact as doubles.
var exactTens = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// plainNumber returns the double that is nearest to a decimal, and at most ±largest. A number of up to 15 digits is the
// quotient of two doubles that are exact.
func plainNumber(cell []byte) (v float64, ok bool) {
	digits := cell
	if len(cell) > 0 && cell[0] == '-' {
		digits = cell[1:]
	}
	var n uint64
	point := len(digits)
	for i, c := range digits {
		switch {
		case c >= '0' && c <= '9':
			n = 10*n + uint64(c-'0')
		case c == '.' && point == len(digits):
			point = i
		default:
			return longNumber(cell)
		}
	}
	behind := max(0, len(digits)-point-1)
	if figures := len(digits) - min(1, len(digits)-point); figures == 0 || figures > 15 {
		return longNumber(cell)
	}
	v = float64(n) / exactTens[behind]
	if len(digits) < len(cell) {
		v = -v
	}
	return v, true
}

// longNumber reads numbers with many digits or an exponent.
func longNumber(cell []byte) (v float64, ok bool) {
	v, err := written.ParseNumber(string(cell))
	return v, err == nil && math.Abs(v) <= largest
}

// lines gives a text to a [csv.Reader] line by line, so that another reader can take lines in between.
type lines struct {
	src  *bufio.Reader
	rest []byte // rest of the current line
	err  error  // error that follows the rest

	line       int   // number of lines that were begun
	plain      int   // number of lines that take has taken
	plainBytes int64 // bytes of the taken lines
}

// fill reads a line, or a part of a very long line.
func (l *lines) fill() {
	if len(l.rest) > 0 || l.err != nil {
		return
	}
	l.rest, l.err = l.src.ReadSlice('\n')
	if errors.Is(l.err, bufio.ErrBufferFull) {
		l.err = nil
	}
}

// next returns the next line with its end; false for a last line without an end.
func (l *lines) next() (line []byte, ok bool) {
	l.fill()
	return l.rest, len(l.rest) > 0 && l.rest[len(l.rest)-1] == '\n'
}

func (l *lines) take() {
	l.line++
	l.plain++
	l.plainBytes += int64(len(l.rest))
	l.rest = nil
}

// Read returns the rest of the line.
func (l *lines) Read(to []byte) (n int, err error) {
	l.fill()
	n = copy(to, l.rest)
	l.rest = l.rest[n:]
	if n > 0 {
		if to[n-1] == '\n' {
			l.line++
		}
		return n, nil
	}
	return 0, l.err
}
