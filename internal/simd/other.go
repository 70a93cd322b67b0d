//go:build !amd64

package simd

func bestTier() tier { return scalar }

func gemm32(p *Pack32, tA, tB bool, m, n, k int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int) {
	gemmScalar(&p.pack, tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

func gemm64(p *Pack64, tA, tB bool, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	gemmScalar(&p.pack, tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}
