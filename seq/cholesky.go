package seq

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/internal/simd"
)

// panel is how many rows of a matrix are factorised at a time.
const panel = 48

// invertFactor overwrites the lower triangle of g = LLᵀ by L, and returns L⁻¹, lower triangular.
func invertFactor(g []float64, n int) []float64 {
	pack := simd.NewPack[float64]()
	for from := 0; from < n; from += panel {
		to := min(from+panel, n)
		for i := from; i < n; i++ {
			for j := from; j < min(i+1, to); j++ {
				v := g[i*n+j] - simd.Dot64(g[i*n+from:i*n+j], g[j*n+from:j*n+j])
				if i == j {
					g[i*n+i] = math.Sqrt(v)
				} else {
					g[i*n+j] = v / g[j*n+j]
				}
			}
		}
		for lo := to; lo < n; lo += panel { // the columns behind the panel, a panel of rows at a time
			hi := min(lo+panel, n)
			simd.Gemm64(pack, false, true, hi-lo, hi-to, to-from, -1, g[lo*n+from:], n,
				g[to*n+from:], n, 1, g[lo*n+to:], n)
		}
	}
	inverse := make([]float64, n*n)
	for from := 0; from < n; from += panel {
		to := min(from+panel, n)
		for col := 0; col < from; col += panel { // L⁻¹ there has no rows above col
			end := min(col+panel, from)
			simd.Gemm64(pack, false, false, to-from, end-col, from-col, -1, g[from*n+col:], n,
				inverse[col*n+col:], n, 0, inverse[from*n+col:], n)
		}
		for i := from; i < to; i++ {
			row := inverse[i*n : i*n+i+1]
			row[i] = 1
			for j := from; j < i; j++ {
				simd.Axpy64(-g[i*n+j], inverse[j*n:j*n+j+1], row[:j+1])
			}
			for j := range row {
				row[j] /= g[i*n+i]
			}
		}
	}
	return inverse
}
