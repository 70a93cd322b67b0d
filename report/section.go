package report

import (
	"fmt"
	"html/template"
	"math"
	"strconv"
)

// section is a part of the page with a heading of its own.
type section struct {
	ID, Title, Lead string
	Legend          []*Run // those whose colours the charts use; nil where there is one
	Columns         int    // panels beside each other on a wide screen; 0 is as many as fit
	Panels          []panel
}

// panel is a picture or a table in a section.
type panel struct {
	Run     string // which run it is of; "" where there is one, or all are in it
	Title   string
	Chart   template.HTML
	Note    string
	Numbers *table // behind a chart, folded away
	Table   *table // in place of one
	Span    int    // columns that it takes on a wide screen; 0 is one
}

// table has a first column of names. Numbers stand at the right.
type table struct {
	Caption string
	Head    []string
	Rows    [][]cell
	Matrix  bool // cells are narrow and shaded
}

// cell is a text, with a share from 0 to 1 that a bar or a shade shows.
type cell struct {
	Text  string
	Bar   float64 // length of a bar; 0 is none
	Shade float64 // of a matrix
	Best  bool    // among those below each other
}

// What a page shows of texts, which data may have of any length, and of the rows of a table.
const (
	mostLetters   = 200
	mostTableRows = 1000
)

// short is a text that has room on the page.
func short(text string) string {
	if letters := []rune(text); len(letters) > mostLetters {
		return string(letters[:mostLetters-1]) + "…"
	}
	return text
}

// fit makes a section so small that a page can hold it.
func (s *section) fit() {
	for i := range s.Panels {
		p := &s.Panels[i]
		p.Run, p.Title, p.Note = short(p.Run), short(p.Title), short(p.Note)
		for _, t := range []*table{p.Numbers, p.Table} {
			t.fit()
		}
	}
}

func (t *table) fit() {
	if t == nil {
		return
	}
	if left := len(t.Rows) - mostTableRows; left > 0 {
		t.Rows = append(t.Rows[:mostTableRows:mostTableRows], texts(fmt.Sprintf("and %d more", left)))
	}
	t.Caption = short(t.Caption)
	for i := range t.Head {
		t.Head[i] = short(t.Head[i])
	}
	for _, row := range t.Rows {
		for i := range row {
			row[i].Text = short(row[i].Text)
		}
	}
}

// wide is the Span of the whole width.
const wide = 9

// texts are plain cells.
func texts(words ...string) (cells []cell) {
	for _, w := range words {
		cells = append(cells, cell{Text: w})
	}
	return cells
}

func (t *table) add(words ...string) { t.Rows = append(t.Rows, texts(words...)) }

var nan = math.NaN()

const none = "–"

// digits is a number in so few digits as people compare.
func digits(v float64) string {
	switch size := math.Abs(v); {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return none
	case size >= 1e4 && size < 1e7:
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// decimals is a number with four of them.
func decimals(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return none
	}
	if math.Abs(v) >= 1e9 {
		return digits(v)
	}
	return fmt.Sprintf("%.4f", v)
}

// signed is a number with its sign, as a reader counts standard deviations.
func signed(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return none
	}
	if math.Abs(v) >= 1e6 {
		return fmt.Sprintf("%+.3g", v)
	}
	return fmt.Sprintf("%+.1f", v)
}

func percent(v float64) string {
	if v *= 100; math.IsNaN(v) || math.IsInf(v, 0) {
		return none
	}
	return fmt.Sprintf("%.1f %%", v)
}

func optional(v *float64) float64 {
	if v == nil {
		return nan
	}
	return *v
}

// label is the run's name where there are others.
func label(runs []*Run, r *Run) string {
	if len(runs) == 1 {
		return ""
	}
	return r.Label
}

// legend are the runs where there are several.
func legend(runs []*Run) []*Run {
	if len(runs) == 1 {
		return nil
	}
	return runs
}

// beside is how many columns the panels of runs stand in.
func beside(runs []*Run) int {
	if len(runs) == 1 {
		return 0
	}
	return min(len(runs), 4)
}

// spanOf is the width of a table: several columns where there is one run.
func spanOf(runs []*Run, columns int) int {
	if len(runs) == 1 {
		return columns
	}
	return 0
}

// series is the number of a run's colour. The style has eight of them.
func series(i int) int { return i % 8 }

// thinned are about count of the numbers 0 … n−1, evenly spread, with the first and the last.
func thinned(n, count int) (some []int) {
	if n <= count {
		count = n
	}
	for i := range count {
		some = append(some, i*(n-1)/max(1, count-1))
	}
	return some
}

// picked are some of the values.
func picked[T any](values []T, at []int) []T {
	out := make([]T, len(at))
	for i, a := range at {
		out[i] = values[a]
	}
	return out
}

// target is the name of a target where there are several, for a title.
func target(r *Run, t Target) string {
	if len(r.Rows.Targets) == 1 {
		return ""
	}
	return ": " + t.Name
}
