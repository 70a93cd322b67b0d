package simd

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

func log32Kernel(dst, x []float32) {
	if active == avx512 {
		log32AVX512(len(x), &x[0], &dst[0])
	} else {
		log32AVX2(len(x), &x[0], &dst[0])
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

func mul64Kernel(dst, x, y []float64) {
	if active == avx512 {
		mul64AVX512(len(x), &dst[0], &x[0], &y[0])
	} else {
		mul64AVX2(len(x), &dst[0], &x[0], &y[0])
	}
}

func mulAdd64Kernel(dst, x, y []float64) {
	if active == avx512 {
		mulAdd64AVX512(len(x), &dst[0], &x[0], &y[0])
	} else {
		mulAdd64AVX2(len(x), &dst[0], &x[0], &y[0])
	}
}

func dot32Kernel(x, y []float32) float32 {
	if active == avx512 {
		return dot32AVX512(len(x), &x[0], &y[0])
	}
	return dot32AVX2(len(x), &x[0], &y[0])
}

func dot64Kernel(x, y []float64) float64 {
	if active == avx512 {
		return dot64AVX512(len(x), &x[0], &y[0])
	}
	return dot64AVX2(len(x), &x[0], &y[0])
}

func axpy32Kernel(alpha float32, x, y []float32) {
	if active == avx512 {
		axpy32AVX512(len(x), alpha, &x[0], &y[0])
	} else {
		axpy32AVX2(len(x), alpha, &x[0], &y[0])
	}
}

func axpy64Kernel(alpha float64, x, y []float64) {
	if active == avx512 {
		axpy64AVX512(len(x), alpha, &x[0], &y[0])
	} else {
		axpy64AVX2(len(x), alpha, &x[0], &y[0])
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

// panelBytes is the width of a panel of B: two registers.
func panelBytes() int {
	if active == avx512 {
		return 128
	}
	return 64
}

// kernelHeights are the numbers of rows that one call of the micro-kernel may compute.
func kernelHeights() []int {
	if active == avx512 {
		return []int{12, 8, 4, 2, 1}
	}
	return []int{6, 4, 2, 1}
}

func gemm32Kernel(rows, cols, k int, alpha float32, a *float32, lda int, b, c *float32, ldc, first int) {
	if active == avx512 {
		gemm32AVX512(rows, cols, k, alpha, a, lda, b, c, ldc, first)
	} else {
		gemm32AVX2(rows, cols, k, alpha, a, lda, b, c, ldc, first)
	}
}

func gemm64Kernel(rows, cols, k int, alpha float64, a *float64, lda int, b, c *float64, ldc, first int) {
	if active == avx512 {
		gemm64AVX512(rows, cols, k, alpha, a, lda, b, c, ldc, first)
	} else {
		gemm64AVX2(rows, cols, k, alpha, a, lda, b, c, ldc, first)
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
