package cpu

import "github.com/gpdrf/gpdrf-gpu/internal/simd"

// Float is a working precision.
type Float interface{ float32 | float64 }

// kernels is internal/simd at one precision.
type kernels[T Float] struct {
	gemm func(p *simd.Pack[T], tA, tB bool, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T,
		c []T, ldc int)
	exp             func(dst, x []T)
	sinCos          func(sin, cos, x []T)
	rotate          func(dst, cos, sin, a, b []T)
	rectify         func(phi, slope, p []T, degree int)
	integrate       func(m simd.Integrals[T])
	integrateSlopes func(dt, dv []T, m simd.Integrals[T])
	dot             func(x, y []T) T
	axpy            func(alpha T, x, y []T)
	normalRows      func(dst []T, ld, n, cols int, rows simd.NormalRows)
	adam            func(p, g, m, v, rate []T, co simd.AdamCoeffs)

	of func(w *worker) *buffers[T]
}

var single = kernels[float32]{
	gemm: simd.Gemm32, exp: simd.Exp32, sinCos: simd.SinCos32, rotate: simd.Rotate32, rectify: simd.Rectify32,
	integrate: simd.Integrate32, integrateSlopes: simd.IntegrateSlopes32, dot: simd.Dot32, axpy: simd.Axpy32,
	normalRows: simd.NormalRows32, adam: simd.Adam32, of: func(w *worker) *buffers[float32] { return &w.single },
}

var doubles = kernels[float64]{
	gemm: simd.Gemm64, exp: simd.Exp64, sinCos: simd.SinCos64, rotate: simd.Rotate64, rectify: simd.Rectify64,
	integrate: simd.Integrate64, integrateSlopes: simd.IntegrateSlopes64, dot: simd.Dot64, axpy: simd.Axpy64,
	normalRows: simd.NormalRows64, adam: simd.Adam64, of: func(w *worker) *buffers[float64] { return &w.doubles },
}

func kernelsOf[T Float]() *kernels[T] {
	if k, ok := any(&single).(*kernels[T]); ok {
		return k
	}
	return any(&doubles).(*kernels[T])
}

func (k *kernels[T]) pack(w *worker) *simd.Pack[T] { return k.of(w).pack }

// scratch returns buffer i of the worker, with any contents.
func (k *kernels[T]) scratch(w *worker, i, n int) []T { return k.of(w).data[i][:n] }

// reserve makes room for n elements in buffer i of each worker.
func (k *kernels[T]) reserve(p *pool, i, n int) {
	for _, w := range p.workers {
		growWorker(p, &k.of(w).data[i], n)
	}
}
