//go:build !amd64

package simd

// Where there is no assembly, every kernel is its scalar definition.

func bestTier() tier { return scalar }

func gemm32(p *Pack32, tA, tB bool, m, n, k int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int) {
	gemmScalar(&p.pack, tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

func gemm64(p *Pack64, tA, tB bool, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	gemmScalar(&p.pack, tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

func exp32(dst, x []float32)         { expScalar(dst, x) }
func exp64(dst, x []float64)         { expScalar(dst, x) }
func log32(dst, x []float32)         { logScalar(dst, x) }
func sinCos32(sin, cos, x []float32) { sinCosScalar(sin, cos, x) }

func dot32(x, y []float32) float32         { return dotScalar(x, y) }
func dot64(x, y []float64) float64         { return dotScalar(x, y) }
func axpy32(alpha float32, x, y []float32) { axpyScalar(alpha, x, y) }
func axpy64(alpha float64, x, y []float64) { axpyScalar(alpha, x, y) }
func normals32(dst []float32, key [2]uint32, c1, c2, c3 uint32) {
	normalsScalar(dst, key, c1, c2, c3)
}

func normalRows32(dst []float32, ld, n, cols int, key [2]uint32, rows []int32, c2, c3 uint32) {
	normalRowsScalar(dst, ld, n, cols, key, rows, c2, c3)
}

func adam32(p, g, m, v, rate []float32, co *AdamCoeffs) { adamScalar(p, g, m, v, rate, co) }
func adam64(p, g, m, v, rate []float64, co *AdamCoeffs) { adamScalar(p, g, m, v, rate, co) }
