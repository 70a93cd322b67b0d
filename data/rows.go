package data

import (
	"bufio"
	"encoding/csv"
	"errors"
	"io"
	"strings"
)

// rowReader cuts a text into rows of cells. [csv.Reader] is one.
type rowReader interface {
	Read() ([]string, error)              // a row that is valid until the next
	FieldPos(cell int) (line, column int) // where a cell of the row stands, from 1
	InputOffset() int64                   // bytes behind the row
}

// rows cuts a text as the style says. Rows of unequal length pass: their reader words the error.
func (s *style) rows(r io.Reader) rowReader {
	if s.separator == ' ' {
		p := &plainRows{src: bufio.NewReader(r)}
		if s.comments {
			p.comment = '#'
		}
		return p
	}
	return newCSVRows(r, s)
}

// plainRows cuts lines at runs of blanks, or, for the rows of an ARFF table, at commas. A cell may
// stand in quotes, double or single; it ends on its line.
type plainRows struct {
	src     *bufio.Reader
	commas  bool
	comment byte // lines that start with it are left out; 0: none

	line   int
	offset int64
	cells  []string
	at     []int // where in the line each cell starts, from 1
}

func (p *plainRows) FieldPos(cell int) (line, column int) { return p.line, p.at[cell] }
func (p *plainRows) InputOffset() int64                   { return p.offset }

// Read returns the next line that is neither blank nor a comment. Errors of quotes are those of
// [csv.Reader].
func (p *plainRows) Read() ([]string, error) {
	for {
		text, err := p.src.ReadString('\n')
		p.offset += int64(len(text))
		if err != nil && (err != io.EOF || text == "") {
			return nil, err
		}
		p.line++
		text = strings.TrimRight(text, "\r\n")
		if trimmed := strings.TrimSpace(text); trimmed != "" && (p.comment == 0 || trimmed[0] != p.comment) {
			return p.cells, p.cut(text)
		}
	}
}

// cut finds the cells of a line.
func (p *plainRows) cut(text string) error {
	p.cells, p.at = p.cells[:0], p.at[:0]
	ends := func(i int) bool { return i == len(text) || p.commas && text[i] == ',' || !p.commas && isBlank(text[i]) }
	for i := 0; ; {
		for i < len(text) && isBlank(text[i]) {
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
			for i = end + 1; i < len(text) && isBlank(text[i]) && p.commas; i++ {
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

// isLimit: the guard of a text stopped it.
func isLimit(err error) bool { return errors.Is(err, errTextLimit) || errors.Is(err, errRecordLimit) }
