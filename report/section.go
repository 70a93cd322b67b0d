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
	Legend          []*Run // those whose colours the charts use
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

// cell is a text, with a share that a bar or a shade shows.
type cell struct {
	Text  string
	Bar   float64 // length of a bar in percent; 0: no bar
	Shade float64 // of a matrix, in percent
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

// Shown are the rows that have room on the page.
func (t *table) Shown() [][]cell {
	left := len(t.Rows) - mostTableRows
	if left <= 0 {
		return t.Rows
	}
	return append(t.Rows[:mostTableRows:mostTableRows], texts(fmt.Sprintf("and %d more", left)))
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

// meter is a cell with a bar, which is as long as a share from 0 to 1.
func meter(text string, share float64) cell {
	if !known(share) {
		share = 0
	}
	return cell{Text: text, Bar: 100 * math.Max(0, share)}
}

func newTable(caption string, head ...string) *table { return &table{Caption: caption, Head: head} }

func (t *table) add(words ...string) { t.Rows = append(t.Rows, texts(words...)) }

var nan = math.NaN()

// none stands for values that are no finite numbers.
const none = "–"

func known(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// digits is a number in so few digits as people compare.
func digits(v float64) string {
	switch size := math.Abs(v); {
	case !known(v):
		return none
	case size >= 1e4 && size < 1e7:
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// decimals is a number with four of them.
func decimals(v float64) string {
	if !known(v) || math.Abs(v) >= 1e9 {
		return digits(v)
	}
	return fmt.Sprintf("%.4f", v)
}

// signed is a number with its sign, as a reader counts standard deviations.
func signed(v float64) string {
	switch {
	case !known(v):
		return none
	case math.Abs(v) >= 1e6:
		return fmt.Sprintf("%+.3g", v)
	}
	return fmt.Sprintf("%+.1f", v)
}

func percent(v float64) string {
	if v *= 100; !known(v) {
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

// each adds the panels of each run, under its name where there are several.
func (s *section) each(runs []*Run, of func(r *Run) []panel) {
	for _, r := range runs {
		for _, p := range of(r) {
			if len(runs) > 1 {
				p.Run = r.Label
			}
			s.Panels = append(s.Panels, p)
		}
	}
}

// eachTarget adds the panels of each target that the page shows.
func (s *section) eachTarget(runs []*Run, of func(r *Run, t Target) []panel) {
	s.each(runs, func(r *Run) (all []panel) {
		for _, t := range r.few(runs) {
			for _, p := range of(r, t) {
				p.Title += r.Rows.suffix(t)
				all = append(all, p)
			}
		}
		return all
	})
}

// eachClassifier adds the panels of the runs with rows of classes.
func (s *section) eachClassifier(runs []*Run, of func(c *Classes) []panel) {
	s.each(runs, func(r *Run) []panel {
		if r.Rows == nil || r.Rows.Classes == nil {
			return nil
		}
		return of(r.Rows.Classes)
	})
}

// columnsFor is the number of columns for the panels of runs.
func columnsFor(runs []*Run) int {
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

// suffix ends a title with the name of a target where there are several.
func (r *TestRows) suffix(t Target) string {
	if len(r.Targets) == 1 {
		return ""
	}
	return ": " + t.Name
}

// histogram counts values in equal bins of a range, whose ends hold what lies beyond. NaN is in
// none.
func histogram(values []float64, low, high float64, bins int) (edges, counts []float64) {
	edges, counts = make([]float64, bins+1), make([]float64, bins)
	for i := range edges {
		edges[i] = low + float64(i)*(high-low)/float64(bins)
	}
	for _, v := range values {
		if !math.IsNaN(v) {
			counts[bin((v-low)/(high-low), bins)]++
		}
	}
	return edges, counts
}

// bin is which of n equal parts of 0 … 1 holds a share.
func bin(share float64, n int) int { return min(int(math.Max(0, math.Min(share, 1))*float64(n)), n-1) }
