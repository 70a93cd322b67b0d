//go:build cuda && cgo

package gpu

import (
	"github.com/gpdrf/gpdrf-gpu/cuda"
	"github.com/gpdrf/gpdrf-gpu/device"
)

// mixPiece is how many elements of one matrix are one block of mix_backward.
const mixPiece = 1024

// mixState is the sums of the blocks of MixBackward.
type mixState struct{ partial scratch }

// Mix is c = b + ω(a−b), so that two kernels with 1 on the diagonal have a sum with 1 there.
func (d *Device) Mix(c, a, b, logit *device.Tensor) {
	k, n := device.CheckMix("Mix", c, a, b, logit)
	grid := d.double.over("mix", n)
	grid.Y = k
	d.double.launch("mix", grid, 0, cuda.Int(n), d.ptr(c), d.ptr(a), d.ptr(b), d.ptr(logit))
}

// MixBackward writes da = ω dc and db = (1−ω) dc, and accumulates dlogit.
func (d *Device) MixBackward(da, db, dlogit, dc, a, b, logit *device.Tensor) {
	const op = "MixBackward"
	k, n := device.CheckMix(op, dc, a, b, logit)
	device.CheckMix(op, dc, da, db, dlogit)
	grid := cuda.Grid{X: (n + mixPiece - 1) / mixPiece, Y: k, Z: 1}
	partial := d.growDoubles(&d.state.mix.partial, grid.X*k)
	d.double.launch("mix_backward", grid, 0, cuda.Int(n), d.ptr(da), d.ptr(db), partial, d.ptr(dc), d.ptr(a), d.ptr(b), d.ptr(logit))
	d.double.foldRows(d.ptr(dlogit), partial, k, grid.X, true, 1)
}
