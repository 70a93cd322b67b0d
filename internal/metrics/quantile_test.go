package metrics

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestQuantiles: several levels at once are the levels one by one, with the same bits.
func TestQuantiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	levels := []float64{1e-9, 0.05, 0.5, 0.75, 1 - 1e-9}
	for name, m := range map[string]Mixture{
		"a normal":        {S: 1},
		"Student's t":     {S: 1, Student: []*Student{NewStudent(3)}},
		"normals":         {S: 7},
		"a normal beside": {S: 2, Student: []*Student{NewStudent(3), nil}},
	} {
		m.N = 20
		for range m.S * m.N {
			m.Mean, m.Var = append(m.Mean, rng.NormFloat64()), append(m.Var, 0.01+rng.Float64())
		}
		find, got := Quantiles(m, levels), make([]float64, len(levels))
		for n := range m.N {
			find(n, got)
			for k, p := range levels {
				if want := m.QuantilesOf(n)(p); got[k] != want {
					t.Errorf("%s, row %d at %g: %v, and %v by itself", name, n, p, got[k], want)
				}
			}
		}
	}
}

// A quantile at a level that is no probability is NaN.
func TestNoQuantile(t *testing.T) {
	for _, student := range []*Student{nil, NewStudent(3)} {
		m := Mixture{S: 2, N: 1, Mean: []float64{0, 1}, Var: []float64{1}, Student: []*Student{student, student}}
		for _, p := range []float64{-1, 2, math.NaN(), math.Inf(-1)} {
			if q := m.QuantilesOf(0)(p); !math.IsNaN(q) {
				t.Errorf("%g at %g", q, p)
			}
		}
	}
}

// BenchmarkQuantiles times a row of a table of predictions.
func BenchmarkQuantiles(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	const s, n = 100, 8192
	m := Mixture{S: s, N: n, Mean: make([]float64, s*n), Var: make([]float64, s*n)}
	for i := range m.Mean {
		m.Mean[i], m.Var[i] = 0.2*rng.NormFloat64(), 0.05*(1+rng.Float64())
	}
	n0 := 0
	for b.Loop() {
		at := m.QuantilesOf(n0 % n)
		for _, p := range []float64{0.05, 0.25, 0.5, 0.75, 0.95} {
			at(p)
		}
		n0++
	}
}

// extremeLevels are levels near 0 and 1, down to the least that float64 has.
var extremeLevels = []float64{5e-324, 1e-310, 1e-300, 1e-100, 1e-20, 1e-16, 1e-9, 0.01, 0.3, 0.5, 0.7, 0.99,
	1 - 1e-9, 1 - 1e-16}

// Quantiles hold at every level of float64: the CDF of each is the level, relative to the level's distance from 0 and
// from 1, and they rise with the level.
func TestExtremeQuantiles(t *testing.T) {
	heavy, light := NewStudent(2.1), NewStudent(400)
	for name, m := range map[string]Mixture{
		"a normal":             {S: 1, Mean: []float64{3}, Var: []float64{4}},
		"normals":              {S: 3, Mean: []float64{-5, 0, 2}, Var: []float64{0.01, 1, 9}},
		"normals and an outer": {S: 2, Mean: []float64{-1, 1}, Var: []float64{1}, Outer: 0.01},
		"a normal far away":    {S: 2, Mean: []float64{0, 1e6}, Var: []float64{1}, Weight: []float64{0.999, 0.001}},
		"Student's t":          {S: 1, Mean: []float64{3}, Var: []float64{4}, Student: []*Student{heavy}},
		"almost a normal":      {S: 1, Mean: []float64{3}, Var: []float64{4}, Student: []*Student{light}},
		"Student's t and outer": {S: 2, Mean: []float64{0, 9}, Var: []float64{1, 3},
			Student: []*Student{light, nil}, Outer: 0.1},
	} {
		m.N = 1
		quantile, below := m.QuantilesOf(0), math.Inf(-1)
		for _, p := range extremeLevels {
			y := quantile(p)
			got, want := m.CDF(0, y), p
			if p > 0.5 {
				got, want = m.survival(0, y), 1-p
			}
			few := want < smallestNormal // digits of a CDF
			if math.IsInf(y, 0) || !(y > below) || !few && !(math.Abs(math.Log(got/want)) <= 1e-8) {
				t.Errorf("%s: the quantile at %g is %g, of probability %g", name, p, y, got)
			}
			below = y
		}
	}
	for p, want := range map[float64]float64{1e-300: -37.0470964, 5e-324: -38.4674056, 1e-16: -8.2220822} { // by mpmath
		check(t, "normal quantile", normalQuantile(p), want, 1e-8)
	}
}

// A quantile of counts is the least count whose CDF is at least the level, at every level of float64.
func TestExtremeQuantilesOfCounts(t *testing.T) {
	for _, dispersion := range []float64{0, 1e-18, 1e-6, 0.4, 3} {
		for _, log := range []float64{-5, 1, 3, 7, 14} {
			c := Counts{S: 1, N: 1, LogRate: []float64{log}, Dispersion: []float64{dispersion}}
			quantile, before := c.QuantilesOf(0), 0.0
			for _, p := range extremeLevels {
				y := quantile(p)
				if y < before || y != math.Floor(y) || c.isBelow(0, y, p) || y > 0 && !c.isBelow(0, y-1, p) {
					t.Errorf("rate e^%g, dispersion %g: the quantile at %g is %g", log, dispersion, p, y)
				}
				before = y
				if _, variance := c.Moments(0); variance < 1e6 {
					checkTail(t, c, y, p)
				}
			}
		}
	}
}

// checkTail compares the tail at y, the quantile at p, with the sum of its probabilities.
func checkTail(t *testing.T, c Counts, y, p float64) {
	t.Helper()
	upTo, above := c.split(0, y)
	tail, from, step := upTo, y, -1.0
	if p > 0.5 {
		tail, from, step = above, y+1, 1
	}
	sum := 0.0
	for range 20000 {
		sum += math.Exp(c.LogDensity(0, from))
		from += step
	}
	if tail > 1e-300 && math.Abs(math.Log(sum/tail)) > 1e-4 {
		t.Errorf("%+v: at %g a tail of %g, and of %g by its sum", c, p, tail, sum)
	}
}
