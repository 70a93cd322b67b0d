package cpu

import "github.com/gpdrf/gpdrf-gpu/device"

// linearRows is how many rows of a product are one block.
const linearRows = 64

// linear is the state of AddProduct.
type linear[T Float] struct {
	math       kernels[T]
	dst, src   []T
	a          []T
	rows, n, k int
	transposed bool
	ld         int
}

// AddProduct adds src a, or src aᵀ, row by row.
func (d *Device[T]) AddProduct(dst, src, a *device.Tensor, transposed bool) {
	t := &d.linear
	*t = linear[T]{math: d.math, dst: d.real(dst), src: d.real(src), a: d.real(a), transposed: transposed, ld: a.Dim(1)}
	t.rows, t.n, t.k = device.CheckAddProduct(dst, src, a, transposed)
	d.do(t, blocksOf(t.rows, linearRows), 2*t.rows*t.n*t.k)
}

func (t *linear[T]) run(w *worker, block int) {
	lo, hi := span(block, linearRows, t.rows)
	t.math.gemm(w, false, t.transposed, hi-lo, t.n, t.k, 1, t.src[lo*t.k:], t.k, t.a, t.ld, 1, t.dst[lo*t.n:], t.n)
}
