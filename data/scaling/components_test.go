package scaling

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/matrix"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// alike returns n rows of d columns that mix a few causes, each half as strong as the one before, beside noise.
func alike(n, d, causes int, seed uint64) *data.Dataset {
	ds := manyColumns(n, d, 0, seed, data.Regression)
	r := rand.New(rand.NewPCG(7, 7))
	mix := make([]float64, causes*d)
	for i := range mix {
		mix[i] = math.Pow(0.5, float64(i/d)) * r.NormFloat64()
	}
	r = rand.New(rand.NewPCG(seed, 2))
	x := ds.X.Float64s()
	for i := range n {
		for j := range d {
			x[i*d+j] = 5 + 0.01*x[i*d+j]
		}
		for c := range causes {
			z := r.NormFloat64()
			for j := range d {
				x[i*d+j] += z * mix[c*d+j]
			}
		}
	}
	return ds
}

func components(t *testing.T, ds *data.Dataset) (*Projection, float64) {
	t.Helper()
	p, shares, err := FitComponents(t.Context(), ds, must.Get(FitScaler("none", ds))(t))
	must.OK(t, err)
	must.OK(t, p.Check())
	return p, floats.Sum(shares)
}

// The scores of training rows are centred and uncorrelated, with the largest eigenvalues of the covariance of the
// columns as their variances.
func TestComponents(t *testing.T) {
	for _, size := range [][2]int{{300, 100}, {90, 80}, {40, 100}} {
		n, d := size[0], size[1]
		ds := alike(n, d, 5, 1)
		p, share := components(t, ds)
		x := ds.X.Float64s()
		centre := means(x, d, matrix.Every(n))
		cov := mat.NewSymDense(d, nil)
		for a := range d {
			for b := a; b < d; b++ {
				for i := range n {
					cov.SetSym(a, b, cov.At(a, b)+(x[i*d+a]-centre[a])*(x[i*d+b]-centre[b]))
				}
			}
		}
		var e mat.EigenSym
		e.Factorize(cov, false)
		lengths := e.Values(nil)
		z := p.Apply(ds).X.Float64s()
		width := len(p.OutputNames)
		if share < 0.999 || width > maxComponents {
			t.Errorf("%v: %d components hold %.4f of the variance", size, width, share)
		}
		for a := range 5 {
			for b := range a + 1 {
				sum, mean := 0.0, 0.0
				for i := range n {
					sum, mean = sum+z[i*width+a]*z[i*width+b], mean+z[i*width+a]/float64(n)
				}
				want := 0.0
				if a == b {
					want = lengths[d-1-a]
				}
				if math.Abs(sum-want) > 1e-5*lengths[d-1] || math.Abs(mean) > 1e-5 {
					t.Errorf("%v: scores %d and %d have the product %g, expected %g; mean %g", size, a, b, sum, want,
						mean)
				}
			}
		}
	}
}

// Columns of noise have no few directions, and constant columns have none.
func TestComponentsOfNoise(t *testing.T) {
	if _, share := components(t, manyColumns(500, 300, 2, 1, data.Regression)); share > 0.7 {
		t.Errorf("100 directions hold %.2f of the variance of 300 columns", share)
	}
	constant := alike(80, 70, 0, 1)
	x := constant.X.Float64s()
	for i := range x {
		x[i] = 3
	}
	p, shares, err := FitComponents(t.Context(), constant, must.Get(FitScaler("none", constant))(t))
	if must.OK(t, err); len(p.OutputNames) > 0 || len(shares) > 0 {
		t.Errorf("%d components of constant columns hold %g", len(p.OutputNames), shares)
	}
}

func TestComponentsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	ds := alike(80, 70, 2, 1)
	if _, _, err := FitComponents(ctx, ds, must.Get(FitScaler("none", ds))(t)); err != context.Canceled {
		t.Errorf("%v", err)
	}
}

func TestComponentsSayWhatTheyAre(t *testing.T) {
	p, _ := components(t, alike(200, 70, 3, 1))
	must.Contain(t, p.String(), " principal components of 70 columns")
}
