package data

import (
	"fmt"
	"math"
)

// Open writes the scaled row to dst as a measure of distance. It does what Apply does, but without
// Clip, and logarithms continue as a straight line below the smallest training value. No value is
// beyond ±1e15.
func (s Scaler) Open(dst, row []float64) {
	for j, v := range row {
		dst[j] = s.open(j, v)
	}
}

func (s Scaler) open(j int, x float64) float64 {
	v := s.value(j, x)
	if s.Log != nil && x < s.Log.Least[j] {
		v += (x - s.Log.Least[j]) / s.Log.Unit[j] / s.Scale[j]
	}
	return min(max(v, -MostScaled), MostScaled)
}

// OpenRows are the rows lo … hi−1 of a data set as Open writes them, row-major; none where there
// are no numbers.
func (s Scaler) OpenRows(ds *Dataset, lo, hi int) []float64 {
	d := ds.D()
	if ds.X == nil {
		return nil
	}
	to := make([]float64, (hi-lo)*d)
	for i := lo; i < hi; i++ {
		row := to[(i-lo)*d : (i-lo+1)*d]
		s.Open(row, rowOf(row, ds.X, i))
	}
	return to
}

// fitRange takes column j of the training rows.
func (s *Scaler) fitRange(col []float64, j int) {
	s.Least[j], s.Most[j] = col[0], col[0]
	for _, v := range col {
		s.Least[j], s.Most[j] = min(s.Least[j], v), max(s.Most[j], v)
	}
}

// outside says how far value x of column j is outside the training range, in widths of that range,
// as it is scaled; of a constant column in its unit. 1 and more is far. Of an older model, which
// has no ranges, it is only far what Apply bounds.
func (s Scaler) outside() func(j int, x float64) float64 {
	if s.Least == nil {
		return func(j int, x float64) float64 {
			if s.Clip > 0 {
				return 0
			}
			return math.Abs(s.open(j, x)) / MostScaled
		}
	}
	least, most, width := make([]float64, len(s.Least)), make([]float64, len(s.Least)), make([]float64, len(s.Least))
	for j := range width {
		least[j], most[j] = s.open(j, s.Least[j]), s.open(j, s.Most[j])
		if width[j] = most[j] - least[j]; width[j] == 0 {
			width[j] = 1
		}
	}
	return func(j int, x float64) float64 {
		if x >= s.Least[j] && x <= s.Most[j] {
			return 0
		}
		at := s.open(j, x)
		return max(least[j]-at, at-most[j]) / width[j]
	}
}

// Far are rows with an input that is far outside the training range: farther than that range is
// wide.
type Far struct {
	Rows   int
	first  int // such a row
	column int // its input that is farthest outside
}

// Far looks for rows that are unlike those of training.
func (s Scaler) Far(ds *Dataset) (f Far) {
	values, outside := make([]float64, ds.D()), s.outside()
	for i := range ds.N() {
		worst, at := 0.0, 0
		for j, v := range rowOf(values, ds.X, i) {
			if w := outside(j, v); w > worst {
				worst, at = w, j
			}
		}
		if worst < 1 {
			continue
		}
		if f.Rows == 0 {
			f.first, f.column = i, at
		}
		f.Rows++
	}
	return f
}

// Describe is a line for people about Far.
func (s Scaler) Describe(f Far, ds *Dataset) string {
	return withOthers(s.describeFirst(f, ds), f.Rows, ds.N())
}

// withOthers says how many rows are like the one that a text describes.
func withOthers(text string, rows, of int) string {
	if rows > 1 {
		text += fmt.Sprintf("; the same holds for %d of %d rows", rows, of)
	}
	return text
}

// FarRows gathers Far over the parts of a file.
type FarRows struct {
	first    string // such a row
	rows, of int
}

// Add looks for such rows in a part.
func (f *FarRows) Add(s Scaler, ds *Dataset) {
	part := s.Far(ds)
	if f.rows == 0 && part.Rows > 0 {
		f.first = s.describeFirst(part, ds)
	}
	f.rows, f.of = f.rows+part.Rows, f.of+ds.N()
}

// Describe is Scaler.Describe of all parts; "" where no row is far.
func (f *FarRows) Describe() string { return withOthers(f.first, f.rows, f.of) }

// describeFirst is a line about the first row.
func (s Scaler) describeFirst(f Far, ds *Dataset) string {
	training := "far outside the training rows"
	if s.Least != nil {
		training = fmt.Sprintf("and %s in the training rows: far outside", between(s.Least[f.column], s.Most[f.column]))
	}
	return fmt.Sprintf("%s: column %s is %g, %s, so that the prediction means little",
		ds.Where(f.first), quote(ds.Columns[f.column]), ds.Row(f.first)[f.column], training)
}

func between(least, most float64) string {
	if least == most {
		return fmt.Sprintf("always %g", least)
	}
	return fmt.Sprintf("%g to %g", least, most)
}
