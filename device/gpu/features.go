//go:build cuda && cgo

package gpu

import (
	"github.com/gpdrf/gpdrf-gpu/cuda"
	"github.com/gpdrf/gpdrf-gpu/device"
)

// minBlocks is the least number of blocks that the frequencies, or the rows, of a small layer are divided into. It does
// not depend on the GPU, so sums over frequencies have one order on all GPUs.
const minBlocks = 512

// features is the Scratch of one layer. It does not contain Φ: the largest members are the draws and the parts of their
// gradients. Members that only some layers need are allocated by their first call.
type features struct {
	device.FeatureShape
	rowsPlanned int
	side        int // side of a tile of rows, frequencies and columns

	minBlocks int // the constant minBlocks, except in tests

	noise device.FeatureNoise
	p     device.FeatureParams
	h     *device.Tensor

	omegas, weights int // numbers of distinct draws of Ω and of W
	groups          int // number of sets of rows that share both: 1, or one for each sample

	omega, tau scratch // [omegas,d,R]: Ω and β∘τ
	w, e       scratch // [weights,columns,d']: W and s∘e
	chunks     scratch // chunks over frequencies of the output, or of dh
	domega, dw scratch // [parts,d,R] and [parts,columns,d']
	alpha      scratch // [blocks], in double: sums for dlog α
	local      localNoise
	moments    featureMoments
}

// FeatureScratch plans the memory of a layer for up to S·B rows.
func (d *Device) FeatureScratch(samples, batch, width, frequencies, dOut int) device.Scratch {
	return &features{
		FeatureShape: device.FeatureShape{D: width, R: frequencies, Out: dOut},
		rowsPlanned:  samples * batch,
		side:         d.featureSide(),
		minBlocks:    minBlocks,
	}
}

// beginFeatures checks that the scratch was planned for these arguments.
func beginFeatures(op string, a device.FeatureArgs, n device.FeatureShape) *features {
	t, ok := a.Scratch.(*features)
	if !ok || n.D != t.D || n.R != t.R || n.Out != t.Out || n.S*n.B > t.rowsPlanned {
		panic("device: " + op + ": the scratch was planned for another layer")
	}
	t.FeatureShape, t.h, t.p, t.noise = n, a.H, a.Params, a.Noise
	t.omegas, t.weights, t.groups = t.noise.Distinct(t.S)
	return t
}

// RandomFeatures computes rfdnn_lth_vec with rf_ard, reparam_Omega and reparam_W.
func (d *Device) RandomFeatures(a device.FeatureArgs) {
	const op = "RandomFeatures"
	t := beginFeatures(op, a, device.CheckFeatures(op, a))
	p, noise := &t.p, &t.noise
	d.fork(false, p.MeanOmega, p.LogVarOmega, p.LogLength, p.Mixing, p.MeanW, p.LogVarW)
	d.drawSpectra(t)
	if noise.Local {
		d.contrast(t)
	} else {
		n := t.weights * t.Columns() * t.Out
		d.draw(draw{slots: t.weights, rows: t.Columns(), columns: t.Out, key: noise.Weights, number: noise.WeightDraws,
			mean: p.MeanW, logvar: p.LogVarW, x: d.growReals(&t.w, n), noise: d.growReals(&t.e, n)})
	}
	d.join()
	columns := blocksOf(t.Out, t.side)
	span, chunks := t.chunksOfFrequencies(columns)
	n, mean, square := t.S*t.B*t.Out, d.ptr(a.Out), cuda.Pointer(0)
	if chunks > 1 {
		mean = d.growReals(&t.chunks, chunks*n)
	}
	if noise.Local {
		square = d.growReals(&t.local.square, chunks*n)
	}
	l := d.layer(t, nil)
	d.products.launch("features_forward", cuda.Grid{X: t.rowTiles(), Y: chunks, Z: columns}, d.featureShared(), l.rows,
		l.d, l.r, l.out, l.omegas, l.weights, l.arccos, l.logAlpha, l.h, l.omega, l.w, l.contrast, cuda.Int(span), mean,
		square)
	switch {
	case noise.Local:
		d.addNoise(t, a, chunks, mean, square)
	case chunks > 1:
		d.sumChunks(d.ptr(a.Out), mean, n, chunks)
	}
}

// drawSpectra draws Ω.
func (d *Device) drawSpectra(t *features) {
	omega := d.growReals(&t.omega, t.omegas*t.D*t.R)
	if !t.Prior {
		d.draw(draw{slots: t.omegas, rows: t.D, columns: t.R, key: t.noise.Frequencies, number: t.noise.FrequencyDraws,
			mean: t.p.MeanOmega, logvar: t.p.LogVarOmega, mixing: t.p.Mixing, x: omega,
			noise: d.growReals(&t.tau, t.omegas*t.D*t.R)})
		return
	}
	n := t.omegas * t.D * blocksOf(t.R, 4)
	first, k0, k1, step, site, strata := d.draws(t.noise.Frequencies)
	d.real.launch("draw_prior", d.real.over("draw_prior", n), 0, cuda.Int(n), cuda.Int(t.D), cuda.Int(t.R), first,
		cuda.Int(t.noise.FrequencyDraws), k0, k1, step, site, strata, d.ptr(t.p.LogLength), d.ptr(t.p.Mixing), omega)
}

// draw is slots Gaussian matrices: x = mean + noise, both times mixing if there is one.
type draw struct {
	slots, rows, columns int
	key                  device.Key
	number               int // number of draws that the samples share; 0 if each sample has a draw
	mean, logvar, mixing *device.Tensor
	x, noise             cuda.Arg
}

func (d *Device) draw(w draw) {
	n := w.slots * w.rows * blocksOf(w.columns, 4)
	first, k0, k1, step, site, strata := d.draws(w.key)
	d.real.launch("draw_gaussian", d.real.over("draw_gaussian", n), 0, cuda.Int(n), cuda.Int(w.rows),
		cuda.Int(w.columns), first, cuda.Int(w.number), k0, k1, step, site, strata, d.ptr(w.mean), d.ptr(w.logvar),
		d.ptr(w.mixing), w.x, w.noise)
}

// draws returns a key whose samples are numbered from first: the number of the draw is reduced before it enters the
// counter.
func (d *Device) draws(k device.Key) (first, k0, k1, step, site, strata cuda.Arg) {
	first = cuda.Uint(k.Sample)
	k.Sample = 0
	k0, k1, step, site, strata = d.key(k)
	return first, k0, k1, step, site, strata
}

// groupRows returns the number of rows of a group; rowTiles returns the number of tiles that cover the rows of all
// groups.
func (t *features) groupRows() int { return t.S * t.B / t.groups }

func (t *features) rowTiles() int {
	return t.groups * blocksOf(t.groupRows(), t.side)
}

// chunksOfFrequencies divides the frequencies among the blocks of a kernel that owns rows, with a number of blocks for
// each tile of rows.
func (t *features) chunksOfFrequencies(blocks int) (span, chunks int) {
	return divide(t.R, t.side, t.minBlocks, t.rowTiles()*blocks)
}

// divide cuts n into chunks of whole tiles of a side. Each chunk takes others blocks. It makes just enough chunks for
// the number of blocks of a launch, or up to twice as many if they are more even, since the longest block ends last.
func divide(n, side, blocks, others int) (span, chunks int) {
	tiles := blocksOf(n, side)
	chunks = min(tiles, blocksOf(blocks, others))
	most := blocksOf(tiles, chunks)
	missing := func(span int) int { return (span - tiles%span) % span } // tiles of the last chunk
	best := most
	for span := most; 2*span > most; span-- {
		if missing(span) < missing(best) {
			best = span
		}
	}
	return best * side, blocksOf(tiles, best)
}

// layer holds the first arguments of the kernels that walk over tiles of a layer: struct Layer of features.cuh.
type layer struct {
	rows, d, r, out, omegas, weights, arccos  cuda.Arg
	logAlpha, h, omega, w, contrast, dout, dv cuda.Arg // dout and dv in the backward pass
}

func (d *Device) layer(t *features, dout *device.Tensor) layer {
	l := layer{
		rows: cuda.Int(t.groupRows()), d: cuda.Int(t.D), r: cuda.Int(t.R), out: cuda.Int(t.Out),
		omegas: cuda.Int(t.omegas), weights: cuda.Int(t.weights),
		arccos:   cuda.Int(int(t.Activation)),
		logAlpha: d.ptr(t.p.LogAlpha), h: d.ptr(t.h), omega: t.omega.arg(), w: t.w.arg(), contrast: cuda.Pointer(0),
		dout: d.ptr(dout), dv: cuda.Pointer(0),
	}
	if t.noise.Local {
		l.w, l.contrast, l.dv = d.ptr(t.p.MeanW), t.local.contrast.arg(), t.local.dv.arg()
	}
	return l
}

// featureSide and featureShared return the side of a tile and the shared memory of a block of features_tile.cuh: two
// stages and two tiles, in rows of four numbers more.
func (d *Device) featureSide() int {
	if d.single {
		return 64
	}
	return 32
}
func (d *Device) featureShared() int {
	depth, side := 16, d.featureSide()
	if d.single {
		depth = 24
	}
	return (2*depth + 2*side) * (side + 4) * d.size(device.Real)
}

// sumChunks computes dst = Σ partial over chunks.
func (d *Device) sumChunks(dst, partial cuda.Arg, n, chunks int) {
	d.real.launch("sum_chunks", d.real.over("sum_chunks", n), 0, cuda.Int(n), cuda.Int(chunks), dst, partial)
}

// RandomFeaturesBackward writes g.H and accumulates g.Params.
func (d *Device) RandomFeaturesBackward(g, a device.FeatureArgs) {
	const op = "RandomFeaturesBackward"
	t := beginFeatures(op, a, device.CheckFeaturesBackward(op, g, a))
	p, dp := &t.p, &g.Params
	weightBlocks := blocksOf(t.Columns()*t.Out, 256)
	alpha := d.growDoubles(&t.alpha, weightBlocks+noiseBlocks)
	sums := weightBlocks
	if t.noise.Local {
		d.noiseGradient(t, g.Out, weightBlocks)
		sums += noiseBlocks
	}
	if g.H != nil {
		d.inputGradient(t, g.H, g.Out)
	}
	chunks, parts := d.partialGradients(t, g.Out)
	if t.noise.Local {
		d.foldLocal(t, g.Params, parts)
	} else {
		n := t.Columns() * t.Out
		d.real.launch("fold_weights", blocks(n, 256), 0, cuda.Int(n), cuda.Int(t.R), cuda.Int(parts), cuda.Int(chunks),
			cuda.Int(t.weights), d.ptr(p.LogAlpha), t.dw.arg(), t.w.arg(), t.e.arg(), d.ptr(dp.MeanW),
			d.ptr(dp.LogVarW), alpha)
	}
	if t.Prior {
		d.real.launch("fold_prior", cuda.Grid{X: t.D + 1, Y: 1, Z: 1}, 0, cuda.Int(t.D), cuda.Int(t.R), cuda.Int(parts),
			cuda.Int(chunks), cuda.Int(t.omegas), cuda.Int(sums), t.domega.arg(), t.omega.arg(), d.ptr(dp.LogLength),
			d.ptr(dp.LogAlpha), alpha)
		return
	}
	n := t.D * t.R
	d.real.launch("fold_spectra", blocks(n+256, 256), 0, cuda.Int(n), cuda.Int(parts), cuda.Int(chunks),
		cuda.Int(t.omegas), cuda.Int(t.R), cuda.Int(sums), t.domega.arg(), t.tau.arg(), d.ptr(p.Mixing),
		d.ptr(dp.MeanOmega), d.ptr(dp.LogVarOmega), d.ptr(dp.LogAlpha), alpha)
}

// partialGradients makes the parts of the gradients of Ω and W, one for each chunk of the rows of a group.
func (d *Device) partialGradients(t *features, dout *device.Tensor) (chunks, parts int) {
	tiles := blocksOf(t.R, t.side)
	span, chunks := divide(t.groupRows(), t.side, t.minBlocks, t.groups*tiles)
	parts = t.groups * chunks
	dcontrast := cuda.Pointer(0)
	if t.noise.Local {
		dcontrast = d.growReals(&t.local.dcontrast, parts*t.R*t.Out)
	}
	l := d.layer(t, dout)
	d.products.launch("features_gradients", cuda.Grid{X: tiles, Y: chunks, Z: t.groups}, d.featureShared(), l.rows, l.d,
		l.r, l.out, l.omegas, l.weights, l.arccos, l.logAlpha, l.h, l.omega, l.w, l.contrast, cuda.Int(span), l.dout,
		l.dv, d.growReals(&t.domega, parts*t.D*t.R), d.growReals(&t.dw, parts*t.Columns()*t.Out), dcontrast)
	return chunks, parts
}

// inputGradient writes dh.
func (d *Device) inputGradient(t *features, dh, dout *device.Tensor) {
	span, chunks := t.chunksOfFrequencies(1)
	n := t.S * t.B * t.D
	to := d.ptr(dh)
	if chunks > 1 {
		to = d.growReals(&t.chunks, chunks*n)
	}
	l := d.layer(t, dout)
	d.products.launch("features_inputs", cuda.Grid{X: t.rowTiles(), Y: chunks, Z: 1}, d.featureShared(), l.rows, l.d,
		l.r, l.out, l.omegas, l.weights, l.arccos, l.logAlpha, l.h, l.omega, l.w, l.contrast, cuda.Int(span), l.dout,
		l.dv, to)
	if chunks > 1 {
		d.sumChunks(d.ptr(dh), to, n, chunks)
	}
}
