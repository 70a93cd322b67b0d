package metrics

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestQuantiles: several levels at once are the levels one by one, with the same bits. They rise, as far as levels do.
func TestQuantiles(t *testing.T) {
	levels := []float64{1e-300, 1e-20, 1e-9, 0.05, 0.5, 0.75, 1 - 1e-9, 1 - 1e-16}
	for name, m := range map[string]Mixture{
		"a normal":        {S: 1},
		"Student's t":     {S: 1, Student: []*StudentT{NewStudentT(3)}},
		"normals":         {S: 7},
		"a normal beside": {S: 2, Student: []*StudentT{NewStudentT(3), nil}},
		"far normals":     {S: 3, TailShare: 0.01},
	} {
		rng := rand.New(rand.NewPCG(2, 2))
		m.N = 20
		for range m.S * m.N {
			m.Mean, m.Var = append(m.Mean, rng.NormFloat64()), append(m.Var, 0.01+rng.Float64())
		}
		find, got := Quantiles(m, levels), make([]float64, len(levels))
		for n := range m.N {
			find(n, got)
			for k, p := range levels {
				if want := m.QuantileFunc(n)(p); got[k] != want {
					t.Errorf("%s, row %d at %g: %v, and %v by itself", name, n, p, got[k], want)
				}
				if k > 0 && !(got[k] > got[k-1]) {
					t.Errorf("%s, row %d at %g: %v after %v", name, n, p, got[k], got[k-1])
				}
				if math.IsInf(got[k], 0) {
					t.Errorf("%s, row %d at %g: %v is not finite", name, n, p, got[k])
				}
			}
		}
	}
}

// A quantile at a level that is no probability is NaN.
func TestNoQuantile(t *testing.T) {
	for _, student := range []*StudentT{nil, NewStudentT(3)} {
		m := Mixture{S: 2, N: 1, Mean: []float64{0, 1}, Var: []float64{1}, Student: []*StudentT{student, student}}
		for _, p := range []float64{-1, 2, math.NaN(), math.Inf(-1)} {
			if q := m.QuantileFunc(0)(p); !math.IsNaN(q) {
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
		at := m.QuantileFunc(n0 % n)
		for _, p := range []float64{0.05, 0.25, 0.5, 0.75, 0.95} {
			at(p)
		}
		n0++
	}
}
