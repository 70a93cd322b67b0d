package metrics

import (
	"math/rand/v2"
	"testing"
)

// BenchmarkQuantiles is what a table of predictions asks of a row.
func BenchmarkQuantiles(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	const s, n = 100, 8192
	m := Mixture{S: s, N: n, Mean: make([]float64, s*n), Var: make([]float64, s*n)}
	for i := range m.Mean {
		m.Mean[i], m.Var[i] = 0.2*rng.NormFloat64(), 0.05*(1+rng.Float64())
	}
	n0 := 0
	for b.Loop() {
		row := m.Row(n0 % n)
		for _, p := range []float64{0.05, 0.25, 0.5, 0.75, 0.95} {
			row.Quantile(p)
		}
		n0++
	}
}
