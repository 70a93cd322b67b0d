//go:build cuda && cgo

package gpu

import (
	"github.com/gpdrf/gpdrf-gpu/cuda"
	"github.com/gpdrf/gpdrf-gpu/device"
)

// momentsState is scratch of MomentsBackward, [J,B]: √α g.Mean, and α g.Variance for variances that are not floored.
type momentsState struct{ dmean, dvariance scratch }

// Moments computes qF_anj and qF_Bnj for a whitened q(F̄).
func (d *Device) Moments(a device.MomentsArgs) {
	n := device.CheckMoments("Moments", a)
	stride := kernelStride(n, n.M*n.B)
	if n.Diagonal {
		a.P = nil
	} else {
		d.gemm(product{
			m: n.M, n: n.B, k: n.M, batch: n.J, alpha: 1,
			a: matrix{at: d.ptr(a.QRoot), ld: n.M, step: n.M * n.M, lower: true, transposed: true},
			b: matrix{at: d.ptr(a.A), ld: n.B, step: stride},
			c: matrix{at: d.ptr(a.P), ld: n.B, step: n.M * n.B},
		})
	}
	d.double.launch("moments", cuda.Grid{X: blocksOf(n.B, 32), Y: n.J, Z: 1}, 0, cuda.Int(n.M), cuda.Int(n.B),
		cuda.Int(stride), d.ptr(a.Mean), d.ptr(a.Variance), d.ptr(a.P), d.ptr(a.A), d.ptr(a.QMean), d.ptr(a.QRoot),
		d.ptr(a.LogAlpha))
}

// MomentsBackward writes g.A and accumulates g.QMean, g.QRoot, g.LogAlpha. P is overwritten.
func (d *Device) MomentsBackward(g, a device.MomentsArgs) {
	n := device.CheckMomentsBackward(g, a)
	t := &d.state.moments
	dmean, dvariance := d.growDoubles(&t.dmean, n.J*n.B), d.growDoubles(&t.dvariance, n.J*n.B)
	stride := kernelStride(n, n.M*n.B)
	diagonal := a.QRoot
	if n.Diagonal {
		a.P = nil
	} else {
		diagonal = nil
	}
	d.double.launch("moments_cotangent", cuda.Grid{X: n.J, Y: 1, Z: 1}, 0, cuda.Int(n.B), cuda.Int(n.J), dmean,
		dvariance, d.ptr(g.LogAlpha), d.ptr(g.Mean), d.ptr(g.Variance), d.ptr(a.Mean), d.ptr(a.Variance),
		d.ptr(a.LogAlpha))
	d.double.launch("moments_rows", cuda.Grid{X: blocksOf(n.M, 8), Y: n.J, Z: 1}, 0, cuda.Int(n.M), cuda.Int(n.B),
		cuda.Int(stride), d.ptr(g.QMean), d.ptr(g.QRoot), d.ptr(a.P), d.ptr(a.A), dmean, dvariance, d.ptr(a.QRoot))
	d.double.launch("moments_input", cuda.Grid{X: blocksOf(n.B, 256), Y: n.M, Z: n.K}, 0, cuda.Int(n.M), cuda.Int(n.B),
		cuda.Int(n.J/n.K), d.ptr(g.A), d.ptr(a.A), d.ptr(a.QMean), d.ptr(diagonal), dmean, dvariance)
	if n.Diagonal {
		return
	}
	d.gemm(product{
		m: n.M, n: n.B, k: n.M, alpha: 1, beta: 1,
		a: matrix{at: d.ptr(a.QRoot), ld: n.M, step: n.M * n.M, lower: true},
		b: matrix{at: d.ptr(a.P), ld: n.B, step: n.M * n.B},
		c: matrix{at: d.ptr(g.A), ld: n.B, step: n.M * n.B},
	}.overLatents(n))
	d.gemm(product{
		m: n.M, n: n.M, k: n.B, batch: n.J, alpha: 1, beta: 1,
		a: matrix{at: d.ptr(a.A), ld: n.B, step: stride},
		b: matrix{at: d.ptr(a.P), ld: n.B, step: n.M * n.B, transposed: true},
		c: matrix{at: d.ptr(g.QRoot), ld: n.M, step: n.M * n.M}, part: lower,
	})
}
