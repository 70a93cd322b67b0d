//go:build cuda && cgo

package gpu

import "github.com/gpdrf/gpdrf-gpu/device"

// AddProduct adds src a, or src aᵀ, row by row.
func (d *Device) AddProduct(dst, src, a *device.Tensor, transposed bool) {
	rows, n, k := device.CheckAddProduct(dst, src, a, transposed)
	d.real.gemm(product{
		m: rows, n: n, k: k, batch: 1, alpha: 1, beta: 1,
		a: matrix{at: d.ptr(src), ld: k},
		b: matrix{at: d.ptr(a), ld: a.Dim(1), transposed: transposed},
		c: matrix{at: d.ptr(dst), ld: n},
	})
}
