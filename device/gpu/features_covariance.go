//go:build cuda && cgo

package gpu

import (
	"github.com/gpdrf/gpdrf-gpu/cuda"
	"github.com/gpdrf/gpdrf-gpu/device"
)

// weightCovariance is the state of FeatureMoments if the covariance of W is full.
type weightCovariance struct {
	l       scratch // [d',2R,2R]: L
	product scratch // [d',S·B,2R]: P = μL; in the backward pass its gradient
	squares scratch // [S·B,d']: ‖P‖²
	shared  scratch // [3,R,d']: gradients of the shared factors of cosines and sines
	dl      scratch // [chunks,d',2R,2R]
}

// factor computes L, and in quad the factors of L Lᵀ that the cosine and sine of a frequency share.
func (d *Device) factor(t *features) {
	state := &t.moments
	columns := 2 * t.R
	size := t.Out * columns * columns
	l := d.growReals(&state.covariance.l, size)
	d.real.launch("covariance_factor", d.real.over("covariance_factor", size), 0, cuda.Int(size), cuda.Int(columns),
		cuda.Int(t.Out), d.ptr(t.p.LowerW), d.ptr(t.p.LogVarW), l)
	d.real.launch("covariance_shared", d.warps(t.R, t.Out), 0, cuda.Int(t.R), cuda.Int(t.Out), l, state.quad.arg(),
		state.base.arg())
}

// warps returns a grid of a warp for each row of each column.
func (d *Device) warps(rows, columns int) cuda.Grid {
	return cuda.Grid{X: blocksOf(rows, 8), Y: columns, Z: 1}
}

// spread returns ‖Lᵀμ‖² of each row and output.
func (d *Device) spread(t *features) cuda.Arg {
	state := &t.moments
	rows, columns := t.S*t.B, 2*t.R
	p := d.growReals(&state.covariance.product, t.Out*rows*columns)
	squares := d.growReals(&state.covariance.squares, rows*t.Out)
	d.real.launch("covariance_product", cuda.Grid{X: blocksOf(rows, tile), Y: blocksOf(columns, tile), Z: t.Out}, 0,
		cuda.Int(rows), cuda.Int(t.R), state.phi.arg(), state.covariance.l.arg(), p)
	d.real.launch("covariance_squares", d.warps(rows, t.Out), 0, cuda.Int(rows), cuda.Int(columns), p, squares)
	return squares
}

// spreadInputs turns P into its gradient, and adds the gradient of μ to dΦ.
func (d *Device) spreadInputs(t *features) {
	state := &t.moments
	rows, columns := t.S*t.B, 2*t.R
	size := t.Out * rows * columns
	d.real.launch("covariance_cotangent", d.real.over("covariance_cotangent", size), 0, cuda.Int(size), cuda.Int(rows),
		cuda.Int(t.R), cuda.Int(t.Out), d.ptr(t.p.LogAlpha), t.local.dv.arg(), state.covariance.product.arg())
	d.real.launch("covariance_dcolumns", cuda.Grid{X: blocksOf(rows, tile), Y: blocksOf(columns, tile), Z: 1}, 0,
		cuda.Int(rows), cuda.Int(t.R), cuda.Int(t.Out), state.covariance.product.arg(), state.covariance.l.arg(),
		state.dphi.arg())
}

// factorGradient adds the gradient of L to the gradients of LowerW and, by its diagonal, of LogVarW.
func (d *Device) factorGradient(t *features, g device.FeatureParams) {
	state := &t.moments
	rows, columns := t.S*t.B, 2*t.R
	size := t.Out * columns * columns
	tiles := blocksOf(columns, tile)
	span, chunks := divide(rows, tile, t.minBlocks, tiles*tiles*t.Out)
	partial := d.growReals(&state.covariance.dl, chunks*size)
	d.real.launch("covariance_dfactor", cuda.Grid{X: tiles, Y: tiles, Z: t.Out * chunks}, 0, cuda.Int(rows),
		cuda.Int(t.R), cuda.Int(t.Out), cuda.Int(span), state.phi.arg(), state.covariance.product.arg(), partial)
	d.real.launch("fold_covariance", d.real.over("fold_covariance", size), 0, cuda.Int(size), cuda.Int(t.R),
		cuda.Int(t.Out), cuda.Int(chunks), d.ptr(t.p.LogAlpha), partial, state.covariance.shared.arg(),
		state.covariance.l.arg(), d.ptr(g.LowerW), d.ptr(g.LogVarW))
}
