package main

import (
	"math"
	"slices"
	"testing"
)

func TestRanksOf(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct{ values, want []float64 }{
		{[]float64{3, 1, 2}, []float64{3, 1, 2}},
		{[]float64{1, 1, 2}, []float64{1.5, 1.5, 3}},
		{[]float64{5, 5, 5, 5}, []float64{2.5, 2.5, 2.5, 2.5}},
		{[]float64{inf, 0, inf}, []float64{2.5, 1, 2.5}},
	} {
		if got := ranksOf(c.values); !slices.Equal(got, c.want) {
			t.Errorf("ranks of %v are %v, expected %v", c.values, got, c.want)
		}
	}
}

// The example of Demšar (2006): four classifiers on 14 sets, 1.25. And another by hand.
func TestCriticalDifference(t *testing.T) {
	for _, c := range []struct {
		k, n int
		want float64
	}{{4, 14, 1.2535}, {5, 30, 1.1137}, {2, 6, 0.8002}} {
		if got := criticalDifference(c.k, c.n); math.Abs(got-c.want) > 5e-5 {
			t.Errorf("%d methods on %d sets: %.4f, expected %.4f", c.k, c.n, got, c.want)
		}
	}
	if most := len(suiteMethods()); most > len(nemenyi)+1 {
		t.Errorf("%d methods, and the table of quantiles ends at %d", most, len(nemenyi)+1)
	}
}

func TestVerdictOfFolds(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		a, b []float64
		want int
	}{
		{[]float64{.1}, []float64{.2}, 0}, {[]float64{.2}, []float64{.1}, 2}, {[]float64{.1}, []float64{.105}, 1},
		{[]float64{.1, .3}, []float64{.2, .4}, 0},
		{[]float64{.1, .5}, []float64{.2, .39}, 1}, // +.005 ± .105
		{[]float64{inf}, []float64{.1}, 2}, {[]float64{.1, .1}, []float64{inf, .1}, 0},
		{[]float64{inf}, []float64{inf}, 1},
	} {
		if got := verdict(c.a, c.b); got != c.want {
			t.Errorf("%v beside %v: %d, expected %d", c.a, c.b, got, c.want)
		}
	}
}
