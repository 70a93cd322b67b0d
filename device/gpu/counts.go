//go:build cuda && cgo

package gpu

import (
	"github.com/gpdrf/gpdrf-gpu/cuda"
	"github.com/gpdrf/gpdrf-gpu/device"
)

// PoissonLogLik computes Σ y f − exp f − log y!, and its gradients in the same pass.
func (d *Device) PoissonLogLik(ell *device.Tensor, g, a device.LikelihoodArgs, scale float64) {
	s, b, c := device.CheckLikelihood("PoissonLogLik", ell, g, a)
	grid, values := d.columns(s*b, 1024, c)
	slopes := d.secondSums(c)
	d.real.launch("poisson", grid, 0, cuda.Int(s*b), cuda.Int(b), cuda.Float64(scale), cuda.Float64(device.LogRateMax),
		d.ptr(g.H), d.ptr(a.H), d.ptr(a.Y), d.ptr(a.Weight), d.ptr(a.Offset), d.ptr(a.LogRate), values, slopes)
	d.slopeSum(grid, ell, g.LogRate, scale, values, slopes)
}

// PoissonExpected computes the closed form E_q log p(y | F) = Σ y mean − exp(mean + var/2) − log y!.
func (d *Device) PoissonExpected(ell *device.Tensor, g, a device.LikelihoodArgs, scale float64) {
	s, b, c := device.CheckLikelihood("PoissonExpected", ell, g, a)
	grid, values := d.columns(s*b, 1024, c)
	slopes := d.secondSums(c)
	if a.H.DType() == device.Double {
		d.real.launch("poisson_expected", grid, 0, cuda.Int(b), cuda.Float64(scale), cuda.Float64(device.LogRateMax),
			d.ptr(g.H), d.ptr(g.Variance), d.ptr(a.H), d.ptr(a.Variance), d.ptr(a.Y), d.ptr(a.Weight), d.ptr(a.Offset),
			d.ptr(a.LogRate), values, slopes)
	} else {
		d.real.launch("poisson_moments", grid, 0, cuda.Int(s*b), cuda.Int(b), cuda.Float64(scale),
			cuda.Float64(device.LogRateMax), d.ptr(g.H), d.ptr(g.Variance), d.ptr(a.H), d.ptr(a.Variance), d.ptr(a.Y),
			d.ptr(a.Weight), d.ptr(a.Offset), d.ptr(a.LogRate), values, slopes)
	}
	d.slopeSum(grid, ell, g.LogRate, scale, values, slopes)
}

// NegativeBinomialLogLik computes Σ log p(y) of counts with mean exp f and variance λ + δλ², and its gradients in the
// same pass.
func (d *Device) NegativeBinomialLogLik(ell *device.Tensor, g, a device.LikelihoodArgs, scale float64) {
	s, b, c := device.CheckLikelihood("NegativeBinomialLogLik", ell, g, a)
	grid, values := d.columns(s*b, 1024, c)
	slopes, tails := d.secondSums(c), d.growDoubles(&d.state.likelihood.third, sumBlocks*c)
	d.real.launch("negative_binomial", grid, 0, cuda.Int(s*b), cuda.Int(b), cuda.Float64(scale),
		cuda.Float64(device.DispersionFloor), d.ptr(g.H), d.ptr(a.H), d.ptr(a.Y), d.ptr(a.Weight), d.ptr(a.Offset),
		d.ptr(a.LogRate), d.ptr(a.Tail), values, slopes, tails)
	d.slopeSum(grid, ell, g.LogRate, scale, values, slopes)
	d.real.fold(d.ptr(g.Tail), tails, grid.X*c, true, scale)
}
