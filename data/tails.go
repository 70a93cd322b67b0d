package data

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Tails draws in the tails of columns: x of column j becomes asinh((x − Middle)/Unit), which is
// (x − Middle)/Unit near the middle and a logarithm far from it. A Unit of 0 leaves a column as it
// is.
type Tails struct {
	Middle []float64 `json:"middle"` // median
	Unit   []float64 `json:"unit"`   // by quartiles, as of robust
}

const (
	// A column has long tails where its standard deviation is so many of its Units, and a value
	// lies so many standard deviations from the mean.
	tailRatio     = 2
	tailDeviation = 5

	// A gap parts values from the middle of a column where it is so many times as wide as what
	// lies between it and the opposite quartile.
	tailGap = 3
)

// fit takes column j of the training rows. It returns the values that set the column's mean and
// standard deviation, their tails drawn in, and those that a gap parts from them.
func (t *Tails) fit(col []float64, j int) (near, far []float64) {
	sorted := slices.Clone(col)
	slices.Sort(sorted)
	lo, hi := beforeGaps(sorted)
	near, far = sorted[lo:hi], slices.Concat(sorted[:lo], sorted[hi:])
	unit := tailUnit(near)
	mean, sd := meanSD(near)
	long := sd >= tailRatio*unit && max(mean-near[0], near[len(near)-1]-mean) >= tailDeviation*sd
	if unit == 0 || far == nil && !long {
		return col, nil
	}
	t.Middle[j], t.Unit[j] = quantile(near, 0.5), unit
	for i, v := range near {
		near[i] = t.value(j, v)
	}
	return near, far
}

func (t *Tails) value(j int, x float64) float64 {
	if t.Unit[j] == 0 {
		return x
	}
	return math.Asinh((x - t.Middle[j]) / t.Unit[j])
}

// beforeGaps are the values lo … hi−1 that no gap parts from the middle half.
func beforeGaps(sorted []float64) (lo, hi int) {
	n := len(sorted)
	lo, hi = n/4, n-n/4
	first, third := sorted[lo], sorted[hi-1]
	if first == third {
		return 0, n
	}
	for hi < n && sorted[hi]-sorted[hi-1] <= tailGap*(sorted[hi-1]-first) {
		hi++
	}
	for lo > 0 && sorted[lo]-sorted[lo-1] <= tailGap*(third-sorted[lo]) {
		lo--
	}
	return lo, hi
}

// tailUnit is the standard deviation of a normal sample with the quartiles of these values, or the
// median distance of the others from the median where the quartiles are equal. It is 0 of two
// different values, whose distance means nothing.
func tailUnit(sorted []float64) float64 {
	if len(slices.Compact(slices.Clone(sorted))) <= 2 {
		return 0
	}
	if width := quantile(sorted, 0.75) - quantile(sorted, 0.25); width > 0 {
		return width / robustIQR
	}
	median := quantile(sorted, 0.5)
	var away []float64
	for _, v := range sorted {
		if v != median {
			away = append(away, math.Abs(v-median))
		}
	}
	slices.Sort(away)
	return quantile(away, 0.5)
}

// tailed are the columns whose tails are drawn in.
func (s Scaler) tailed() (columns []int) {
	if s.Tails == nil {
		return nil
	}
	for j, unit := range s.Tails.Unit {
		if unit > 0 {
			columns = append(columns, j)
		}
	}
	return columns
}

// Notes name the training columns whose tails the scaling draws in, and those that hold values far
// from all others: these may stand for missing ones.
func (s Scaler) Notes(ds *Dataset) (notes []string) {
	var tailed, apart []string
	values := make([]float64, ds.N())
	for _, j := range s.tailed() {
		tailed = append(tailed, quote(ds.Columns[j]))
		column(values, ds.X, j)
		slices.Sort(values)
		if lo, hi := beforeGaps(values); hi-lo < len(values) {
			far := slices.Concat(values[:lo], values[hi:])
			apart = append(apart, fmt.Sprintf("%s (%s in %d of %d rows, the others %s)", quote(ds.Columns[j]),
				between(far[0], far[len(far)-1]), len(far), len(values), between(values[lo], values[hi-1])))
		}
	}
	if tailed != nil {
		notes = append(notes, fmt.Sprintf("scaling: the tails of %s are drawn in", listed(tailed)))
	}
	if apart != nil {
		notes = append(notes, fmt.Sprintf("values far from all others do not set the unit of %s; where they "+
			"stand for missing cells, leave the cells empty and give --missing impute", listed(apart)))
	}
	return notes
}

// mostListed is how many columns a note names.
const mostListed = 3

func listed(texts []string) string {
	if more := len(texts) - mostListed; more > 0 {
		texts = append(slices.Clone(texts[:mostListed]), fmt.Sprintf("%d more", more))
	}
	return strings.Join(texts, ", ")
}
