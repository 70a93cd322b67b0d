//go:build cuda && cgo

package gpu

import (
	"weak"

	"github.com/gpdrf/gpdrf-gpu/cuda"
	"github.com/gpdrf/gpdrf-gpu/device"
)

// The dynamic shared memory of a block: a tile, or a tile and an inverse, as in triangle.cuh.
const (
	tileShared  = tile * (tile + 1) * 8
	blockShared = tileShared + (tile/2*(tile/2+1)+tile/2*(tile+1))*8
)

// triangleState holds inverses [K,M,M] and what making them needs.
type triangleState struct {
	inverse, product scratch

	// Where Potrf wrote a factor last, unless something was written to that block since; and
	// whether inverse is its inverse.
	block    weak.Pointer[block]
	factor   cuda.Ptr
	inverted bool
}

// factored notes that l is a factor: its inverse is made once.
func (t *triangleState) factored(l memory) {
	t.block, t.factor, t.inverted = weak.Make(l.block), l.ptr, false
}

// written notes that something was written to m.
func (t *triangleState) written(m memory) {
	if t.block.Value() == m.block {
		t.block = weak.Pointer[block]{}
	}
}

// invert is L⁻¹ for l [K,M,M], lower triangular with anything above; it is good until the call for
// another l. Blocks on the diagonal are inverted, then joined by pairs. The inverse of what Potrf
// gave is kept: operations only read a factor.
func (d *Device) invert(l *device.Tensor, k, m int) matrix {
	t := &d.state.triangle
	of := d.memory(l)
	known := t.block.Value() == of.block && t.factor == of.ptr
	if known && t.inverted {
		return matrix{at: held(t.inverse), ld: m, step: m * m, lower: true}
	}
	t.inverted = known
	x, product := d.growDoubles(&t.inverse, k*m*m), d.growDoubles(&t.product, k*m*m)
	d.double.launch("invert_diagonal", cuda.Grid{X: (m + tile - 1) / tile, Y: k, Z: 1}, blockShared, cuda.Int(m), x, d.ptr(l))
	for h := tile; h < m; h *= 2 {
		pairs := (m + h - 1) / (2 * h)
		grid := tiles(h, h, k*pairs)
		for second := range 2 {
			d.double.launch("invert_join", grid, 0, cuda.Int(second), cuda.Int(m), cuda.Int(h), cuda.Int(pairs), x, product, d.ptr(l))
		}
	}
	return matrix{at: x, ld: m, step: m * m, lower: true}
}
