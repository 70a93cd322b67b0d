//go:build cuda && cgo

package gpu

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/cuda"
	"github.com/gpdrf/gpdrf-gpu/device"
)

// secondSums is room for another sum of each block of strided.
func (d *Device) secondSums() cuda.Arg { return d.growDoubles(&d.state.likelihood.second, sumBlocks) }

// StudentLogLik is Σ log t_ν((y−h)/σ) − log σ, its gradients in the same pass.
func (d *Device) StudentLogLik(ell, dh, dlogvar, dtail, h, y, logvar, tail *device.Tensor, scale device.LikScale) {
	s, b, c := device.CheckStudent(ell, dh, dlogvar, dtail, h, y, logvar, tail)
	n := s * b * c
	grid, logs := d.strided(n, 1024)
	shares := d.secondSums()
	d.real.launch("student", grid, 0, cuda.Int(n), cuda.Int(b*c), cuda.Float64(scale.Grad),
		d.ptr(dh), d.ptr(h), d.ptr(y), d.ptr(logvar), d.ptr(tail), logs, shares)
	d.real.launch("student_sum", cuda.Grid{X: 1, Y: 1, Z: 1}, 0, cuda.Float64(float64(n)), cuda.Int(grid.X),
		cuda.Float64(scale.Value), cuda.Float64(scale.Grad), d.ptr(ell), d.ptr(dlogvar), d.ptr(dtail), d.ptr(logvar), d.ptr(tail), logs, shares)
}

// HeteroscedasticLogLik is Σ log N(y; h, v), v = max(VarFloor, σ² exp h'), its gradients in the same pass.
func (d *Device) HeteroscedasticLogLik(ell, dh, dlogvar, h, y, logvar *device.Tensor, scale device.LikScale) {
	s, b, c := device.CheckHeteroscedastic(ell, dh, dlogvar, h, y, logvar)
	n := s * b * c
	grid, values := d.strided(n, 1024)
	slopes := d.secondSums()
	d.real.launch("heteroscedastic", grid, 0, cuda.Int(n), cuda.Int(b), cuda.Int(c), cuda.Float64(scale.Grad), cuda.Float64(math.Log(device.VarFloor)),
		d.ptr(dh), d.ptr(h), d.ptr(y), d.ptr(logvar), values, slopes)
	d.double.fold(d.ptr(ell), values, grid.X, false, scale.Value)
	d.real.fold(d.ptr(dlogvar), slopes, grid.X, true, scale.Grad)
}
