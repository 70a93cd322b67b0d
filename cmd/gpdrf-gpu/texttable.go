package main

import (
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	prettytext "github.com/jedib0t/go-pretty/v6/text"
)

// textTable is a table for people.
type textTable struct {
	header  table.Row
	rows    []table.Row
	numbers []int // columns of numbers, from 1, which stand at the right
}

// newTable is a table without rows, whose columns hold words.
func newTable(header ...any) *textTable { return &textTable{header: header} }

// newNumberTable is a table whose columns hold numbers, except the first.
func newNumberTable(header ...any) *textTable {
	t := newTable(header...)
	for i := range header[1:] {
		t.numbers = append(t.numbers, i+2)
	}
	return t
}

func (t *textTable) add(cells ...any) { t.rows = append(t.rows, cells) }

// lines is the text, without spaces at the ends of lines.
func (t *textTable) lines(indent string) []string {
	w := table.NewWriter()
	w.SetStyle(plainStyle())
	var right []table.ColumnConfig
	for _, i := range t.numbers {
		right = append(right, table.ColumnConfig{Number: i, Align: prettytext.AlignRight,
			AlignHeader: prettytext.AlignRight})
	}
	w.SetColumnConfigs(right)
	w.AppendHeader(t.header)
	w.AppendRows(t.rows)
	lines := strings.Split(w.Render(), "\n")
	for i, l := range lines {
		lines[i] = indent + strings.TrimRight(l, " ")
	}
	return lines
}

// indented is the text two columns from the left.
func (t *textTable) indented() string { return strings.Join(t.lines("  "), "\n") }

func plainStyle() table.Style {
	s := table.StyleDefault
	s.Options = table.OptionsNoBordersAndSeparators
	s.Box.PaddingLeft, s.Box.PaddingRight = "", "  "
	s.Format.Header = prettytext.FormatDefault
	return s
}

// widest is the width of the longest line.
func widest(lines []string) int {
	return prettytext.StringWidth(slices.MaxFunc(lines, func(a, b string) int {
		return prettytext.StringWidth(a) - prettytext.StringWidth(b)
	}))
}
