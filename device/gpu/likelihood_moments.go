//go:build cuda && cgo

package gpu

import (
	"github.com/gpdrf/gpdrf-gpu/cuda"
	"github.com/gpdrf/gpdrf-gpu/device"
)

// GaussianExpected computes the closed form E_q log N(y; F, σ²_c) = Σ log N(y; mean, σ²_c) − var/2σ²_c.
func (d *Device) GaussianExpected(ell *device.Tensor, g, a device.LikelihoodArgs, scale float64) {
	s, b, c := device.CheckLikelihood("GaussianExpected", ell, g, a)
	grid, partial := d.columns(s*b, 1024, c)
	if a.H.DType() == device.Double {
		d.real.launch("gaussian_expected", grid, 0, cuda.Int(b), cuda.Float64(scale), d.ptr(g.H), d.ptr(g.Variance),
			d.ptr(a.H), d.ptr(a.Variance), d.ptr(a.Y), d.ptr(a.Weight), d.ptr(a.LogVar), partial)
	} else {
		d.real.launch("gaussian_moments", grid, 0, cuda.Int(s*b), cuda.Int(b), cuda.Float64(scale), d.ptr(g.H),
			d.ptr(g.Variance), d.ptr(a.H), d.ptr(a.Variance), d.ptr(a.Y), d.ptr(a.Weight), d.ptr(a.LogVar), partial)
	}
	d.gaussianSum(grid, ell, g, a, s*b, b, scale)
}

// GaussianPredictive computes Σ (1−δ) log N(y; mean, σ²_c + var) + δ E_q log N(y; F, σ²_c).
func (d *Device) GaussianPredictive(ell *device.Tensor, g, a device.LikelihoodArgs, scale float64) {
	s, b, c := device.CheckLikelihood("GaussianPredictive", ell, g, a)
	grid, values := d.columns(s*b, 1024, c)
	slopes := d.secondSums(c)
	if a.H.DType() == device.Double {
		d.real.launch("gaussian_predictive", grid, 0, cuda.Int(b), cuda.Float64(scale), cuda.Float64(device.BoundShare),
			d.ptr(g.H), d.ptr(g.Variance), d.ptr(a.H), d.ptr(a.Variance), d.ptr(a.Y), d.ptr(a.Weight), d.ptr(a.LogVar),
			values, slopes)
	} else {
		d.real.launch("predictive_moments", grid, 0, cuda.Int(s*b), cuda.Int(b), cuda.Float64(scale),
			cuda.Float64(device.BoundShare), d.ptr(g.H), d.ptr(g.Variance), d.ptr(a.H), d.ptr(a.Variance), d.ptr(a.Y),
			d.ptr(a.Weight), d.ptr(a.LogVar), values, slopes)
	}
	d.slopeSum(grid, ell, g.LogVar, scale, values, slopes)
}
