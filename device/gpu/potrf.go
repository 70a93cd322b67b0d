//go:build cuda && cgo

package gpu

import (
	"github.com/gpdrf/gpdrf-gpu/cuda"
	"github.com/gpdrf/gpdrf-gpu/device"
)

// updateEvery is the number of columns after which the whole card updates the next ones: it computes the products that
// update them from earlier columns. Tests use fewer.
var updateEvery = 8 * tile

// panelShared is the dynamic shared memory of a block that makes a panel: struct Columns of potrf.cuh.
const panelShared = (4*8*(2*tile+4) + tile) * 8

// potrfState is the state of PotrfBackward between its products, [K,M,M] each.
type potrfState struct{ middle, right scratch }

// Potrf computes L Lᵀ = c + jitter·I for each of the K matrices, and L⁻¹. The whole card computes the first rung of the
// ladder, in panels of 64 columns; one block a matrix computes the other rungs.
func (d *Device) Potrf(l, jitter, c *device.Tensor) {
	k, m := device.CheckPotrf(l, jitter, c)
	d.factorise(l, jitter, c, k, m, &device.JitterLadder)
}

// factorise acts as Potrf does, with any ladder; used [K] receives the rung that succeeded.
func (d *Device) factorise(l, used, c *device.Tensor, k, m int, rungs *[5]float64) {
	t := &d.state.triangle
	x, before := d.growDoubles(&t.inverse, k*m*m), d.growDoubles(&t.product, k*m*m)
	for j, from := 0, 0; j < m; j += tile {
		if j == from+updateEvery {
			from = j
			d.update(l, k, m, from)
		}
		d.double.launch("potrf_panel", cuda.Grid{X: blocksOf(m, tile), Y: k, Z: 1}, panelShared, cuda.Int(m),
			cuda.Int(j), cuda.Int(from), cuda.Float64(rungs[0]), d.ptr(l), x, d.ptr(used), d.ptr(c), before)
	}
	d.double.launch("potrf_ladder", cuda.Grid{X: k, Y: 1, Z: 1}, panelShared, cuda.Int(m), cuda.Float64(rungs[1]),
		cuda.Float64(rungs[2]), cuda.Float64(rungs[3]), cuda.Float64(rungs[4]), d.ptr(l), x, d.ptr(used), d.ptr(c))
	t.factored(d.memory(l))
}

// update multiplies the finished columns, before column `from`, for the next panels: one product for L and one for the
// same rows of L⁻¹. potrf_panel subtracts them.
func (d *Device) update(l *device.Tensor, k, m, from int) {
	t := &d.state.triangle
	n := min(updateEvery, m-from)
	square := func(at cuda.Arg) matrix { return matrix{at: at, ld: m, step: m * m} }
	rows := square(d.at(l, from*m))
	inverse := square(t.inverse.arg())
	inverse.lower = true
	d.gemm(product{
		m: m - from, n: n, k: from, batch: k, alpha: 1,
		a: rows, b: rows.transpose(), c: square(t.product.double(from*m + from)), part: lower,
	})
	d.gemm(product{
		m: n, n: from, k: from, batch: k, alpha: 1,
		a: rows, b: inverse, c: square(t.inverse.double(from * m)),
	})
}

// PotrfBackward computes dc = sym½(L⁻ᵀ Φ(Lᵀ dL) L⁻¹) (Murray 2016). sym½ is applied inside, where it is the lower
// triangle of ½ Lᵀ dL on both sides.
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
	d.gemm(product{m: m, n: m, k: m, batch: k, alpha: 1, a: inverse.transpose(), b: right, c: square(d.ptr(dc)),
		part: mirrored})
}
