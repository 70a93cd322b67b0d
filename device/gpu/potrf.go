//go:build cuda && cgo

package gpu

import (
	"github.com/gpdrf/gpdrf-gpu/cuda"
	"github.com/gpdrf/gpdrf-gpu/device"
)

// potrfState holds the inverses [K,64,64] of the current blocks on the diagonal, and what
// PotrfBackward keeps between its products, [K,M,M] each.
type potrfState struct {
	inverse       scratch
	middle, right scratch
}

// Potrf is L Lᵀ = c + jitter·I for each of the K matrices: the first rung of the ladder by the
// whole card, right-looking in panels of 64 columns; the others by a block a matrix.
func (d *Device) Potrf(l, jitter, c *device.Tensor) {
	k, m := device.CheckPotrf(l, jitter, c)
	d.factorise(l, jitter, c, k, m, &device.JitterLadder)
	d.state.triangle.factored(d.memory(l))
}

// factorise is Potrf with any ladder; used [K] receives the rung that helped.
func (d *Device) factorise(l, used, c *device.Tensor, k, m int, rungs *[5]float64) {
	inverse := d.growDoubles(&d.state.potrf.inverse, k*tile*tile)
	d.double.launch("potrf_begin", d.double.over("potrf_begin", k*m*m), 0,
		cuda.Int(k*m*m), cuda.Int(m), cuda.Float64(rungs[0]), d.ptr(l), d.ptr(used), d.ptr(c))
	for j := 0; j < m; j += tile {
		d.double.launch("potrf_diagonal", cuda.Grid{X: k, Y: 1, Z: 1}, blockShared, cuda.Int(m), cuda.Int(j), d.ptr(l), d.ptr(used), inverse)
		next := j + tile
		if next >= m {
			break
		}
		below := matrix{at: d.at(l, next*m+j), ld: m, step: m * m}
		d.gemm(product{ // in place: one block has whole rows
			m: m - next, n: tile, k: tile, batch: k, alpha: 1,
			a: below, b: matrix{at: inverse, ld: tile, step: tile * tile, lower: true, transposed: true}, c: below,
		})
		d.gemm(product{
			m: m - next, n: m - next, k: tile, batch: k, alpha: -1, beta: 1,
			a: below, b: below.transpose(), c: matrix{at: d.at(l, next*m+next), ld: m, step: m * m}, part: lower,
		})
	}
	d.double.launch("potrf_ladder", cuda.Grid{X: k, Y: 1, Z: 1}, tileShared, cuda.Int(m),
		cuda.Float64(rungs[1]), cuda.Float64(rungs[2]), cuda.Float64(rungs[3]), cuda.Float64(rungs[4]), d.ptr(l), d.ptr(used), d.ptr(c), inverse)
}

// PotrfBackward is dc = sym½(L⁻ᵀ Φ(Lᵀ dL) L⁻¹) (Murray 2016). sym½ is taken inside, where it is the
// lower triangle of ½ Lᵀ dL on both sides; dl is left as it is.
func (d *Device) PotrfBackward(dc, dl, l *device.Tensor) {
	k, m := device.CheckPotrfBackward(dc, dl, l)
	t := &d.state.potrf
	square := func(at cuda.Arg) matrix { return matrix{at: at, ld: m, step: m * m} }
	middle, right := square(d.growDoubles(&t.middle, k*m*m)), square(d.growDoubles(&t.right, k*m*m))
	factor, gradient := square(d.ptr(l)), square(d.ptr(dl))
	factor.lower, factor.transposed, gradient.lower = true, true, true
	d.gemm(product{m: m, n: m, k: m, batch: k, alpha: 0.5, a: factor, b: gradient, c: middle, part: mirrored})
	inverse := d.invert(l, k, m)
	d.gemm(product{m: m, n: m, k: m, batch: k, alpha: 1, a: middle, b: inverse, c: right})
	d.gemm(product{m: m, n: m, k: m, batch: k, alpha: 1, a: inverse.transpose(), b: right, c: square(d.ptr(dc)), part: mirrored})
}
