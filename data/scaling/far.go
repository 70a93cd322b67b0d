package scaling

import (
	"fmt"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/matrix"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
)

// unclipped writes the scaled row to dst as a measure of distance. Unlike Apply, it does not clip, and continues
// logarithms as a straight line below the smallest training value. No value is beyond ±1e15.
func (s Scaler) unclipped(dst, row []float64) {
	for j, v := range row {
		dst[j] = s.unclippedValue(j, v)
	}
}

func (s Scaler) unclippedValue(j int, x float64) float64 {
	v := s.value(j, x)
	if s.Log != nil && x < s.Log.Min[j] {
		v += (x - s.Log.Min[j]) / s.Log.Unit[j] / s.Scale[j]
	}
	return min(max(v, -MaxScaled), MaxScaled)
}

// UnclippedRows returns the rows lo … hi−1 of a data set as unclipped writes them, row-major; none if there are no
// numbers.
func (s Scaler) UnclippedRows(ds *data.Dataset, lo, hi int) []float64 {
	return mapRows(ds.X, lo, hi, s.unclipped)
}

// outside returns the distance of value x of column j from the training range, in widths of the scaled range, or in the
// unit of a constant column. A distance of 1 or more is far.
func (s Scaler) outside() func(j int, x float64) float64 {
	least, most, width := make([]float64, len(s.Min)), make([]float64, len(s.Min)), make([]float64, len(s.Min))
	for j := range width {
		least[j], most[j] = s.unclippedValue(j, s.Min[j]), s.unclippedValue(j, s.Max[j])
		if width[j] = most[j] - least[j]; width[j] == 0 {
			width[j] = 1
		}
	}
	return func(j int, x float64) float64 {
		if x >= s.Min[j] && x <= s.Max[j] {
			return 0
		}
		at := s.unclippedValue(j, x)
		return max(least[j]-at, at-most[j]) / width[j]
	}
}

// FarRows are rows with an input whose distance from the training range exceeds the width of that range.
type FarRows struct {
	Rows  int
	of    int    // number of rows that were checked
	first string // description of the first far row
}

// Add looks for far rows in a part of a file.
func (f *FarRows) Add(s Scaler, ds *data.Dataset) {
	values := make([]float64, ds.D())
	outside := s.outside()
	for i := range ds.N() {
		worst, at := 0.0, 0
		for j, v := range matrix.Row(values, ds.X, i) {
			if w := outside(j, v); w > worst {
				worst, at = w, j
			}
		}
		if worst < 1 {
			continue
		}
		if f.Rows++; f.Rows == 1 {
			text := ds.Formatter(at)
			f.first = fmt.Sprintf("%s: column %s is %s, and %s in the training rows: far outside, so the "+
				"prediction is unreliable", ds.RowLocation(i), phrase.Quote(ds.Columns[at]), text(ds.Row(i)[at]),
				between(s.Min[at], s.Max[at], text))
		}
	}
	f.of += ds.N()
}

// Describe writes a line for people; "" if no row is far.
func (f *FarRows) Describe() string {
	if f.Rows < 2 {
		return f.first
	}
	return fmt.Sprintf("%s; the same holds for %d of %d rows", f.first, f.Rows, f.of)
}

func between(least, most float64, text func(v float64) string) string {
	if least == most {
		return "always " + text(least)
	}
	return text(least) + " to " + text(most)
}
