//go:build cuda && cgo

package gpu

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/cuda"
	"github.com/gpdrf/gpdrf-gpu/device"
)

// secondSums is room for another sum of each block of columns.
func (d *Device) secondSums(c int) cuda.Arg {
	return d.growDoubles(&d.state.likelihood.second, sumBlocks*c)
}

// StudentLogLik is Σ log t_ν((y−h)/σ) − log σ, its gradients in the same pass.
func (d *Device) StudentLogLik(ell *device.Tensor, g, a device.LikelihoodArgs, scale float64) {
	s, b, c := device.CheckStudent(ell, g, a)
	grid, logs := d.columns(s*b, 1024, c)
	shares := d.secondSums(c)
	d.real.launch("student", grid, 0, cuda.Int(s*b), cuda.Int(b), cuda.Float64(scale),
		d.ptr(g.H), d.ptr(a.H), d.ptr(a.Y), d.ptr(a.LogVar), d.ptr(a.Tail), logs, shares)
	d.real.launch("student_sum", cuda.Grid{X: 1, Y: 1, Z: 1}, 0, cuda.Float64(float64(s*b)), cuda.Int(grid.X), cuda.Int(c),
		cuda.Float64(scale), d.ptr(ell), d.ptr(g.LogVar), d.ptr(g.Tail), d.ptr(a.LogVar), d.ptr(a.Tail), logs, shares)
}

// HeteroscedasticLogLik is Σ log N(y; h, v), v = max(VarFloor, σ²_c exp h'), its gradients in the
// same pass.
func (d *Device) HeteroscedasticLogLik(ell *device.Tensor, g, a device.LikelihoodArgs, scale float64) {
	s, b, c := device.CheckHeteroscedastic(ell, g, a)
	grid, values := d.columns(s*b, 1024, c)
	slopes := d.secondSums(c)
	d.real.launch("heteroscedastic", grid, 0, cuda.Int(s*b), cuda.Int(b), cuda.Float64(scale), cuda.Float64(math.Log(device.VarFloor)),
		d.ptr(g.H), d.ptr(a.H), d.ptr(a.Y), d.ptr(a.LogVar), values, slopes)
	d.real.launch("heteroscedastic_sum", cuda.Grid{X: 1, Y: 1, Z: 1}, 0, cuda.Int(grid.X), cuda.Int(c),
		cuda.Float64(scale), d.ptr(ell), d.ptr(g.LogVar), values, slopes)
}
