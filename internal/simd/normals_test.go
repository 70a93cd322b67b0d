package simd

import (
	"math"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/philox"
)

func TestNormals(t *testing.T) {
	key := [2]uint32{0xdeadbeef, 42}
	eachTier(t, func(t *testing.T) {
		for _, n := range []int{0, 1, 3, 4, 5, 31, 32, 33, 63, 64, 65, 1000, 33333} {
			x := make([]float32, n+1)
			x[n] = gap
			Normals32(x[:n], key, 7, 1<<31, 9)
			for i := range n {
				want := philox.Normal(key, 7, 1<<31, 9, i)
				if !(math.Abs(float64(x[i])-want) <= 1e-5) {
					t.Fatalf("n %d, element %d: %g, want %g", n, i, x[i], want)
				}
			}
			inBounds(t, n, x)
		}
	})
}

func TestNormalRows(t *testing.T) {
	key := [2]uint32{5, 6}
	eachTier(t, func(t *testing.T) {
		for _, n := range []int{0, 1, 7, 40} {
			for _, cols := range []int{1, 2, 4, 5, 13, 63, 64, 70} {
				ld := cols + 2
				x, y := make([]float32, n*ld), make([]float64, n*ld)
				for i := range x {
					x[i], y[i] = gap, gap
				}
				rows := make([]int32, n)
				for r := range rows {
					rows[r] = int32((r*7919 + 3) % 1000)
				}
				if cols%2 == 0 {
					rows = nil
				}
				NormalRows32(x, ld, n, cols, NormalRows{key, rows, 11, 8, 9})
				NormalRows64(y, ld, n, cols, NormalRows{key, rows, 11, 8, 9})
				for i := range x {
					r, c := i/ld, i%ld
					if c >= cols {
						if x[i] != gap || y[i] != gap {
							t.Fatalf("%d×%d: row %d wrote past its end", n, cols, r)
						}
						continue
					}
					want := philox.Normal(key, (&NormalRows{Rows: rows, First: 11}).c1(r), 8, 9, c)
					if !(math.Abs(float64(x[i])-want) <= 1e-5) || y[i] != want {
						t.Fatalf("%d×%d: [%d,%d] = %g and %g, want %g", n, cols, r, c, x[i], y[i], want)
					}
				}
			}
		}
	})
}
