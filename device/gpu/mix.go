//go:build cuda && cgo

package gpu

import (
	"github.com/gpdrf/gpdrf-gpu/cuda"
	"github.com/gpdrf/gpdrf-gpu/device"
)

// mixPiece is the number of elements of one matrix in one block of mix_backward.
const mixPiece = 1024

// mixState is the sums of the blocks of MixBackward.
type mixState struct{ partial scratch }

// Mix computes c = b + ω(a−b), so that two kernels with 1 on the diagonal have a sum with 1 there.
func (d *Device) Mix(a device.MixArgs) {
	k, n := device.CheckMix("Mix", a)
	grid := d.double.over("mix", n)
	grid.Y = k
	d.double.launch("mix", grid, 0, cuda.Int(n), d.ptr(a.C), d.ptr(a.A), d.ptr(a.B), d.ptr(a.Logit))
}

// MixBackward writes g.A = ω g.C and g.B = (1−ω) g.C, and accumulates g.Logit.
func (d *Device) MixBackward(g, a device.MixArgs) {
	k, n := device.CheckMixBackward(g, a)
	grid := cuda.Grid{X: blocksOf(n, mixPiece), Y: k, Z: 1}
	partial := d.growDoubles(&d.state.mix.partial, grid.X*k)
	d.double.launch("mix_backward", grid, 0, cuda.Int(n), d.ptr(g.A), d.ptr(g.B), partial, d.ptr(g.C), d.ptr(a.A),
		d.ptr(a.B), d.ptr(a.Logit))
	d.double.foldRows(d.ptr(g.Logit), partial, k, grid.X, true, 1)
}
