package philox

import (
	"fmt"
	"iter"
	"maps"
	"math"
	"testing"
)

// strata returns the strata in which the points of a hypercube lie in coordinate i of a row, by Φ of its normals.
func strata(t *testing.T, n, i int, row uint32) []int {
	t.Helper()
	at := make([]int, n)
	for s := range at {
		z := Latin([2]uint32{3, 4}, uint32(i/4), row, 5, uint32(s)<<16|6, n)[i%4]
		at[s] = int(math.Floor(float64(n) * math.Erfc(-z/math.Sqrt2) / 2))
		if again := Latin([2]uint32{3, 4}, uint32(i/4), row, 5, uint32(s+n)<<16|6, n)[i%4]; again == z {
			t.Fatal("two hypercubes are equal")
		}
	}
	return at
}

// Of n points there is one in each stratum of each coordinate, and all orders are as likely, in one coordinate whatever
// they are in another.
func TestLatinStrata(t *testing.T) {
	for _, n := range []int{1, 2, 3, 7, 16} {
		for row := range uint32(50) {
			for i := range 5 {
				seen := make([]bool, n)
				for _, at := range strata(t, n, i, row) {
					if at < 0 || at >= n || seen[at] {
						t.Fatalf("%d points: stratum %d twice, or outside", n, at)
					}
					seen[at] = true
				}
			}
		}
	}
	const draws = 36000
	orders, pairs := map[[3]int]int{}, map[[6]int]int{}
	for row := range uint32(draws) {
		a, b := [3]int(strata(t, 3, 1, row)), [3]int(strata(t, 3, 6, row))
		orders[a]++
		pairs[[6]int{a[0], a[1], a[2], b[0], b[1], b[2]}]++
	}
	if len(orders) != 6 || len(pairs) != 36 {
		t.Fatalf("%d orders of 6, %d pairs of 36", len(orders), len(pairs))
	}
	// five standard errors of χ² with 5 and with 35 degrees of freedom
	chi := func(counts iter.Seq[int], expected float64) (sum float64) {
		for c := range counts {
			sum += (float64(c) - expected) * (float64(c) - expected) / expected
		}
		return sum
	}
	one, two := chi(maps.Values(orders), draws/6), chi(maps.Values(pairs), draws/36)
	if one > 5+5*math.Sqrt(10) || two > 35+5*math.Sqrt(70) {
		t.Errorf("orders are not alike: χ² %.1f of 5, %.1f of 35", one, two)
	}
}

// Each point by itself is a standard normal, also in its tails; two coordinates of a point do not correlate.
func TestLatinMoments(t *testing.T) {
	const n = 1 << 16
	for s := range uint32(3) {
		var all []float64
		var cross, beyond float64
		for i := range uint32(n / 4) {
			z := Latin([2]uint32{1, 2}, i, 3, 4, s<<16|5, 3)
			cross += (z[0]*z[1] + z[2]*z[3]) / (n / 2)
			all = append(all, z[:]...)
			for _, v := range z {
				if math.Abs(v) > 3 {
					beyond++
				}
			}
		}
		momentsOfNormals(t, fmt.Sprint("point ", s), all)
		if math.Abs(cross) > 5/math.Sqrt(n/2) {
			t.Errorf("coordinates correlate: %g", cross)
		}
		if want := n * math.Erfc(3/math.Sqrt2); math.Abs(beyond-want) > 5*math.Sqrt(want) {
			t.Errorf("%g of %d beyond 3, expected %.0f", beyond, n, want)
		}
	}
}

// The means of an odd and of an even function of one coordinate vary much less than with independent normals.
func TestLatinVariance(t *testing.T) {
	const n, draws = 4, 4000
	var odd, even float64
	for row := range uint32(draws) {
		a, b := 0.0, 0.0
		for s := range uint32(n) {
			z := Latin([2]uint32{5, 6}, 0, row, 7, s<<16|8, n)[2]
			a += z / n
			b += (z*z - 1) / n
		}
		odd += a * a / draws
		even += b * b / draws
	}
	// A quarter of the mean variance within a stratum: 0.139 and 1.27, where independent normals have 1 and 2.
	if math.Abs(odd*n-0.139) > 0.02 || math.Abs(even*n-1.27) > 0.2 {
		t.Errorf("variance of the mean: %.3f and %.3f, expected 0.139 and 1.27", odd*n, even*n)
	}
}

func BenchmarkLatin(b *testing.B) {
	for i := range b.N {
		Latin([2]uint32{1, 2}, uint32(i), 3, 4, 5, 4)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(4*b.N), "ns/normal")
}
