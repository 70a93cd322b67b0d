package fitted

import (
	"math"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
)

// The draws' moments come to the mixture's own, at the rate of a Monte-Carlo estimate.
func TestDraws(t *testing.T) {
	m := metrics.Mixture{S: 3, N: 2, Mean: []float64{-1, 10, 0, 10, 4, 13}, Var: []float64{0.25, 4}}
	const draws = 40000
	got := Draws(m, 0, draws, 7)
	for n := range m.N {
		mean, total := m.Moments(n)
		if e := math.Abs(got.Mean[n]-mean) / math.Sqrt(total/draws); e > 4 {
			t.Errorf("row %d: mean %g, expected %g: %.1f standard errors", n, got.Mean[n], mean, e)
		}
		if math.Abs(got.Var[n]/total-1) > 0.05 {
			t.Errorf("row %d: variance %g, expected %g", n, got.Var[n], total)
		}
	}
	// Equal rows have equal draws, whatever their numbers.
	alike := Draws(metrics.Mixture{S: 2, N: 2, Mean: []float64{-1, -1, 4, 4}, Var: []float64{0.25, 0.25}}, 0, 10, 7)
	if alike.Mean[0] != alike.Mean[1] || alike.Var[0] != alike.Var[1] {
		t.Errorf("equal rows have the moments %v and %v", alike.Mean, alike.Var)
	}
	one := metrics.Mixture{S: 1, N: 1, Mean: []float64{5}, Var: []float64{1}}
	a, b := Draws(one, 0, 2, 1), Draws(one, 0, 2, 2)
	if a.Mean[0] == b.Mean[0] {
		t.Error("another seed gave the same draws")
	}
	if again := Draws(one, 0, 2, 1); again.Mean[0] != a.Mean[0] || again.Var[0] != a.Var[0] {
		t.Error("the same seed gave other draws")
	}
	// With T−1 in the denominator the variance is right on average, also for T = 2.
	sum := 0.0
	for seed := range uint64(20000) {
		sum += Draws(one, 0, 2, seed).Var[0]
	}
	if mean := sum / 20000; math.Abs(mean-1) > 0.05 {
		t.Errorf("the variance of two draws is %g on average, expected 1", mean)
	}
}

// A draw has one component for all rows and targets, and noise for each.
func TestDraw(t *testing.T) {
	m := metrics.Mixture{S: 2, N: 2, Mean: []float64{-100, -100, 100, 100}, Var: []float64{1, 1},
		Weight: []float64{0.25, 0.75}}
	const draws = 20000
	upper, sum, squares, both := 0, 0.0, 0.0, 0.0
	for k := range draws {
		a, b, c := Draw(m, 0, 0, 0, k, 7), Draw(m, 1, 1, 0, k, 7), Draw(m, 0, 0, 1, k, 7)
		if (a > 0) != (b > 0) || (a > 0) != (c > 0) {
			t.Fatalf("draw %d: %g, %g and %g come from two components", k, a, b, c)
		}
		if a == b || a == c {
			t.Fatalf("draw %d: rows or targets have the same noise", k)
		}
		centre := math.Copysign(100, a)
		if a > 0 {
			upper++
		}
		sum, squares, both = sum+a-centre, squares+(a-centre)*(a-centre), both+(a-centre)*(b-centre)
	}
	if share := float64(upper) / draws; math.Abs(share-0.75) > 0.02 {
		t.Errorf("the component of weight 0.75 has a share of %g", share)
	}
	if math.Abs(sum/draws) > 0.03 || math.Abs(squares/draws-1) > 0.05 || math.Abs(both/draws) > 0.03 {
		t.Errorf("noise of mean %g, variance %g, and covariance %g between rows", sum/draws, squares/draws, both/draws)
	}
}
