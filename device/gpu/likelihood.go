//go:build cuda && cgo

package gpu

import (
	"github.com/gpdrf/gpdrf-gpu/cuda"
	"github.com/gpdrf/gpdrf-gpu/device"
)

// sumBlocks is the most blocks that share one sum over a whole tensor.
const sumBlocks = 1024

// likelihoodState is the sums of the blocks of a likelihood.
type likelihoodState struct{ partial, second scratch }

// strided is a grid of at most sumBlocks blocks of size elements, and the sums of its blocks.
func (d *Device) strided(n, size int) (cuda.Grid, cuda.Arg) { return d.columns(n, size, 1) }

// columns is strided for each of c columns of n rows, whose sums are [C,blocks].
func (d *Device) columns(n, size, c int) (cuda.Grid, cuda.Arg) {
	grid := blocks(n, size)
	grid.X, grid.Y = min(grid.X, sumBlocks), c
	return grid, d.growDoubles(&d.state.likelihood.partial, sumBlocks*c)
}

// GaussianLogLik is Σ log N(y; h, σ²_c), its gradients in the same pass.
func (d *Device) GaussianLogLik(ell, dh, dlogvar, h, y, logvar *device.Tensor, scale float64) {
	s, b, c := device.CheckGaussian(ell, dh, dlogvar, h, y, logvar)
	grid, partial := d.columns(s*b, 1024, c)
	d.real.launch("gaussian", grid, 0, cuda.Int(s*b), cuda.Int(b), cuda.Float64(scale), d.ptr(dh), d.ptr(h), d.ptr(y), d.ptr(logvar), partial)
	d.gaussianSum(s*b, grid, scale, ell, dlogvar, logvar, partial)
}

// gaussianSum makes the value and the gradient of the noise of the blocks' sums of squares, for n
// rows.
func (d *Device) gaussianSum(n int, sums cuda.Grid, scale float64, ell, dlogvar, logvar *device.Tensor, partial cuda.Arg) {
	d.real.launch("gaussian_sum", cuda.Grid{X: 1, Y: 1, Z: 1}, 0, cuda.Float64(float64(n)), cuda.Int(sums.X), cuda.Int(sums.Y),
		cuda.Float64(scale), d.ptr(ell), d.ptr(dlogvar), d.ptr(logvar), partial)
}

// GaussianExpected is the closed form E_q log N(y; F, σ²_c) = Σ log N(y; mean, σ²_c) − var/2σ²_c.
func (d *Device) GaussianExpected(ell, dmean, dvariance, dlogvar, mean, variance, y, logvar *device.Tensor, scale float64) {
	s, b, c := device.CheckGaussianExpected(ell, dmean, dvariance, dlogvar, mean, variance, y, logvar)
	grid, partial := d.columns(s*b, 1024, c)
	if mean.DType() == device.Double {
		d.real.launch("gaussian_expected", grid, 0, cuda.Int(b), cuda.Float64(scale),
			d.ptr(dmean), d.ptr(dvariance), d.ptr(mean), d.ptr(variance), d.ptr(y), d.ptr(logvar), partial)
	} else {
		d.real.launch("gaussian_moments", grid, 0, cuda.Int(s*b), cuda.Int(b), cuda.Float64(scale),
			d.ptr(dmean), d.ptr(dvariance), d.ptr(mean), d.ptr(variance), d.ptr(y), d.ptr(logvar), partial)
	}
	d.gaussianSum(s*b, grid, scale, ell, dlogvar, logvar, partial)
}

// SoftmaxLogLik is Σ log softmax(h[s,b,:])[y[b]], with its gradient in the same pass.
func (d *Device) SoftmaxLogLik(ell, dh, h, y *device.Tensor, scale float64) {
	s, b, c := device.CheckSoftmax(ell, dh, h, y)
	grid, partial := d.strided(s*b, 8) // a warp takes a row
	d.real.launch("softmax", grid, 0, cuda.Int(s*b), cuda.Int(b), cuda.Int(c), cuda.Float64(scale), d.ptr(dh), d.ptr(h), d.ptr(y), partial)
	d.double.fold(d.ptr(ell), partial, grid.X, false, scale)
}

// BernoulliLogLik is Σ log σ(±h), with its gradient in the same pass.
func (d *Device) BernoulliLogLik(ell, dh, h, y *device.Tensor, scale float64) {
	s, b := device.CheckBernoulli(ell, dh, h, y)
	grid, partial := d.strided(s*b, 1024)
	d.real.launch("bernoulli", grid, 0, cuda.Int(s*b), cuda.Int(b), cuda.Float64(scale), d.ptr(dh), d.ptr(h), d.ptr(y), partial)
	d.double.fold(d.ptr(ell), partial, grid.X, false, scale)
}

// AddOffset is h[s,b,c] += offset[c].
func (d *Device) AddOffset(h, offset *device.Tensor) {
	rows, c := device.CheckOffset("AddOffset", h, offset)
	d.real.launch("add_offset", d.real.over("add_offset", rows*c), 0, cuda.Int(rows*c), cuda.Int(c), d.ptr(h), d.ptr(offset))
}

// AddOffsetBackward is doffset[c] += Σ dh[s,b,c].
func (d *Device) AddOffsetBackward(doffset, dh *device.Tensor) {
	rows, c := device.CheckOffset("AddOffsetBackward", dh, doffset)
	d.real.launch("add_offset_backward", cuda.Grid{X: c, Y: 1, Z: 1}, 0, cuda.Int(rows), d.ptr(doffset), d.ptr(dh))
}
