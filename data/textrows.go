package data

import (
	"bufio"
	"encoding/csv"
	"io"
	"strings"
)

// rowReader cuts a text into rows of cells. A [csv.Reader] is one.
type rowReader interface {
	Read() ([]string, error)              // a row that is valid until the next call
	FieldPos(cell int) (line, column int) // the place of a cell of the row, from 1
	InputOffset() int64                   // bytes up to the end of the row
}

// rows cuts a text in the dialect. It accepts rows of unequal length: the caller explains the error.
func (d *detectedDialect) rows(r io.Reader) rowReader {
	if d.separator == ' ' {
		p := &plainRows{src: bufio.NewReader(r)}
		if d.comments {
			p.comment = '#'
		}
		return p
	}
	return newCSVRows(r, d)
}

// csvRows cuts a text as [csv.Reader] does.
type csvRows struct {
	*csv.Reader
	blanks bool // a line of blanks is a row, of one cell
}

// byteOrderMark begins a row where files of Windows were joined.
const byteOrderMark = "\ufeff"

// tabSign stands for a tab where blanks are skipped: [csv.Reader] treats tabs as blanks.
const tabSign = '\x1f'

func newCSVRows(r io.Reader, d *detectedDialect) *csvRows {
	separator := d.separator
	if d.blanks && separator == '\t' {
		separator = tabSign
		r = &replacingReader{r, '\t', tabSign}
	}
	c := &csvRows{csv.NewReader(bufio.NewReaderSize(r, headSize)), d.singleColumn}
	c.Comma = separator
	c.FieldsPerRecord = -1
	c.ReuseRecord = true
	c.TrimLeadingSpace = d.blanks
	if d.comments {
		c.Comment = '#'
	}
	return c
}

// Read works like that of [csv.Reader], and leaves out lines of blanks, too.
func (c *csvRows) Read() ([]string, error) {
	row, err := c.Reader.Read()
	for err == nil && !c.blanks && len(row) == 1 && strings.TrimSpace(row[0]) == "" {
		row, err = c.Reader.Read()
	}
	if len(row) > 0 {
		row[0] = strings.TrimPrefix(row[0], byteOrderMark)
	}
	for i := 0; c.Comma == tabSign && i < len(row); i++ { // a cell in quotes may hold some
		row[i] = strings.ReplaceAll(row[i], string(tabSign), "\t")
	}
	return row, err
}

// plainRows cuts lines at runs of blanks, or, in an ARFF table, at commas. A cell may stand in single or double quotes;
// it ends on its line.
type plainRows struct {
	src     *bufio.Reader
	commas  bool
	comment byte // lines that start with it are left out; 0 for none

	line   int
	offset int64
	cells  []string
	at     []int // start of each cell in the line, from 1
}

func (p *plainRows) FieldPos(cell int) (line, column int) { return p.line, p.at[cell] }
func (p *plainRows) InputOffset() int64                   { return p.offset }

// Read returns the next line that is neither blank nor a comment. Errors about quotes are those of [csv.Reader].
func (p *plainRows) Read() ([]string, error) {
	for {
		text, err := p.src.ReadString('\n')
		p.offset += int64(len(text))
		if err != nil && (err != io.EOF || text == "") {
			return nil, err
		}
		p.line++
		text = strings.TrimPrefix(strings.TrimRight(text, "\r\n"), byteOrderMark)
		if trimmed := strings.TrimSpace(text); trimmed != "" && (p.comment == 0 || trimmed[0] != p.comment) {
			return p.cells, p.cut(text)
		}
	}
}

// cut finds the cells of a line.
func (p *plainRows) cut(text string) error {
	p.cells, p.at = p.cells[:0], p.at[:0]
	ends := func(i int) bool {
		return i == len(text) || p.commas && text[i] == ',' || !p.commas && isBlank(rune(text[i]))
	}
	for i := 0; ; {
		for i < len(text) && isBlank(rune(text[i])) {
			i++
		}
		if i == len(text) && !p.commas {
			return nil
		}
		from, cell := i, ""
		if i < len(text) && (text[i] == '"' || text[i] == '\'') {
			end := i + 1
			for end < len(text) && (text[end] != text[i] || text[end-1] == '\\') {
				end++
			}
			if end == len(text) {
				return &csv.ParseError{StartLine: p.line, Line: p.line, Column: from + 1, Err: csv.ErrQuote}
			}
			cell = strings.ReplaceAll(text[i+1:end], `\`+text[i:i+1], text[i:i+1])
			for i = end + 1; i < len(text) && isBlank(rune(text[i])) && p.commas; i++ {
			}
			if !ends(i) {
				return &csv.ParseError{StartLine: p.line, Line: p.line, Column: i + 1, Err: csv.ErrQuote}
			}
		} else {
			for !ends(i) {
				i++
			}
			cell = strings.TrimSpace(text[from:i])
		}
		p.cells, p.at = append(p.cells, cell), append(p.at, from+1)
		if i == len(text) {
			return nil
		}
		if p.commas {
			i++
		}
	}
}
