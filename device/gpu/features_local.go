//go:build cuda && cgo

package gpu

import (
	"github.com/gpdrf/gpdrf-gpu/cuda"
	"github.com/gpdrf/gpdrf-gpu/device"
)

// noiseBlocks is the number of blocks of noise_gradient, and of its sums.
const noiseBlocks = 256

// localNoise is the state of local reparameterisation. Since sin² = 1 − cos², the output variance needs only the
// squares of the cosines:
//
//	v = Φ²s² = α/R·(Σ_r s²_sin,r + cos² (s²_cos − s²_sin))
//
// With one column for each frequency there are no sines, and φ and s² stand for cos and the contrast.
type localNoise struct {
	contrast     scratch // [R,d']: s²_cos − s²_sin, or s²
	sines        scratch // [d'], in double: Σ s²_sin
	square       scratch // [chunks,S·B,d']: cos² contrast
	v, ratio, dv scratch // [S·B,d']; ratio is ε/(2√v), 0 if v is floored
	sums, dvSum  scratch // [noiseBlocks,d'] and [d'], in double: sums of dv over rows
	dcontrast    scratch // [parts,R,d']
}

// contrast computes the arrays that all rows share.
func (d *Device) contrast(t *features) {
	d.real.launch("weight_contrast", blocks(t.Out, 8), 0, cuda.Int(t.R), cuda.Int(t.Out), cuda.Int(int(t.Activation)),
		d.ptr(t.p.LogVarW), d.growReals(&t.local.contrast, t.R*t.Out), d.growDoubles(&t.local.sines, t.Out))
}

// addNoise adds √v∘ε to the output, and keeps v and the ratio for the backward pass.
func (d *Device) addNoise(t *features, a device.FeatureArgs, chunks int, mean, square cuda.Arg) {
	n := t.S * t.B
	k0, k1, step, site, strata := d.key(t.noise.Weights)
	d.real.launch("add_noise", d.real.over("add_noise", n*blocksOf(t.Out, 4)), 0, cuda.Int(n), cuda.Int(t.B),
		cuda.Int(t.Out), cuda.Int(t.R), cuda.Int(chunks), k0, k1, step, site, strata, cuda.Float64(device.VarFloor),
		d.ptr(a.Rows), d.ptr(t.p.LogAlpha), t.local.sines.arg(), mean, square, d.ptr(a.Out),
		d.growReals(&t.local.v, n*t.Out), d.growReals(&t.local.ratio, n*t.Out))
}

// noiseGradient computes dv and its sums. The sums for dlog α go after the first sums of alpha.
func (d *Device) noiseGradient(t *features, dout *device.Tensor, first int) {
	n := t.S * t.B
	dv, sums := d.growReals(&t.local.dv, n*t.Out), d.growDoubles(&t.local.sums, noiseBlocks*t.Out)
	d.real.launch("noise_gradient", cuda.Grid{X: noiseBlocks, Y: 1, Z: 1}, 0, cuda.Int(n), cuda.Int(t.Out), d.ptr(dout),
		t.local.ratio.arg(), t.local.v.arg(), dv, sums, cuda.Owned(t.alpha.ptr+cuda.Ptr(8*first), t.alpha.block))
	d.double.launch("fold_columns", cuda.Grid{X: t.Out, Y: 1, Z: 1}, 0, cuda.Int(noiseBlocks), cuda.Int(t.Out),
		d.growDoubles(&t.local.dvSum, t.Out), sums)
}

// foldLocal adds the gradients of the weights' means and variances.
func (d *Device) foldLocal(t *features, g device.FeatureParams, parts int) {
	n := t.Columns() * t.Out
	d.real.launch("fold_weights_local", blocks(n, 256), 0, cuda.Int(n), cuda.Int(t.R), cuda.Int(t.Out), cuda.Int(parts),
		d.ptr(t.p.LogAlpha), t.dw.arg(), t.local.dcontrast.arg(), t.local.dvSum.arg(), d.ptr(t.p.MeanW),
		d.ptr(t.p.LogVarW), d.ptr(g.MeanW), d.ptr(g.LogVarW), t.alpha.arg())
}
