package simd

import (
	"fmt"
	"math"
	"testing"
)

// Rectify32 against its formulas, with a slope of 0 where p is 0, and NaN if p is NaN.
func TestRectify(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		for n := range 40 {
			for degree := range 3 {
				p := random[float32](3, n)
				for i := range p {
					switch i % 9 {
					case 4:
						p[i] = 0
					case 7:
						p[i] = float32(math.NaN())
					}
				}
				phi, slope := append(make([]float32, n), gap), append(make([]float32, n), gap)
				Rectify32(phi[:n], slope[:n], p, degree)
				wide, phi64, slope64 := make([]float64, n), make([]float64, n), make([]float64, n)
				for i, v := range p {
					wide[i] = float64(v)
				}
				Rectify64(phi64, slope64, wide, degree)
				inPlace := append([]float32(nil), p...)
				Rectify32(make([]float32, n), inPlace, inPlace, degree)
				for i, v := range wide {
					f, s := 0.0, 0.0
					if v > 0 {
						f, s = math.Sqrt2*math.Pow(v, float64(degree)),
							math.Sqrt2*float64(degree)*math.Pow(v, float64(degree)-1)
					}
					if v != v {
						f, s = v, v
					}
					for _, p := range [][3]float64{{phi64[i], f, 1e-15}, {slope64[i], s, 1e-15},
						{float64(phi[i]), f, 2e-7}, {float64(slope[i]), s, 2e-7}, {float64(inPlace[i]), s, 2e-7}} {
						if !(math.Abs(p[0]-p[1]) <= p[2]*math.Abs(p[1])) && !same(p[0], p[1]) {
							t.Fatalf("n %d, degree %d, p %g: %g, want %g", n, degree, v, p[0], p[1])
						}
					}
				}
				inBounds(t, n, phi, slope)
			}
		}
	})
}

func BenchmarkRectify32(b *testing.B) {
	const n = 4096
	x, y, z := random[float32](1, n), make([]float32, n), make([]float32, n)
	perElement(b, "sines", n, func() { SinCos32(y, z, x) })
	for degree := range 3 {
		perElement(b, fmt.Sprint("degree", degree), n, func() { Rectify32(y, z, x, degree) })
	}
}
