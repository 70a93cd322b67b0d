package simd

import (
	"math"
	"unsafe"
)

// Which assembly a kernel is, by tier.

func exp32Kernel(dst, x []float32) {
	if active == avx512 {
		exp32AVX512(len(x), &x[0], &dst[0])
	} else {
		exp32AVX2(len(x), &x[0], &dst[0])
	}
}

func exp64Kernel(dst, x []float64) {
	if active == avx512 {
		exp64AVX512(len(x), &x[0], &dst[0])
	} else {
		exp64AVX2(len(x), &x[0], &dst[0])
	}
}

// sinCos32Kernel returns how many elements are left because of a large one among them.
func sinCos32Kernel(sin, cos, x []float32) int {
	if active == avx512 {
		return sinCos32AVX512(len(x), &x[0], &sin[0], &cos[0])
	}
	return sinCos32AVX2(len(x), &x[0], &sin[0], &cos[0])
}

func rbf64Kernel(dst, x, half []float64, own, scale float64) {
	if active == avx512 {
		rbf64AVX512(len(x), &dst[0], &x[0], &half[0], own, scale)
	} else {
		rbf64AVX2(len(x), &dst[0], &x[0], &half[0], own, scale)
	}
}

func matern64Kernel(dst, slope, x, half []float64, own, scale, near float64, twiceNu int) (isNear bool) {
	// AVX2 writes the others
	nearest := [8]float64{4: math.Inf(-1), 5: math.Inf(-1), 6: math.Inf(-1), 7: math.Inf(-1)}
	if twiceNu == 1 {
		if active == avx512 {
			laplace64AVX512(len(x), &dst[0], &slope[0], &x[0], &half[0], own, scale, near, &nearest)
		} else {
			laplace64AVX2(len(x), &dst[0], &slope[0], &x[0], &half[0], own, scale, near, &nearest)
		}
	} else {
		co := maternTerms(twiceNu)
		if active == avx512 {
			matern64AVX512(len(x), &dst[0], &slope[0], &x[0], &half[0], own, scale, near, &co, &nearest)
		} else {
			matern64AVX2(len(x), &dst[0], &slope[0], &x[0], &half[0], own, scale, near, &co, &nearest)
		}
	}
	for _, v := range nearest {
		isNear = isNear || v >= 0
	}
	return isNear
}

func rotate32Kernel(dst, cos, sin, a, b []float32) {
	if active == avx512 {
		rotate32AVX512(len(dst), &dst[0], &cos[0], &sin[0], &a[0], &b[0])
	} else {
		rotate32AVX2(len(dst), &dst[0], &cos[0], &sin[0], &a[0], &b[0])
	}
}

func rectify32Kernel(phi, slope, p []float32, co *[5]float32) {
	if active == avx512 {
		rectify32AVX512(len(p), &phi[0], &slope[0], &p[0], co)
	} else {
		rectify32AVX2(len(p), &phi[0], &slope[0], &p[0], co)
	}
}

func adam32Kernel(p, g, m, v, rate []float32, co *[9]float32) {
	if active == avx512 {
		adam32AVX512(len(p), &p[0], &g[0], &m[0], &v[0], &rate[0], co)
	} else {
		adam32AVX2(len(p), &p[0], &g[0], &m[0], &v[0], &rate[0], co)
	}
}

func adam64Kernel(p, g, m, v, rate []float64, co *[9]float64) {
	if active == avx512 {
		adam64AVX512(len(p), &p[0], &g[0], &m[0], &v[0], &rate[0], co)
	} else {
		adam64AVX2(len(p), &p[0], &g[0], &m[0], &v[0], &rate[0], co)
	}
}

func normals32Kernel(blocks int, dst *float32, keys *[20]uint32, c0, c1 *[16]uint32, c2, c3 uint32) {
	if active == avx512 {
		normals32AVX512(blocks, dst, keys, c0, c1, c2, c3)
	} else {
		normals32AVX2(blocks, dst, keys, c0, c1, c2, c3)
	}
}

// The squares that the transpositions move.
const (
	square32 = 8
	square64 = 4
)

// panelBytes returns the width of a panel of B: two registers.
func panelBytes() int {
	if active == avx512 {
		return 128
	}
	return 64
}

// multiplyRows runs the micro-kernel over groups of rows, as tall as its tiles may be. block is op(B).
func (q *matmul[T]) multiplyRows(block []T) {
	heights := []int{6, 4, 2, 1}
	if active == avx512 {
		heights = []int{12, 8, 4, 2, 1}
	}
	write, size := 0, sizeOf[T]()
	if q.beta == 0 {
		write = 1
	}
	for i, h := 0, 0; i < q.m; i += heights[h] {
		for heights[h] > q.m-i {
			h++
		}
		x, y, z := unsafe.Pointer(&q.a.x[i*q.a.ld]), unsafe.Pointer(&block[0]), unsafe.Pointer(&q.c[i*q.ldc])
		switch {
		case active == avx512 && size == 4:
			gemm32AVX512(heights[h], q.n, q.k, float32(q.alpha), (*float32)(x), 4*q.a.ld, (*float32)(y),
				(*float32)(z), 4*q.ldc, write)
		case active == avx512:
			gemm64AVX512(heights[h], q.n, q.k, float64(q.alpha), (*float64)(x), 8*q.a.ld, (*float64)(y),
				(*float64)(z), 8*q.ldc, write)
		case size == 4:
			gemm32AVX2(heights[h], q.n, q.k, float32(q.alpha), (*float32)(x), 4*q.a.ld, (*float32)(y),
				(*float32)(z), 4*q.ldc, write)
		default:
			gemm64AVX2(heights[h], q.n, q.k, float64(q.alpha), (*float64)(x), 8*q.a.ld, (*float64)(y),
				(*float64)(z), 8*q.ldc, write)
		}
	}
}

func packRowsKernel(k, dwords int, src *byte, stride int, dst *byte) {
	if active == avx512 {
		packRowsAVX512(k, dwords, src, stride, dst)
	} else {
		packRowsAVX2(k, dwords, src, stride, dst)
	}
}

func transpose32Kernel(rows, cols int, src *float32, lds int, dst *float32, ldd int) {
	transpose32AVX2(rows, cols, src, lds, dst, ldd)
}

func transpose64Kernel(rows, cols int, src *float64, lds int, dst *float64, ldd int) {
	transpose64AVX2(rows, cols, src, lds, dst, ldd)
}

func integrate32Kernel(m *Integrals[float32]) {
	if active == avx512 {
		integrate32AVX512(len(m.Cos), &m.MeanCos[0], &m.MeanSin[0], &m.Wave[0], &m.Lost[0],
			&m.CrossCos[0], &m.CrossSin[0], &m.Cos[0], &m.Sin[0], &m.Shrink[0])
	} else {
		integrate32AVX2(len(m.Cos), &m.MeanCos[0], &m.MeanSin[0], &m.Wave[0], &m.Lost[0], &m.CrossCos[0],
			&m.CrossSin[0], &m.Cos[0], &m.Sin[0], &m.Shrink[0])
	}
}

func integrateSlopes32Kernel(dt, dv []float32, m *Integrals[float32]) {
	if active == avx512 {
		integrateSlopes32AVX512(len(dt), &dt[0], &dv[0], &m.MeanCos[0], &m.MeanSin[0], &m.Wave[0],
			&m.Lost[0], &m.CrossCos[0], &m.CrossSin[0], &m.Cos[0], &m.Sin[0], &m.Shrink[0])
	} else {
		integrateSlopes32AVX2(len(dt), &dt[0], &dv[0], &m.MeanCos[0], &m.MeanSin[0], &m.Wave[0],
			&m.Lost[0], &m.CrossCos[0], &m.CrossSin[0], &m.Cos[0], &m.Sin[0], &m.Shrink[0])
	}
}

// HasMatches reports whether Matches has assembly.
func HasMatches() bool { return active != scalar }

func matches(sums *[8]uint64, parts int, at []uint32, counts []uint64, weight *[16]byte) {
	const windows = 1 << 14 // largest number of windows of one call, which the scheduler cannot stop
	for ; len(at) > 0; at = at[min(parts*windows, len(at)):] {
		n := min(windows, len(at)/parts)
		switch {
		case active == scalar:
			matchesScalar(sums, parts, at[:parts*n], counts, weight)
		case active == avx2 && parts == 3:
			matches3AVX2(n, &sums[0], &at[0], &counts[0], &weight[0])
		case active == avx2:
			matches5AVX2(n, &sums[0], &at[0], &counts[0], &weight[0])
		case parts == 3:
			matches3AVX512(n, &sums[0], &at[0], &counts[0], &weight[0])
		default:
			matches5AVX512(n, &sums[0], &at[0], &counts[0], &weight[0])
		}
	}
}
