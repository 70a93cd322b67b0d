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
	shape := device.CheckMoments("Moments", a)
	stride := kernelStride(shape, shape.M*shape.B)
	if shape.Diagonal {
		a.P = nil
	} else {
		d.gemm(product{
			m: shape.M, n: shape.B, k: shape.M, batch: shape.J, alpha: 1,
			a: matrix{at: d.ptr(a.QSqrt), ld: shape.M, step: shape.M * shape.M, lower: true, transposed: true},
			b: matrix{at: d.ptr(a.A), ld: shape.B, step: stride},
			c: matrix{at: d.ptr(a.P), ld: shape.B, step: shape.M * shape.B},
		})
	}
	d.double.launch("moments", cuda.Grid{X: blocksOf(shape.B, 32), Y: shape.J, Z: 1}, 0, cuda.Int(shape.M),
		cuda.Int(shape.B), cuda.Int(stride), d.ptr(a.Mean), d.ptr(a.Variance), d.ptr(a.P), d.ptr(a.A), d.ptr(a.QMean),
		d.ptr(a.QSqrt), d.ptr(a.LogAlpha))
}

// MomentsBackward writes g.A and accumulates g.QMean, g.QSqrt, g.LogAlpha. P is overwritten.
func (d *Device) MomentsBackward(g, a device.MomentsArgs) {
	shape := device.CheckMomentsBackward(g, a)
	state := &d.state.moments
	dmean, dvariance := d.growDoubles(&state.dmean, shape.J*shape.B), d.growDoubles(&state.dvariance, shape.J*shape.B)
	stride := kernelStride(shape, shape.M*shape.B)
	diagonal := a.QSqrt
	if shape.Diagonal {
		a.P = nil
	} else {
		diagonal = nil
	}
	d.double.launch("moments_cotangent", cuda.Grid{X: shape.J, Y: 1, Z: 1}, 0, cuda.Int(shape.B), cuda.Int(shape.J),
		dmean, dvariance, d.ptr(g.LogAlpha), d.ptr(g.Mean), d.ptr(g.Variance), d.ptr(a.Mean), d.ptr(a.Variance),
		d.ptr(a.LogAlpha))
	d.double.launch("moments_rows", cuda.Grid{X: blocksOf(shape.M, 8), Y: shape.J, Z: 1}, 0, cuda.Int(shape.M),
		cuda.Int(shape.B), cuda.Int(stride), d.ptr(g.QMean), d.ptr(g.QSqrt), d.ptr(a.P), d.ptr(a.A), dmean, dvariance,
		d.ptr(a.QSqrt))
	d.double.launch("moments_input", cuda.Grid{X: blocksOf(shape.B, 256), Y: shape.M, Z: shape.K}, 0, cuda.Int(shape.M),
		cuda.Int(shape.B), cuda.Int(shape.J/shape.K), d.ptr(g.A), d.ptr(a.A), d.ptr(a.QMean), d.ptr(diagonal), dmean,
		dvariance)
	if shape.Diagonal {
		return
	}
	d.gemm(product{
		m: shape.M, n: shape.B, k: shape.M, alpha: 1, beta: 1,
		a: matrix{at: d.ptr(a.QSqrt), ld: shape.M, step: shape.M * shape.M, lower: true},
		b: matrix{at: d.ptr(a.P), ld: shape.B, step: shape.M * shape.B},
		c: matrix{at: d.ptr(g.A), ld: shape.B, step: shape.M * shape.B},
	}.overLatents(shape))
	d.gemm(product{
		m: shape.M, n: shape.M, k: shape.B, batch: shape.J, alpha: 1, beta: 1,
		a: matrix{at: d.ptr(a.A), ld: shape.B, step: stride},
		b: matrix{at: d.ptr(a.P), ld: shape.B, step: shape.M * shape.B, transposed: true},
		c: matrix{at: d.ptr(g.QSqrt), ld: shape.M, step: shape.M * shape.M}, part: lower,
	})
}
