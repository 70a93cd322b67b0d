package simd

import (
	"fmt"
	"math"
	"testing"
)

// Matern64 against its formulas, also at the rounding errors of a distance of 0, and its answer about near rows.
func TestMatern64(t *testing.T) {
	formula := map[int]func(u float64) (c, slope float64){
		1: func(u float64) (c, slope float64) { return math.Exp(-u), math.Exp(-u) / u },
		3: func(u float64) (c, slope float64) { return (1 + u) * math.Exp(-u), 3 * math.Exp(-u) },
		5: func(u float64) (c, slope float64) {
			return (1 + u + u*u/3) * math.Exp(-u), 5.0 / 3 * (1 + u) * math.Exp(-u)
		},
	}
	const own, scale, near = 0.75, 1.5, 1e-3
	eachTier(t, func(t *testing.T) {
		for n := range 40 {
			for twiceNu, f := range formula {
				for _, close := range []int{-1, 0, n / 2, n - 1} {
					x, half := random[float64](1, n), random[float64](2, n)
					dst, slope := append(make([]float64, n), gap), append(make([]float64, n), gap)
					for i := range half {
						half[i] *= half[i]
						x[i] = own + half[i] - 0.01*float64(1+i)
						if i%7 == 6 && close < 0 {
							x[i] = math.NaN()
						}
						if i == close {
							// nearer than 1e-3 of 0.75 and more
							x[i] = own + half[i] - []float64{0.0001, 0, -0.001}[n%3]
						}
					}
					if got, want := Matern64(dst[:n], slope[:n], x, half, own, scale, twiceNu, near), close >= 0 &&
						close < n; got != want {
						t.Fatalf("n %d, row %d near: %v", n, close, got)
					}
					for i, v := range x {
						c, s := f(math.Sqrt(-2 * float64(twiceNu) * scale * min(0, v-(own+half[i]))))
						// The root and the exponential round by one unit each; −t has an error that eˣ multiplies by t.
						for _, p := range [][2]float64{{dst[i], c}, {slope[i], s}} {
							if !(math.Abs(p[0]-p[1]) <= 2e-15*math.Abs(p[1])) && !same(math.Abs(p[0]), math.Abs(p[1])) {
								t.Fatalf("n %d, twice ν %d, element %d: %g, want %g", n, twiceNu, i, p[0], p[1])
							}
						}
					}
					inBounds(t, n, dst, slope)
				}
			}
		}
	})
}

func BenchmarkMatern64(b *testing.B) {
	const n = 4096
	x, half, dst, slope := random[float64](1, n), random[float64](2, n), make([]float64, n), make([]float64, n)
	perElement(b, "rbf", n, func() { RBF64(dst, x, half, 5, 1) })
	for _, twiceNu := range []int{1, 3, 5} {
		perElement(b, fmt.Sprintf("matern%d2", twiceNu), n, func() {
			Matern64(dst, slope, x, half, 5, 1, twiceNu, 1e-6)
		})
	}
}
