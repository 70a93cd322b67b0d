//go:build cuda && cgo

package gpu

import (
	"github.com/gpdrf/gpdrf-gpu/cuda"
	"github.com/gpdrf/gpdrf-gpu/device"
)

// These are the planes of Φ in features_moments.cuh, for the mean and for the variance.
const (
	meanPlanes     = 2
	variancePlanes = 4
	planes         = meanPlanes + variancePlanes
)

// featureMoments is the state of FeatureMoments between forward and backward. Unlike RandomFeatures it writes Φ, six
// numbers for each row and frequency. It shares the other scratch with RandomFeatures.
type featureMoments struct {
	phi, dphi  scratch // [6,S·B,R]
	spectra    scratch // [2,d,R]: η and β², with the factors of Mixing
	quad       scratch // [4,R,d']
	base       scratch // [d'], in double: ½ Σ s²
	covariance weightCovariance
}

// beginMoments acts as beginFeatures does, for all rows at once.
func beginMoments(op string, a device.FeatureArgs, shape device.FeatureShape) *features {
	a.Noise = device.FeatureNoise{}
	t := beginFeatures(op, a, shape)
	t.groups = 1
	return t
}

// FeatureMoments computes rfdnn_lth_vec with W and Ω integrated.
func (d *Device) FeatureMoments(a device.FeatureArgs) {
	const op = "FeatureMoments"
	t := beginMoments(op, a, device.CheckFeatureMoments(op, a))
	p := &t.p
	state := &t.moments
	rows := t.S * t.B
	r, out := cuda.Int(t.R), cuda.Int(t.Out)
	phi, spectra := d.growReals(&state.phi, planes*rows*t.R), d.growReals(&state.spectra, 2*t.D*t.R)
	quad, base := d.growReals(&state.quad, variancePlanes*t.R*t.Out), d.growDoubles(&state.base, t.Out)
	d.real.launch("integrated_spectra", d.real.over("integrated_spectra", t.D*t.R), 0, cuda.Int(t.D*t.R), r,
		d.ptr(p.MeanOmega), d.ptr(p.LogVarOmega), d.ptr(p.Mixing), spectra)
	d.real.launch("integrated_weights", blocks(t.Out, 8), 0, r, out, d.ptr(p.MeanW), d.ptr(p.LogVarW), quad, base)
	if t.Full {
		d.factor(t)
	}
	d.real.launch("integrated_phases", cuda.Grid{X: blocksOf(rows, tile), Y: blocksOf(t.R, tile), Z: 2}, 0,
		cuda.Int(rows), cuda.Int(t.D), r, d.ptr(a.H), spectra, phi)
	d.real.launch("integrated_columns", t.each(), 0, r, phi)
	spread := d.ptr(nil)
	if t.Full {
		spread = d.spread(t)
	}
	span, chunks := divide(t.R, tile, t.minBlocks, 2*blocksOf(rows, tile)*blocksOf(t.Out, tile))
	partial := d.growReals(&t.chunks, 2*chunks*rows*t.Out)
	d.real.launch("integrated_outputs", cuda.Grid{X: blocksOf(rows, tile), Y: blocksOf(t.Out, tile), Z: 2 * chunks}, 0,
		cuda.Int(rows), r, out, cuda.Int(span), phi, d.ptr(p.MeanW), quad, partial)
	d.real.launch("integrated_moments", d.real.over("integrated_moments", rows*t.Out), 0, cuda.Int(rows*t.Out), r, out,
		cuda.Int(chunks), d.ptr(p.LogAlpha), base, spread, partial, d.ptr(a.Out), d.ptr(a.Variance))
}

// FeatureMomentsBackward writes g.H and accumulates g.Params.
func (d *Device) FeatureMomentsBackward(g, a device.FeatureArgs) {
	const op = "FeatureMomentsBackward"
	t := beginMoments(op, a, device.CheckFeatureMomentsBackward(op, g, a))
	state := &t.moments
	rows := t.S * t.B
	r, out := cuda.Int(t.R), cuda.Int(t.Out)
	weightBlocks := blocksOf(t.R*t.Out, 256)
	d.varianceGradient(t, g.Variance, a.Variance, weightBlocks)
	dphi := d.growReals(&state.dphi, planes*rows*t.R)
	d.real.launch("integrated_dcolumns", cuda.Grid{X: blocksOf(rows, tile), Y: blocksOf(t.R, tile), Z: planes}, 0,
		cuda.Int(rows), r, out, d.ptr(g.Out), t.local.dv.arg(), d.ptr(t.p.MeanW), state.quad.arg(), dphi)
	if t.Full {
		d.spreadInputs(t)
	}
	d.real.launch("integrated_dphases", t.each(), 0, r, d.ptr(t.p.LogAlpha), state.phi.arg(), dphi)
	if g.H != nil {
		d.real.launch("integrated_dinputs", cuda.Grid{X: blocksOf(rows, tile), Y: blocksOf(t.D, tile), Z: 1}, 0,
			cuda.Int(rows), cuda.Int(t.D), r, d.ptr(t.h), state.spectra.arg(), dphi, d.ptr(g.H))
	}
	d.weightMomentsGradient(t, g.Params, g.Out)
	d.spectraMomentsGradient(t, g.Params, weightBlocks+noiseBlocks)
}

// varianceGradient leaves out floored variances, and sums the gradients of the others by columns. Its sums for dlog α
// go after the first sums of alpha.
func (d *Device) varianceGradient(t *features, dvariance, variance *device.Tensor, first int) {
	rows := t.S * t.B
	d.growDoubles(&t.alpha, first+noiseBlocks)
	dv, sums := d.growReals(&t.local.dv, rows*t.Out), d.growDoubles(&t.local.sums, noiseBlocks*t.Out)
	d.real.launch("integrated_cotangent", cuda.Grid{X: noiseBlocks, Y: 1, Z: 1}, 0, cuda.Int(rows), cuda.Int(t.Out),
		d.ptr(dvariance), d.ptr(variance), dv, sums, cuda.Owned(t.alpha.ptr+cuda.Ptr(8*first), t.alpha.block))
	d.double.launch("fold_columns", cuda.Grid{X: t.Out, Y: 1, Z: 1}, 0, cuda.Int(noiseBlocks), cuda.Int(t.Out),
		d.growDoubles(&t.local.dvSum, t.Out), sums)
}

// weightMomentsGradient adds the gradients of W's means and variances.
func (d *Device) weightMomentsGradient(t *features, g device.FeatureParams, dmean *device.Tensor) {
	rows, size, columns, frequencies := t.S*t.B, t.R*t.Out, blocksOf(t.Out, tile), blocksOf(t.R, tile)
	span, chunks := divide(rows, tile, t.minBlocks, columns*frequencies*planes)
	partial := d.growReals(&t.dw, chunks*planes*size)
	d.real.launch("integrated_dweights", cuda.Grid{X: columns, Y: frequencies, Z: planes * chunks}, 0, cuda.Int(rows),
		cuda.Int(t.R), cuda.Int(t.Out), cuda.Int(span), t.moments.phi.arg(), d.ptr(dmean), t.local.dv.arg(), partial)
	shared := d.ptr(nil)
	if t.Full {
		shared = d.growReals(&t.moments.covariance.shared, 3*size)
	}
	d.real.launch("fold_integrated_weights", blocks(size, 256), 0, cuda.Int(size), cuda.Int(t.R), cuda.Int(t.Out),
		cuda.Int(chunks), d.ptr(t.p.LogAlpha), partial, t.local.dvSum.arg(), d.ptr(t.p.MeanW), d.ptr(t.p.LogVarW),
		d.ptr(g.MeanW), d.ptr(g.LogVarW), shared, t.alpha.arg())
	if t.Full {
		d.factorGradient(t, g)
	}
}

// spectraMomentsGradient adds the gradients of Ω's means and variances, and of α from its partial sums.
func (d *Device) spectraMomentsGradient(t *features, g device.FeatureParams, sums int) {
	rows, size, inputs, frequencies := t.S*t.B, t.D*t.R, blocksOf(t.D, tile), blocksOf(t.R, tile)
	span, chunks := divide(rows, tile, t.minBlocks, inputs*frequencies*2)
	partial := d.growReals(&t.domega, chunks*2*size)
	d.real.launch("integrated_dspectra", cuda.Grid{X: frequencies, Y: inputs, Z: 2 * chunks}, 0,
		cuda.Int(rows), cuda.Int(t.D), cuda.Int(t.R), cuda.Int(span), d.ptr(t.h), t.moments.dphi.arg(), partial)
	d.real.launch("fold_integrated_spectra", blocks(size+256, 256), 0, cuda.Int(size), cuda.Int(t.R), cuda.Int(chunks),
		cuda.Int(sums), partial, t.moments.spectra.arg(), d.ptr(t.p.Mixing), d.ptr(g.MeanOmega), d.ptr(g.LogVarOmega),
		d.ptr(g.LogAlpha), t.alpha.arg())
}

// each returns a grid of a thread for each row and frequency.
func (t *features) each() cuda.Grid { return cuda.Grid{X: t.S * t.B, Y: blocksOf(t.R, 256), Z: 1} }
