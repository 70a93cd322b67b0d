package report

import (
	"fmt"
	"math"
	"strconv"

	"github.com/gpdrf/gpdrf-gpu/internal/charts"
	"github.com/gpdrf/gpdrf-gpu/internal/stats"
)

// section is a part of the page with a heading of its own.
type section struct {
	ID, Title, Lead string
	Legend          []*Run // the runs whose colours the charts use
	Columns         int    // number of panels side by side on a wide screen; 0 is as many as fit
	Panels          []panel
}

// panel is a picture or a table in a section.
type panel struct {
	Run     string // label of its run; "" if there is one run, or it shows all runs
	Title   string
	Chart   *charts.Chart
	Note    string
	Numbers *table // the numbers of the chart, folded away
	Table   *table // the table of a panel without a chart
	Span    int    // number of columns that it takes on a wide screen; 0 is one
}

// table is a table whose first column has names. Numbers are aligned at the right.
type table struct {
	Caption string
	Head    []string
	Rows    [][]cell
	Matrix  bool // the cells are narrow and shaded
}

// cell is a text, with a share that a bar or a shade shows.
type cell struct {
	Text  string
	Bar   float64 // length of the bar in percent; 0 is no bar
	Shade float64 // shade of a cell of a matrix in percent
	Best  bool    // the cell has the best value of its column
}

// The limits of a page: letters of a text from the data, and rows of a table.
const (
	maxLetters   = 200
	maxTableRows = 1000
)

// truncate cuts a text to the length that a page has room for.
func truncate(text string) string {
	if letters := []rune(text); len(letters) > maxLetters {
		return string(letters[:maxLetters-1]) + "…"
	}
	return text
}

// Shown returns the rows that a page has room for.
func (t *table) Shown() [][]cell {
	hidden := len(t.Rows) - maxTableRows
	if hidden <= 0 {
		return t.Rows
	}
	return append(t.Rows[:maxTableRows:maxTableRows], texts(fmt.Sprintf("and %d more", hidden)))
}

// fullSpan is the Span of the whole width.
const fullSpan = 9

// texts returns plain cells.
func texts(words ...string) (cells []cell) {
	for _, w := range words {
		cells = append(cells, cell{Text: w})
	}
	return cells
}

// meter returns a cell with a bar, whose length is a share from 0 to 1.
func meter(text string, share float64) cell {
	if !stats.IsFinite(share) {
		share = 0
	}
	return cell{Text: text, Bar: 100 * math.Max(0, share)}
}

func newTable(caption string, head ...string) *table { return &table{Caption: caption, Head: head} }

func (t *table) add(words ...string) { t.Rows = append(t.Rows, texts(words...)) }

var nan = math.NaN()

// none is the text of values that are no finite numbers.
const none = "–"

// digits formats a number with four digits.
func digits(v float64) string {
	switch size := math.Abs(v); {
	case !stats.IsFinite(v):
		return none
	case size >= 1e4 && size < 1e7:
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// decimals formats a number with four decimals.
func decimals(v float64) string {
	if !stats.IsFinite(v) || math.Abs(v) >= 1e9 {
		return digits(v)
	}
	return fmt.Sprintf("%.4f", v)
}

// signed formats a number of standard deviations, with its sign.
func signed(v float64) string {
	switch {
	case !stats.IsFinite(v):
		return none
	case math.Abs(v) >= 1e6:
		return fmt.Sprintf("%+.3g", v)
	}
	return fmt.Sprintf("%+.1f", v)
}

func percent(v float64) string {
	if v *= 100; !stats.IsFinite(v) {
		return none
	}
	return fmt.Sprintf("%.1f %%", v)
}

func orNaN(v *float64) float64 {
	if v == nil {
		return nan
	}
	return *v
}

// each adds the panels of each run, with its label if there are several.
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
		for _, t := range r.shownTargets(runs) {
			for _, p := range of(r, t) {
				p.Title += r.Rows.suffix(t)
				all = append(all, p)
			}
		}
		return all
	})
}

// eachClassifier adds the panels of the runs that have rows with classes.
func (s *section) eachClassifier(runs []*Run, of func(c *Classes) []panel) {
	s.each(runs, func(r *Run) []panel {
		if r.Rows == nil || r.Rows.Classes == nil {
			return nil
		}
		return of(r.Rows.Classes)
	})
}

// columnsFor returns the number of columns for the panels of runs.
func columnsFor(runs []*Run) int {
	if len(runs) == 1 {
		return 0
	}
	return min(len(runs), 4)
}

// spanOf returns the Span of a table: several columns if there is one run.
func spanOf(runs []*Run, columns int) int {
	if len(runs) == 1 {
		return columns
	}
	return 0
}

// series returns the number of the colour of run i. The style has eight colours.
func series(i int) int { return i % 8 }

// thinned returns about count of the numbers 0 … n−1, evenly spread, with the first and the last.
func thinned(n, count int) (numbers []int) {
	count = min(n, count)
	for i := range count {
		numbers = append(numbers, i*(n-1)/max(1, count-1))
	}
	return numbers
}

// gather returns the values at some indices.
func gather[T any](values []T, indices []int) []T {
	out := make([]T, len(indices))
	for i, k := range indices {
		out[i] = values[k]
	}
	return out
}

// suffix returns the end of a title: the name of the target if there are several.
func (r *TestRows) suffix(t Target) string {
	if len(r.Targets) == 1 {
		return ""
	}
	return ": " + t.Name
}

// histogram counts values in equal bins of a range. The first and last bins also hold the values beyond it; NaN is not
// counted.
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

// bin returns the index of the part that holds a share, of n equal parts of 0 … 1.
func bin(share float64, n int) int { return min(int(math.Max(0, math.Min(share, 1))*float64(n)), n-1) }
