package fitted

import (
	"context"
	"math"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
)

// Novelty keeps points of the training rows, to measure how far another row is from them: the
// distance to the nearest of some. Its unit is the distance that 1 % of these rows exceed to their
// own nearest neighbour. So it means the same for every model and does not
// depend on what was learnt: 0 for one of these rows, seldom above 1 for similar rows, and
// unbounded far away. Numbers are compared after scaling, with equal weight for each column.
// Sequences are compared with X̄, by their features. If rows have both, the larger distance counts.
type Novelty struct {
	// numbers of some training rows [K,D], with the projection of their sequences
	Points []float64 `json:"-"`
	Width  int       `json:"-"`                 // D
	Unit   float64   `json:"unit,omitempty"`    // of distances between them
	ToXBar float64   `json:"to_xbar,omitempty"` // of distances between sequences and X̄; 0 where there are none

	tree *pointTree // of Points; nil where there are none
}

// How many training rows are kept: 512, but no more numbers than fit a megabyte, and 64 in any
// case.
const (
	mostPoints   = 512
	fewestPoints = 64
	pointNumbers = 1 << 17
)

// noveltyShare is the share of rows like those of training that are not beyond 1.
const noveltyShare = 0.99

// FitNovelty looks at training rows.
func (t *Model) FitNovelty(ds *data.Dataset, seed uint64) *Novelty {
	k := &Novelty{}
	if own, m := t.Kind.among(); own != nil {
		k.ToXBar = unit(m, func(i, j int) float64 {
			return math.Sqrt(sumOf(own[i*(len(own)/m):], j, m, len(own)/m/m))
		})
	}
	if k.Width = t.coordinates(); k.Width == 0 {
		return k
	}
	some, _ := ds.Sample(min(mostPoints, max(fewestPoints, pointNumbers/k.Width)), seed)
	k.Points = t.points(some, 0, some.N(), nil)
	k.Unit = unit(some.N(), func(i, j int) float64 {
		return math.Sqrt(squaredDistance(k.Points[i*k.Width:(i+1)*k.Width], k.Points[j*k.Width:], math.Inf(1)))
	})
	k.tree = newPointTree(k.Points, k.Width)
	return k
}

// coordinates is how many numbers of a row can be compared as columns are.
func (t *Model) coordinates() int {
	if !t.Kind.columns() {
		return 0
	}
	return t.Projection.Width(len(t.Schema.Columns)) + t.Kind.projected()
}

// points are the numbers of the rows lo … hi−1, and the projection of their sequences where the
// model has one; projected may hold it.
func (t *Model) points(ds *data.Dataset, lo, hi int, projected []float64) []float64 {
	x := t.Scaler.UnclippedRows(ds, lo, hi)
	p := t.Kind.projected()
	if p == 0 {
		return x
	}
	if projected == nil {
		projected = t.Kind.extraInputs(context.Background(), t.Kind.Coded(ds), lo, hi)
	}
	return joinColumns(hi-lo, x, projected)
}

// unit is the distance to the nearest other one of n rows that a share of noveltyShare of them does
// not exceed; the least distance above 0 where that is 0, and 1 where all rows are alike.
func unit(n int, distance func(i, j int) float64) float64 {
	nearest, least := slices.Repeat([]float64{math.Inf(1)}, n), math.Inf(1)
	for i := range n {
		for j := range i {
			d := distance(i, j)
			nearest[i], nearest[j] = min(nearest[i], d), min(nearest[j], d)
			if d > 0 {
				least = min(least, d)
			}
		}
	}
	slices.Sort(nearest)
	switch u := nearest[int(math.Ceil(noveltyShare*float64(n)))-1]; {
	case u > 0 && !math.IsInf(u, 1):
		return u
	case !math.IsInf(least, 1):
		return least
	}
	return 1
}

// sumOf adds up the squared distances to x̄_j under all maps.
func sumOf(row []float64, j, m, maps int) (sum float64) {
	for i := range maps {
		sum += row[i*m+j]
	}
	return max(0, sum)
}

// squaredDistance stops where it is more than enough.
func squaredDistance(a, b []float64, enough float64) (sum float64) {
	for len(a) > 0 && sum < enough {
		n := min(8, len(a))
		for j, v := range a[:n] {
			sum += (v - b[j]) * (v - b[j])
		}
		a, b = a[n:], b[n:]
	}
	return sum
}

// distances writes the distances of the rows lo … hi−1 to dst; x are these rows as the model reads them.
func (t *Model) distances(dst []float64, ds *data.Dataset, lo, hi int, x []float64) {
	k, n := t.Novelty, hi-lo
	width := len(x) / n
	numbers := 0
	if t.Kind.columns() {
		numbers = ds.D()
	}
	clear(dst)
	if k.ToXBar > 0 {
		_, m := t.Kind.among()
		maps := (width - numbers) / m
		for i := range dst {
			row, nearest := x[i*width+numbers:(i+1)*width], math.Inf(1)
			for j := range m {
				nearest = min(nearest, sumOf(row, j, m, maps))
			}
			dst[i] = math.Sqrt(nearest) / k.ToXBar
		}
	}
	if k.Width == 0 {
		return
	}
	var projected []float64
	if t.Kind.projected() > 0 {
		projected = columns(x, n, numbers, width-numbers)
	}
	points := t.points(ds, lo, hi, projected)
	metrics.EachRow(n, func(i int) {
		nearest := k.tree.nearest(points[i*k.Width:(i+1)*k.Width], math.Inf(1))
		dst[i] = max(dst[i], math.Sqrt(nearest)/k.Unit)
	})
}
