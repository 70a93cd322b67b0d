package fitted

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestNearest: the tree finds the bits that comparing all points finds, also where points are equal, few, on a line, or
// far from the row.
func TestNearest(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	draw := func(n int, of func() float64) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = of()
		}
		return x
	}
	for _, c := range []struct {
		name     string
		k, width int
		of       func() float64
	}{
		{"one point", 1, 3, rng.NormFloat64},
		{"a leaf", leafPoints, 2, rng.NormFloat64},
		{"one more", leafPoints + 1, 2, rng.NormFloat64},
		{"an odd number", 33, 4, rng.NormFloat64},
		{"all", maxPoints, 4, rng.NormFloat64},
		{"one axis", maxPoints, 1, rng.NormFloat64},
		{"many axes", 100, 50, rng.NormFloat64},
		{"equal points", 200, 3, func() float64 { return 2 }},
		{"a grid", 300, 3, func() float64 { return float64(rng.IntN(3)) }},
		{"huge", 300, 3, func() float64 { return rng.NormFloat64() * 1e15 }},
	} {
		x := draw(c.k*c.width, c.of)
		before := slices.Clone(x)
		tree := newPointTree(x, c.width)
		if !slices.Equal(x, before) {
			t.Errorf("%s: the points were moved", c.name)
		}
		for range 300 {
			row := draw(c.width, c.of)
			if rng.IntN(4) == 0 {
				row[0] += 1e6
			}
			want := math.Inf(1)
			for p := range slices.Chunk(x, c.width) {
				want = min(want, squaredDistance(row, p, math.Inf(1)))
			}
			if got := tree.nearest(row, math.Inf(1)); got != want {
				t.Fatalf("%s: %v, and %v by comparing all", c.name, got, want)
			}
		}
	}
}
