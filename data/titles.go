package data

import (
	"bytes"
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data/cellformat"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
)

// Spreadsheets write lines above a table: the separator (sep=;), and titles.

// maxTitles is the largest number of lines of titles.
const maxTitles = 10

// skipTitles skips the lines above a table, and returns its first bytes.
func (r *records) skipTitles(head []byte, d *Dialect) []byte {
	below := separatorLine(head, d)
	table := belowTitles(below, *d)
	count := func(from, to []byte) int { return bytes.Count(from[:len(from)-len(to)], []byte{'\n'}) }
	r.before, r.titles = count(head, table), count(below, table)
	r.bytes.Discard(len(head) - len(table))
	return table
}

// titlesNote adds a note about titles, if there are any, and about a first row that is read as data.
func (r *records) titlesNote() {
	if r.titles > 0 {
		r.note("%s above the names of the columns left out", phrase.Plural(r.titles, "line"))
	}
	if r.dialect.numericHeader {
		r.note("the first row has the numbers that name the inputs and is read as names "+
			"(%s=no reads it as data)", asKey("header"))
	}
	switch {
	case r.dialect.maybeHeader:
		r.note("the first row has numbers that count up and is read as data (%s=yes takes it as names)",
			asKey("header"))
	case r.header == nil && r.opt.Header == "":
		r.note("no header, so the columns are called x0, x1, … (%s=yes if the first row names them)", asKey("header"))
	}
}

// separatorLine takes the separator from a first line such as sep=; if none is requested. It returns the bytes after
// the line.
func separatorLine(head []byte, d *Dialect) (rest []byte) {
	line, rest, more := bytes.Cut(head, []byte("\n"))
	word, ok := strings.CutPrefix(strings.TrimRight(string(line), "\r"), "sep=")
	if _, known := separatorOf(word); !ok || !known || !more {
		return head
	}
	if d.Separator == "" {
		d.Separator = word
	}
	return rest
}

// belowTitles returns the first bytes of a table after lines of titles. Titles have one cell, and the row below them
// names columns of numbers.
func belowTitles(head []byte, d Dialect) (rest []byte) {
	rest = head
	for range maxTitles + 1 {
		s := firstDialect(rest, d)
		rows := s.sample(rest)
		if len(rows) < 2 {
			return head
		}
		width := len(rows[len(rows)-1])
		equal := !slices.ContainsFunc(rows, func(row []string) bool { return len(row) != width })
		if equal && width > 1 && !isTitle(rows[0], width) {
			above := s.sample(head[:len(head)-len(rest)])
			isMissing := func(cell string) bool { return cellformat.IsMissing(strings.TrimSpace(cell)) }
			names := s.isHeader(rows) && slices.ContainsFunc(rows[1], s.isNumber) &&
				!slices.ContainsFunc(rows[0][1:], isMissing)
			if !names || slices.ContainsFunc(above, func(row []string) bool { return !isTitle(row, width) }) {
				return head
			}
			return bytes.TrimLeft(rest, "\r\n")
		}
		_, below, more := bytes.Cut(rest, []byte("\n"))
		if !more {
			return head
		}
		rest = below
	}
	return head
}

// isTitle reports whether the row cannot belong to a table of this width, since it has one cell. A short row of more
// cells is a mistake.
func isTitle(row []string, width int) bool {
	if slices.ContainsFunc(row[1:], func(cell string) bool { return strings.TrimSpace(cell) != "" }) {
		return false
	}
	return len(row) < width || width > 2 && (isText(row[0]) || strings.TrimSpace(row[0]) == "")
}

// isShort reports whether the first row has a cell less than all rows below, and their last cells are not only the end
// of a line.
func isShort(rows [][]string) bool {
	ended := true
	for _, row := range rows[min(1, len(rows)):] {
		if len(row) != len(rows[0])+1 {
			return false
		}
		ended = ended && strings.TrimSpace(row[len(row)-1]) == ""
	}
	return !ended
}

// haveNames reports whether the first cells of the rows differ, and are in quotes if the names above are.
func haveNames(head []byte, rows [][]string) bool {
	names := setOf(mapSlice(rows, func(row []string) string { return row[0] }))
	return len(names) == len(rows) && !slices.ContainsFunc(firstLines(head), func(line string) bool {
		return !strings.HasPrefix(line, `"`)
	})
}

// areNamed reports whether lines, of firstLines, hold a single column after the names of rows in quotes.
func areNamed(lines []string, separator rune) bool {
	return len(lines) > 1 && strings.TrimSpace(lines[0]) == `""` &&
		!slices.ContainsFunc(lines[1:], func(line string) bool {
			return !strings.HasPrefix(line, `""`+string(separator))
		})
}
