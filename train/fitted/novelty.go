package fitted

import (
	"context"
	"math"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
)

// Novelty holds points of the training rows, and measures the distance of another row to the nearest of them. 1 % of
// these points have their own nearest neighbour at more than one unit, so that a distance means the same for every
// model. Numbers are compared after scaling, and sequences with X̄, by their features. The larger distance counts.
type Novelty struct {
	// scaled columns [K,D] of some training rows, with the projection of their sequences
	Points []float64 `json:"-"`
	Width  int       `json:"-"`                 // D
	Unit   float64   `json:"unit,omitempty"`    // unit of distances between points
	ToXBar float64   `json:"to_xbar,omitempty"` // unit of distances between sequences and X̄; 0 without sequences
}

// The limits of the number of points.
const (
	maxPoints    = 512
	fewestPoints = 64
	pointNumbers = 1 << 17 // largest number of values, a megabyte, unless there are only fewestPoints
)

// noveltyShare is the share of training rows whose nearest neighbour is at most one unit away.
const noveltyShare = 0.99

// FitNovelty fits the Novelty to training rows.
func (m *Model) FitNovelty(ds *data.Dataset, seed uint64) *Novelty {
	nov := &Novelty{}
	if own, inducing := m.Featurizer.inducingDistances(); own != nil {
		nov.ToXBar = nearestUnit(inducing, func(i, j int) float64 {
			return math.Sqrt(sumOfMaps(own[i*(len(own)/inducing):], j, inducing, len(own)/inducing/inducing))
		})
	}
	if nov.Width = m.coordinates(); nov.Width == 0 {
		return nov
	}
	sample, _ := ds.Sample(min(maxPoints, max(fewestPoints, pointNumbers/nov.Width)), seed)
	nov.Points = m.points(sample, 0, sample.N(), nil)
	nov.Unit = nearestUnit(sample.N(), func(i, j int) float64 {
		point := nov.Points[i*nov.Width : (i+1)*nov.Width]
		return math.Sqrt(squaredDistance(point, nov.Points[j*nov.Width:], math.Inf(1)))
	})
	return nov
}

// coordinates returns the number of values of a row that are compared: scaled columns and projected features.
func (m *Model) coordinates() int {
	if !m.Featurizer.readsColumns() {
		return 0
	}
	return m.Projection.Width(m.Effects.Width(len(m.Schema.Columns))) + m.Featurizer.projectedWidth()
}

// points returns the coordinates of the rows lo … hi−1: scaled columns, and the projection of sequences if the model
// has one. projected is that projection, or nil.
func (m *Model) points(ds *data.Dataset, lo, hi int, projected []float64) []float64 {
	x := m.Scaler.UnclippedRows(ds, lo, hi)
	p := m.Featurizer.projectedWidth()
	if p == 0 {
		return x
	}
	if projected == nil {
		projected = m.Featurizer.extraInputs(context.Background(), m.Featurizer.Encode(ds), lo, hi)
	}
	return joinColumns(hi-lo, x, projected)
}

// nearestUnit returns the distance within which the share noveltyShare of n rows have their nearest neighbour. If it is
// 0, it is the least distance above 0, and if all rows are equal, it is 1.
func nearestUnit(n int, distance func(i, j int) float64) float64 {
	nearest := slices.Repeat([]float64{math.Inf(1)}, n)
	least := math.Inf(1)
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

// sumOfMaps returns the sum of the squared distances to x̄_j under all maps.
func sumOfMaps(row []float64, j, m, maps int) (sum float64) {
	for i := range maps {
		sum += row[i*m+j]
	}
	return max(0, sum)
}

// squaredDistance returns the squared distance between a and b. It stops at a part of the sum that exceeds limit.
func squaredDistance(a, b []float64, limit float64) (sum float64) {
	for len(a) > 0 && sum < limit {
		n := min(8, len(a))
		for j, v := range a[:n] {
			sum += (v - b[j]) * (v - b[j])
		}
		a, b = a[n:], b[n:]
	}
	return sum
}

// distances writes the distances of the rows lo … hi−1 to dst; x are the Inputs of these rows.
func (m *Model) distances(dst []float64, ds *data.Dataset, lo, hi int, x []float64) {
	nov := m.Novelty
	n := hi - lo
	width := len(x) / n
	numbers := 0
	if m.Featurizer.readsColumns() {
		numbers = ds.D()
	}
	clear(dst)
	if nov.ToXBar > 0 {
		_, inducing := m.Featurizer.inducingDistances()
		maps := (width - numbers) / inducing
		for i := range dst {
			row := x[i*width+numbers : (i+1)*width]
			nearest := math.Inf(1)
			for j := range inducing {
				nearest = min(nearest, sumOfMaps(row, j, inducing, maps))
			}
			dst[i] = math.Sqrt(nearest) / nov.ToXBar
		}
	}
	if nov.Width == 0 {
		return
	}
	var projected []float64
	if m.Featurizer.projectedWidth() > 0 {
		projected = columns(x, n, numbers, width-numbers)
	}
	points := m.points(ds, lo, hi, projected)
	metrics.EachRow(n, func(i int) {
		nearest, row := math.Inf(1), points[i*nov.Width:(i+1)*nov.Width]
		for p := range slices.Chunk(nov.Points, nov.Width) {
			nearest = min(nearest, squaredDistance(row, p, nearest))
		}
		dst[i] = max(dst[i], math.Sqrt(nearest)/nov.Unit)
	})
}
