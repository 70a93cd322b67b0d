//go:build cuda && cgo

package gpu

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/cuda"
	"github.com/gpdrf/gpdrf-gpu/device"
)

// sumBlocks is the most blocks that share one sum over a whole tensor.
const sumBlocks = 1024

// likelihoodState is the sums of the blocks of a likelihood.
type likelihoodState struct{ partial, second, third scratch }

// strided returns a grid of at most sumBlocks blocks of size elements, and the sums of its blocks.
func (d *Device) strided(n, size int) (cuda.Grid, cuda.Arg) { return d.columns(n, size, 1) }

// columns acts as strided does, for each of c columns of n rows, whose sums are [C,blocks].
func (d *Device) columns(n, size, c int) (cuda.Grid, cuda.Arg) {
	grid := blocks(n, size)
	grid.X, grid.Y = min(grid.X, sumBlocks), c
	return grid, d.growDoubles(&d.state.likelihood.partial, sumBlocks*c)
}

// GaussianLogLik computes Σ log N(y; h, σ²_c), and its gradients in the same pass.
func (d *Device) GaussianLogLik(ell *device.Tensor, g, a device.LikelihoodArgs, scale float64) {
	s, b, c := device.CheckLikelihood("GaussianLogLik", ell, g, a)
	grid, partial := d.columns(s*b, 1024, c)
	d.real.launch("gaussian", grid, 0, cuda.Int(s*b), cuda.Int(b), cuda.Float64(scale), d.ptr(g.H), d.ptr(a.H),
		d.ptr(a.Y), d.ptr(a.Weight), d.ptr(a.LogVar), partial)
	d.gaussianSum(grid, ell, g, a, s*b, b, scale)
}

// gaussianSum computes the value and the gradient of the noise from the blocks' sums of squares, for n = S·B rows.
func (d *Device) gaussianSum(sums cuda.Grid, ell *device.Tensor, g, a device.LikelihoodArgs, n, b int, scale float64) {
	d.real.launch("gaussian_sum", cuda.Grid{X: 1, Y: 1, Z: 1}, 0, cuda.Float64(float64(n)), cuda.Int(b),
		cuda.Int(sums.X), cuda.Int(sums.Y), cuda.Float64(scale), d.ptr(ell), d.ptr(g.LogVar), d.ptr(a.Weight),
		d.ptr(a.LogVar), d.state.likelihood.partial.arg())
}

// SoftmaxLogLik computes Σ log softmax(h[s,b,:])[y[b]], with its gradient in the same pass.
func (d *Device) SoftmaxLogLik(ell *device.Tensor, g, a device.LikelihoodArgs, scale float64) {
	s, b, c := device.CheckLikelihood("SoftmaxLogLik", ell, g, a)
	grid, partial := d.strided(s*b, 8) // a warp takes a row
	d.real.launch("softmax", grid, 0, cuda.Int(s*b), cuda.Int(b), cuda.Int(c), cuda.Float64(scale), d.ptr(g.H),
		d.ptr(a.H), d.ptr(a.Y), d.ptr(a.Weight), partial)
	d.double.fold(d.ptr(ell), partial, grid.X, false, scale)
}

// BernoulliLogLik computes Σ log σ(±h), with its gradient in the same pass.
func (d *Device) BernoulliLogLik(ell *device.Tensor, g, a device.LikelihoodArgs, scale float64) {
	s, b, _ := device.CheckLikelihood("BernoulliLogLik", ell, g, a)
	grid, partial := d.strided(s*b, 1024)
	d.real.launch("bernoulli", grid, 0, cuda.Int(s*b), cuda.Int(b), cuda.Float64(scale), d.ptr(g.H), d.ptr(a.H),
		d.ptr(a.Y), d.ptr(a.Weight), partial)
	d.double.fold(d.ptr(ell), partial, grid.X, false, scale)
}

// secondSums makes room for a second sum of each block of columns.
func (d *Device) secondSums(c int) cuda.Arg {
	return d.growDoubles(&d.state.likelihood.second, sumBlocks*c)
}

// StudentLogLik computes Σ log t_ν((y−h)/σ) − log σ, and its gradients in the same pass.
func (d *Device) StudentLogLik(ell *device.Tensor, g, a device.LikelihoodArgs, scale float64) {
	s, b, c := device.CheckLikelihood("StudentLogLik", ell, g, a)
	grid, logs := d.columns(s*b, 1024, c)
	shares := d.secondSums(c)
	d.real.launch("student", grid, 0, cuda.Int(s*b), cuda.Int(b), cuda.Float64(scale),
		d.ptr(g.H), d.ptr(a.H), d.ptr(a.Y), d.ptr(a.Weight), d.ptr(a.LogVar), d.ptr(a.Tail), logs, shares)
	d.real.launch("student_sum", cuda.Grid{X: 1, Y: 1, Z: 1}, 0, cuda.Float64(float64(s*b)), cuda.Int(b),
		cuda.Int(grid.X), cuda.Int(c), cuda.Float64(scale), d.ptr(ell), d.ptr(g.LogVar), d.ptr(g.Tail), d.ptr(a.Weight),
		d.ptr(a.LogVar), d.ptr(a.Tail), logs, shares)
}

// HeteroscedasticLogLik computes Σ log N(y; h, v), v = max(VarFloor, σ²_c exp h'), and its gradients in the same pass.
func (d *Device) HeteroscedasticLogLik(ell *device.Tensor, g, a device.LikelihoodArgs, scale float64) {
	s, b, c := device.CheckLikelihood("HeteroscedasticLogLik", ell, g, a)
	grid, values := d.columns(s*b, 1024, c)
	slopes := d.secondSums(c)
	d.real.launch("heteroscedastic", grid, 0, cuda.Int(s*b), cuda.Int(b), cuda.Float64(scale),
		cuda.Float64(math.Log(device.VarFloor)), d.ptr(g.H), d.ptr(a.H), d.ptr(a.Y), d.ptr(a.Weight), d.ptr(a.LogVar),
		values, slopes)
	d.slopeSum(grid, ell, g.LogVar, scale, values, slopes)
}

// slopeSum computes the value, and the gradient of the parameters [C] of the columns, from the blocks' sums of both.
func (d *Device) slopeSum(sums cuda.Grid, ell, columns *device.Tensor, scale float64, values, slopes cuda.Arg) {
	d.real.launch("slope_sum", cuda.Grid{X: 1, Y: 1, Z: 1}, 0, cuda.Int(sums.X), cuda.Int(sums.Y),
		cuda.Float64(scale), d.ptr(ell), d.ptr(columns), values, slopes)
}

// AddBias adds bias[c] to h[s,b,c].
func (d *Device) AddBias(h, bias *device.Tensor) {
	rows, c := device.CheckBias("AddBias", h, bias)
	d.real.launch("add_offset", d.real.over("add_offset", rows*c), 0, cuda.Int(rows*c), cuda.Int(c), d.ptr(h),
		d.ptr(bias))
}

// AddBiasBackward adds Σ dh[s,b,c] to dbias[c].
func (d *Device) AddBiasBackward(dbias, dh *device.Tensor) {
	rows, c := device.CheckBias("AddBiasBackward", dh, dbias)
	d.real.launch("add_offset_backward", cuda.Grid{X: c, Y: 1, Z: 1}, 0, cuda.Int(rows), d.ptr(dbias), d.ptr(dh))
}
