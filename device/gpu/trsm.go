//go:build cuda && cgo

package gpu

import "github.com/gpdrf/gpdrf-gpu/device"

// Trsm solves a = L⁻¹ b for each k.
func (d *Device) Trsm(a, l, b *device.Tensor) {
	k, m, n := device.CheckTrsm("Trsm", a, l, b)
	d.gemm(product{
		m: m, n: n, k: m, batch: k, alpha: 1,
		a: d.invert(l, k, m),
		b: matrix{at: d.ptr(b), ld: n, step: m * n},
		c: matrix{at: d.ptr(a), ld: n, step: m * n},
	})
}

// TrsmBackward writes db = L⁻ᵀ da and accumulates dl += −tril(db aᵀ).
func (d *Device) TrsmBackward(db, dl, da, l, a *device.Tensor) {
	k, m, n := device.CheckTrsmBackward(db, dl, da, l, a)
	d.gemm(product{
		m: m, n: n, k: m, batch: k, alpha: 1,
		a: d.invert(l, k, m).transpose(),
		b: matrix{at: d.ptr(da), ld: n, step: m * n},
		c: matrix{at: d.ptr(db), ld: n, step: m * n},
	})
	d.gemm(product{
		m: m, n: m, k: n, batch: k, alpha: -1, beta: 1,
		a:    matrix{at: d.ptr(db), ld: n, step: m * n},
		b:    matrix{at: d.ptr(a), ld: n, step: m * n, transposed: true},
		c:    matrix{at: d.ptr(dl), ld: m, step: m * m},
		part: lower,
	})
}
