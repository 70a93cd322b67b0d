//go:build cuda && cgo

package gpu

import (
	"github.com/gpdrf/gpdrf-gpu/cuda"
	"github.com/gpdrf/gpdrf-gpu/device"
)

// momentsState is scratch of MomentsBackward, [J,B]: √α dmean, and α dvariance where not floored.
type momentsState struct {
	g, h scratch
}

// Moments is qF_anj and qF_Bnj for a whitened q(F̄).
func (d *Device) Moments(mean, variance, p, a, m, s, logalpha *device.Tensor) {
	n := device.CheckMoments("Moments", mean, variance, p, a, m, s, logalpha)
	step := shared(n, n.M*n.B)
	if n.Diagonal {
		p = nil
	} else {
		d.gemm(product{
			m: n.M, n: n.B, k: n.M, batch: n.J, alpha: 1,
			a: matrix{at: d.ptr(s), ld: n.M, step: n.M * n.M, lower: true, transposed: true},
			b: matrix{at: d.ptr(a), ld: n.B, step: step},
			c: matrix{at: d.ptr(p), ld: n.B, step: n.M * n.B},
		})
	}
	d.double.launch("moments", cuda.Grid{X: (n.B + 31) / 32, Y: n.J, Z: 1}, 0, cuda.Int(n.M), cuda.Int(n.B), cuda.Int(step),
		d.ptr(mean), d.ptr(variance), d.ptr(p), d.ptr(a), d.ptr(m), d.ptr(s), d.ptr(logalpha))
}

// MomentsBackward writes da and accumulates dm, ds, dlogalpha. p is overwritten.
func (d *Device) MomentsBackward(da, dm, ds, dlogalpha, dmean, dvariance, mean, variance, p, a, m, s, logalpha *device.Tensor) {
	n := device.CheckMomentsBackward(da, dm, ds, dlogalpha, dmean, dvariance, mean, variance, p, a, m, s, logalpha)
	t := &d.state.moments
	g, h := d.growDoubles(&t.g, n.J*n.B), d.growDoubles(&t.h, n.J*n.B)
	step, diagonal := shared(n, n.M*n.B), s
	if n.Diagonal {
		p = nil
	} else {
		diagonal = nil
	}
	d.double.launch("moments_cotangent", cuda.Grid{X: n.J, Y: 1, Z: 1}, 0, cuda.Int(n.B), cuda.Int(n.J),
		g, h, d.ptr(dlogalpha), d.ptr(dmean), d.ptr(dvariance), d.ptr(mean), d.ptr(variance), d.ptr(logalpha))
	d.double.launch("moments_rows", cuda.Grid{X: (n.M + 7) / 8, Y: n.J, Z: 1}, 0, cuda.Int(n.M), cuda.Int(n.B), cuda.Int(step),
		d.ptr(dm), d.ptr(ds), d.ptr(p), d.ptr(a), g, h, d.ptr(s))
	d.double.launch("moments_input", cuda.Grid{X: (n.B + 255) / 256, Y: n.M, Z: n.K}, 0, cuda.Int(n.M), cuda.Int(n.B), cuda.Int(n.J/n.K),
		d.ptr(da), d.ptr(a), d.ptr(m), d.ptr(diagonal), g, h)
	if n.Diagonal {
		return
	}
	d.gemm(product{
		m: n.M, n: n.B, k: n.M, alpha: 1, beta: 1,
		a: matrix{at: d.ptr(s), ld: n.M, step: n.M * n.M, lower: true},
		b: matrix{at: d.ptr(p), ld: n.B, step: n.M * n.B},
		c: matrix{at: d.ptr(da), ld: n.B, step: n.M * n.B},
	}.overLatents(n))
	d.gemm(product{
		m: n.M, n: n.M, k: n.B, batch: n.J, alpha: 1, beta: 1,
		a: matrix{at: d.ptr(a), ld: n.B, step: step},
		b: matrix{at: d.ptr(p), ld: n.B, step: n.M * n.B, transposed: true},
		c: matrix{at: d.ptr(ds), ld: n.M, step: n.M * n.M}, part: lower,
	})
}
