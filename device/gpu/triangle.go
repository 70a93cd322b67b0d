//go:build cuda && cgo

package gpu

import (
	"weak"

	"github.com/gpdrf/gpdrf-gpu/cuda"
	"github.com/gpdrf/gpdrf-gpu/device"
)

// blockShared is the dynamic shared memory of a block that inverts: a tile and its inverse, as in triangle.cuh.
const blockShared = (tile*(tile+1) + tile/2*(tile/2+1) + tile/2*(tile+1)) * 8

// triangleState holds inverses [K,M,M] and their scratch.
type triangleState struct {
	inverse, product scratch

	// Block of the factor whose inverse Potrf wrote; not valid once that block was written to, or another triangle was
	// inverted.
	block  weak.Pointer[block]
	factor cuda.Ptr
}

// factored records that inverse is the inverse of the factor l.
func (t *triangleState) factored(l memory) {
	t.block = weak.Make(l.block)
	t.factor = l.ptr
}

// written records that m was written to.
func (t *triangleState) written(m memory) {
	if t.block.Value() == m.block {
		t.block = weak.Pointer[block]{}
	}
}

// invert returns L⁻¹ for l [K,M,M], lower triangular with anything above. It is valid until the call for another l. For
// a factor of Potrf, which operations only read, the inverse exists. For any other l, blocks on the diagonal are
// inverted, then joined by pairs.
func (d *Device) invert(l *device.Tensor, k, m int) matrix {
	t := &d.state.triangle
	of := d.memory(l)
	if t.block.Value() == of.block && t.factor == of.ptr {
		return matrix{at: t.inverse.arg(), ld: m, step: m * m, lower: true}
	}
	t.block = weak.Pointer[block]{}
	x, product := d.growDoubles(&t.inverse, k*m*m), d.growDoubles(&t.product, k*m*m)
	d.double.launch("invert_diagonal", cuda.Grid{X: blocksOf(m, tile), Y: k, Z: 1}, blockShared, cuda.Int(m), x,
		d.ptr(l))
	for h := tile; h < m; h *= 2 {
		pairs := (m + h - 1) / (2 * h)
		grid := tiles(h, h, k*pairs)
		for second := range 2 {
			d.double.launch("invert_join", grid, 0, cuda.Int(second), cuda.Int(m), cuda.Int(h), cuda.Int(pairs), x,
				product, d.ptr(l))
		}
	}
	return matrix{at: x, ld: m, step: m * m, lower: true}
}
