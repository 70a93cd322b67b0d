package cpu

import "github.com/gpdrf/gpdrf-gpu/internal/simd"

// Float is a working precision.
type Float interface{ float32 | float64 }

// kernels is internal/simd at one precision. The scratch of Gemm is the worker's.
type kernels[T Float] interface {
	gemm(w *worker, tA, tB bool, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int)
	exp(dst, x []T)
	sinCos(sin, cos, x []T)
	rotate(dst, cos, sin, a, b []T)
	rectify(phi, slope, p []T, degree int)
	integrate(m simd.Integrals[T])
	integrateSlopes(dt, dv []T, m, d simd.Integrals[T])
	dot(x, y []T) T
	axpy(alpha T, x, y []T)
	normalRows(dst []T, n, cols int, key [2]uint32, rows []int32, first int, c2, c3 uint32)
	adam(p, g, m, v, rate []T, co simd.AdamCoeffs)
	// scratch is buffer i of the worker, with any contents, and reserve makes room for it in
	// every worker.
	scratch(w *worker, i, n int) []T
	reserve(p *pool, i, n int)
}

type kernels32 struct{}

func (kernels32) gemm(w *worker, tA, tB bool, m, n, k int, alpha float32, a []float32, lda int,
	b []float32, ldb int, beta float32, c []float32, ldc int) {
	simd.Gemm32(w.pack32, tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}
func (kernels32) exp(dst, x []float32)                        { simd.Exp32(dst, x) }
func (kernels32) sinCos(sin, cos, x []float32)                { simd.SinCos32(sin, cos, x) }
func (kernels32) rotate(dst, cos, sin, a, b []float32)        { simd.Rotate32(dst, cos, sin, a, b) }
func (kernels32) rectify(phi, slope, p []float32, degree int) { simd.Rectify32(phi, slope, p, degree) }
func (kernels32) integrate(m simd.Integrals[float32])         { simd.Integrate32(&m) }
func (kernels32) integrateSlopes(dt, dv []float32, m, d simd.Integrals[float32]) {
	simd.IntegrateSlopes32(dt, dv, &m, &d)
}
func (kernels32) dot(x, y []float32) float32         { return simd.Dot32(x, y) }
func (kernels32) axpy(alpha float32, x, y []float32) { simd.Axpy32(alpha, x, y) }
func (kernels32) normalRows(dst []float32, n, cols int, key [2]uint32, rows []int32, first int, c2, c3 uint32) {
	simd.NormalRows32(dst, cols, n, cols, key, rows, first, c2, c3)
}
func (kernels32) adam(p, g, m, v, rate []float32, co simd.AdamCoeffs) {
	simd.Adam32(p, g, m, v, rate, co)
}
func (kernels32) scratch(w *worker, i, n int) []float32 { return w.f32[i][:n] }
func (kernels32) reserve(p *pool, i, n int) {
	for _, w := range p.workers {
		growWorker(p, &w.f32[i], n)
	}
}

type kernels64 struct{}

func (kernels64) gemm(w *worker, tA, tB bool, m, n, k int, alpha float64, a []float64, lda int,
	b []float64, ldb int, beta float64, c []float64, ldc int) {
	simd.Gemm64(w.pack64, tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}
func (kernels64) exp(dst, x []float64)                        { simd.Exp64(dst, x) }
func (kernels64) sinCos(sin, cos, x []float64)                { simd.SinCos64(sin, cos, x) }
func (kernels64) rotate(dst, cos, sin, a, b []float64)        { simd.Rotate64(dst, cos, sin, a, b) }
func (kernels64) rectify(phi, slope, p []float64, degree int) { simd.Rectify64(phi, slope, p, degree) }
func (kernels64) integrate(m simd.Integrals[float64])         { simd.Integrate64(&m) }
func (kernels64) integrateSlopes(dt, dv []float64, m, d simd.Integrals[float64]) {
	simd.IntegrateSlopes64(dt, dv, &m, &d)
}
func (kernels64) dot(x, y []float64) float64         { return simd.Dot64(x, y) }
func (kernels64) axpy(alpha float64, x, y []float64) { simd.Axpy64(alpha, x, y) }
func (kernels64) normalRows(dst []float64, n, cols int, key [2]uint32, rows []int32, first int, c2, c3 uint32) {
	simd.NormalRows64(dst, cols, n, cols, key, rows, first, c2, c3)
}
func (kernels64) adam(p, g, m, v, rate []float64, co simd.AdamCoeffs) {
	simd.Adam64(p, g, m, v, rate, co)
}
func (kernels64) scratch(w *worker, i, n int) []float64 { return w.double(i, n) }
func (kernels64) reserve(p *pool, i, n int)             { p.reserve(i, n) }

func kernelsOf[T Float]() kernels[T] {
	var zero T
	if _, ok := any(zero).(float32); ok {
		return any(kernels32{}).(kernels[T])
	}
	return any(kernels64{}).(kernels[T])
}
