//go:build cuda && cgo

package gpu

import (
	"github.com/gpdrf/gpdrf-gpu/cuda"
	"github.com/gpdrf/gpdrf-gpu/device"
)

// OrdinalLogLik computes Σ log [Φ(κ_y+1 − h) − Φ(κ_y − h)], and its gradients in the same pass.
func (d *Device) OrdinalLogLik(ell *device.Tensor, g, a device.LikelihoodArgs, scale float64) {
	s, b, n := device.CheckLikelihood("OrdinalLogLik", ell, g, a)
	grid, values := d.columns(s*b, 1024, n)
	slopes := d.secondSums(n)
	d.real.launch("ordinal", grid, 0, cuda.Int(s*b), cuda.Int(b), cuda.Float64(scale), cuda.Float64(device.GapFloor),
		d.ptr(g.H), d.ptr(a.H), d.ptr(a.Y), d.ptr(a.Weight), d.ptr(a.Cuts), values, slopes)
	d.real.launch("ordinal_sum", cuda.Grid{X: 1, Y: 1, Z: 1}, 0, cuda.Int(grid.X), cuda.Int(n), cuda.Float64(scale),
		d.ptr(ell), d.ptr(g.Cuts), d.ptr(a.Cuts), values, slopes)
}
