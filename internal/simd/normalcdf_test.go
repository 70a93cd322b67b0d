package simd

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// NormalCDF64 is compared with gonum's, at and between knots, beyond them and at specials.
func TestNormalCDF64(t *testing.T) {
	var u []float64
	for v := -40.0; v < 40; v += 0.00137 {
		u = append(u, v)
	}
	for k := -8 * perUnit; k <= 8*perUnit; k++ {
		knot := float64(k) / perUnit
		u = append(u, knot, math.Nextafter(knot, 9), knot+0.5/perUnit, math.Nextafter(knot, -9))
	}
	u = append(u, math.Inf(1), math.Inf(-1), math.Copysign(0, -1))
	eachTier(t, func(t *testing.T) {
		below, density := make([]float64, len(u)), make([]float64, len(u))
		NormalCDF64(below, density, u)
		for i, v := range u {
			if want := distuv.UnitNormal.CDF(v); !(math.Abs(below[i]-want) <= math.Min(1e-15, 1e-11*want)) {
				t.Fatalf("Φ(%v) = %g, want %g", v, below[i], want)
			}
			want := math.Exp(-v*v/2) / math.Sqrt(2*math.Pi)
			if !(math.Abs(density[i]-want) <= 1e-15) {
				t.Fatalf("φ(%v) = %g, want %g", v, density[i], want)
			}
		}
		none := []float64{math.NaN()}
		NormalCDF64(below[:1], density[:1], none)
		if !math.IsNaN(below[0]) || !math.IsNaN(density[0]) {
			t.Errorf("of NaN: %g, %g", below[0], density[0])
		}
	})
}

func BenchmarkNormalCDF64(b *testing.B) {
	eachTierQuietly(func() {
		b.Run(Tier(), func(b *testing.B) {
			u := random[float64](1, 100)
			below, density := make([]float64, len(u)), make([]float64, len(u))
			for b.Loop() {
				NormalCDF64(below, density, u)
			}
		})
	})
}
