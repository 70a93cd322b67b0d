//go:build cuda && cgo

package gpu

import (
	"fmt"
	"math"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// Potrf gives L and L⁻¹, also by products with the panels before, and on the other rungs of the ladder: L Lᵀ = c +
// jitter·I, L L⁻¹ = I.
func TestPotrfInverse(t *testing.T) {
	defer func(n int) { updateEvery = n }(updateEvery)
	for _, n := range []int{updateEvery, tile} {
		for _, m := range []int{1, 64, 65, 150} {
			singular := n == tile // the last of the matrices is, and climbs
			t.Run(fmt.Sprintf("%d of %d", n, m), func(t *testing.T) {
				updateEvery = n
				d := open(t, true)
				const k = 2
				c := make([]float64, k*m*m)
				for i := range c {
					row, column := i/m%m, i%m
					switch {
					case column > row:
						c[i] = math.NaN() // it is not read
					case singular && i/(m*m) == 1 && row == column:
						c[i] = 1 - 5e-6
					case singular && i/(m*m) == 1:
						c[i] = 1
					default:
						c[i] = math.Exp(-math.Abs(float64(row-column)) / 9)
					}
				}
				l, jitter, source := d.New(device.Double, k, m, m), d.New(device.Double, k),
					d.New(device.Double, k, m, m)
				d.Upload(source, c)
				d.Potrf(l, jitter, source)
				eye, x := make([]float64, k*m*m), d.New(device.Double, k, m, m)
				for i := range eye {
					if i/m%m == i%m {
						eye[i] = 1
					}
				}
				identity := d.New(device.Double, k, m, m)
				d.Upload(identity, eye)
				d.Trsm(x, l, identity)
				factor, inverse, rungs := download(d, l), download(d, x), download(d, jitter)
				for at := range k {
					if climbed := singular && m > 1 && at == 1; climbed != (rungs[at] > device.JitterLadder[0]) ||
						rungs[at] < 0 {
						t.Fatalf("matrix %d has jitter %g", at, rungs[at])
					}
					for i := range m {
						for j := range m {
							row, column := factor[(at*m+i)*m:][:m], factor[(at*m+j)*m:][:m]
							var product, one float64
							for p := range m {
								product += row[p] * column[p]
								one += row[p] * inverse[(at*m+p)*m+j]
							}
							if i == j {
								product -= rungs[at]
								one--
							}
							if j <= i && math.Abs(product-c[(at*m+i)*m+j]) > 1e-13 {
								t.Fatalf("matrix %d: L Lᵀ has %g at %d, %d, c has %g", at, product, i, j,
									c[(at*m+i)*m+j])
							}
							if math.Abs(one) > 1e-9 || j > i && row[j] != 0 {
								t.Fatalf("matrix %d: L L⁻¹ is %g from I at %d, %d, and L is %g", at, one, i, j, row[j])
							}
						}
					}
				}
			})
		}
	}
}
