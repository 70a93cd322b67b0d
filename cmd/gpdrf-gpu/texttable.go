package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mattn/go-runewidth"
)

// textTable is a table for people.
type textTable struct {
	header []any
	rows   [][]any
	right  []int // the columns, from 0, that are aligned at the right
}

// newTable returns a table without rows, whose columns hold words.
func newTable(header ...any) *textTable { return &textTable{header: header} }

// newNumberTable returns a table whose columns hold numbers, except the first.
func newNumberTable(header ...any) *textTable {
	t := newTable(header...)
	for k := 1; k < len(header); k++ {
		t.right = append(t.right, k)
	}
	return t
}

func (t *textTable) add(cells ...any) { t.rows = append(t.rows, cells) }

// lines returns the lines of the table, without spaces at their ends.
func (t *textTable) lines(indent string) (lines []string) {
	all := slices.Concat([][]any{t.header}, t.rows)
	widths := map[int]int{}
	for _, row := range all {
		for k, cell := range row {
			widths[k] = max(widths[k], runewidth.StringWidth(fmt.Sprint(cell)))
		}
	}
	for _, row := range all {
		line := ""
		for k, cell := range row {
			fill := runewidth.FillRight
			if slices.Contains(t.right, k) {
				fill = runewidth.FillLeft
			}
			line += fill(fmt.Sprint(cell), widths[k]) + "  "
		}
		lines = append(lines, indent+strings.TrimRight(line, " "))
	}
	return lines
}

// indented returns the text of the table, indented by two columns.
func (t *textTable) indented() string { return strings.Join(t.lines("  "), "\n") }
