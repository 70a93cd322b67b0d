//go:build cuda && cgo

package gpu

import (
	"github.com/gpdrf/gpdrf-gpu/cuda"
	"github.com/gpdrf/gpdrf-gpu/device"
)

const (
	sparseTile = 32   // the side of a tile of sparse_block
	sparseMost = 4096 // inducing points of a block of sparse_distances
)

// sparseState holds ω and 1/σ² of each kernel and map, and the sums of SparseBlockBackward, of each block and in all.
type sparseState struct{ weight, scale, partial, sums scratch }

// SparseDistances computes d of x and z under one feature map.
func (d *Device) SparseDistances(dst *device.Tensor, i int, x device.Sparse, rows *device.Tensor,
	z device.Sparse, metric device.Metric) {
	b, m, width := device.CheckSparseDistances(dst, i, x, rows, z)
	family := &d.double
	if dst.DType() == device.Real {
		family = &d.real
	}
	tiles := blocksOf(m, sparseMost)
	family.launch("sparse_distances", cuda.Grid{X: b, Y: tiles, Z: 1}, 8*min(m, sparseMost),
		cuda.Int(m), cuda.Int(i*m), cuda.Int(width), cuda.Int(int(metric)), d.ptr(dst), d.ptr(rows),
		d.ptr(x.Start), d.ptr(x.Index), d.ptr(x.Value), d.ptr(x.Square),
		d.ptr(z.Start), d.ptr(z.Index), d.ptr(z.Value), d.ptr(z.Square))
}

// SparseBlock computes c = f_0 + Σ_i ω_i (f_i − f_0), so that it is 1 if all f_i are.
func (d *Device) SparseBlock(a device.SparseBlockArgs) {
	n := device.CheckSparseBlock("SparseBlock", a)
	weight, scale := d.sparseWeights(n, a)
	d.double.launch("sparse_block", sparseGrid(n), 0, cuda.Int(n.M), cuda.Int(n.B), cuda.Int(n.I), d.ptr(a.C),
		d.ptr(a.D), weight, scale)
}

// sparseWeights computes ω and 1/σ².
func (d *Device) sparseWeights(n device.SparseShape, a device.SparseBlockArgs) (weight, scale cuda.Arg) {
	s := &d.state.sparse
	weight, scale = d.growDoubles(&s.weight, n.K*n.I), d.growDoubles(&s.scale, n.K*n.I)
	mask := uint32(0)
	for i, is := range a.Linear {
		if is {
			mask |= 1 << i
		}
	}
	d.double.launch("sparse_weights", d.double.over("sparse_weights", n.K), 0,
		cuda.Int(n.K), cuda.Int(n.I), cuda.Uint(mask), weight, scale, d.ptr(a.Logits), d.ptr(a.LogSigma))
	return weight, scale
}

func sparseGrid(n device.SparseShape) cuda.Grid {
	return cuda.Grid{X: blocksOf(n.B, sparseTile), Y: blocksOf(n.M, sparseTile), Z: n.K}
}

// SparseBlockBackward accumulates g.Logits and g.LogSigma.
func (d *Device) SparseBlockBackward(g, a device.SparseBlockArgs) {
	n := device.CheckSparseBlockBackward(g, a)
	weight, scale := d.sparseWeights(n, a)
	grid := sparseGrid(n)
	count := 2 * n.K * n.I
	tiles := grid.X * grid.Y
	s := &d.state.sparse
	partial, sums := d.growDoubles(&s.partial, tiles*count), d.growDoubles(&s.sums, count)
	d.double.launch("sparse_block_backward", grid, 0, cuda.Int(n.M), cuda.Int(n.B), cuda.Int(n.I), partial, d.ptr(g.C),
		d.ptr(a.D), scale)
	d.double.foldRows(sums, partial, count, tiles, false, 1)
	d.double.launch("sparse_gradient", d.double.over("sparse_gradient", n.K*n.I), 0,
		cuda.Int(n.K), cuda.Int(n.I), d.ptr(g.Logits), d.ptr(g.LogSigma), sums, weight, scale)
}
