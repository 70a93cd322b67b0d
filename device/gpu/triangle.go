//go:build cuda && cgo

package gpu

import (
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
}

// invert is L⁻¹ for l [K,M,M], lower triangular with anything above; it is good until the next
// call. Blocks on the diagonal are inverted, then joined by pairs.
func (d *Device) invert(l *device.Tensor, k, m int) matrix {
	t := &d.state.triangle
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
