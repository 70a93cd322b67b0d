//go:build cuda && cgo

package gpu

import (
	"github.com/gpdrf/gpdrf-gpu/cuda"
	"github.com/gpdrf/gpdrf-gpu/device"
)

// klPiece is the number of elements of a row in one block of kl_diag. klRows is the number of rows of a factor in one
// block of kl_inducing.
const (
	klPiece = 1024
	klRows  = 8
)

// klState is the sums of the blocks of a KL term.
type klState struct{ kl, dlogl scratch }

// KLDiag computes the KL of a fully factorised Gaussian from N(0, p); −weight·∂KL is accumulated.
func (d *Device) KLDiag(kl *device.Tensor, g, a device.DiagArgs, weight device.Scalar) {
	rows, r := device.CheckKLDiag(kl, g, a)
	grid := cuda.Grid{X: rows, Y: blocksOf(r, klPiece), Z: 1}
	n := grid.X * grid.Y
	sums, excess := d.growDoubles(&d.state.kl.kl, n), d.growDoubles(&d.state.kl.dlogl, n)
	fold := cuda.Grid{X: 1, Y: 1, Z: 1}
	if a.LogLength != nil {
		fold.X += blocksOf(rows, 256)
	}
	d.fork(true, a.Mean, a.LogVar, a.LogLength)
	defer d.join()
	d.real.launch("kl_diag", grid, 0, cuda.Int(r), d.live(weight),
		d.ptr(g.Mean), d.ptr(g.LogVar), d.ptr(a.Mean), d.ptr(a.LogVar), d.ptr(a.LogLength), sums, excess)
	d.real.launch("kl_fold", fold, 0, cuda.Int(rows), cuda.Int(grid.Y), d.ptr(kl), d.ptr(g.LogLength), sums, excess)
}

// KLInducing computes the KL of the whitened q(F̄) from N(0, I); −weight·∂KL is accumulated.
func (d *Device) KLInducing(kl, dm, ds, m, s *device.Tensor, weight device.Scalar) {
	n := device.CheckKLInducing(kl, dm, ds, m, s)
	grid := cuda.Grid{X: blocksOf(n.M, klRows), Y: n.J, Z: 1}
	sums := d.growDoubles(&d.state.kl.kl, grid.X*grid.Y)
	d.fork(true, m, s)
	defer d.join()
	d.double.launch("kl_inducing", grid, 0, cuda.Int(n.M), flag(n.Diagonal), d.live(weight),
		d.ptr(dm), d.ptr(ds), d.ptr(m), d.ptr(s), sums)
	d.double.fold(d.ptr(kl), sums, grid.X*grid.Y, false, 1)
}
