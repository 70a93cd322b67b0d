package cpu

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/simd"
)

// Of the columns of simd.Integrals, two enter the mean and four the variance. A forward pass keeps the three numbers
// from which these six follow, which makes a prediction twice as fast. Backward computes the six again.
const (
	meanParts = 2
	varParts  = 4
	parts     = meanParts + varParts
	keptParts = 3
)

// featureMoments is the state of FeatureMoments between forward and backward. W enters the variance by four columns for
// each frequency, the rows of quad:
//
//	s²_cos − s²_sin,   m²_cos + m²_sin,   m²_cos − m²_sin,   m_cos m_sin
type featureMoments[T Float] struct {
	kept       []T // [S·B,3R]: cos t, sin t and q of simd.Integrals
	phi        []T // [S·B,6n] of each block of n frequencies: the other six columns, in backward
	eta, beta2 []T // [d,R]: η and β², with the factors of Mixing
	quad       []T // [4R,d']
	base       []T // [d']: ½ Σ s²
	s2         []T // [2R,d']
	h2         []T // [S·B,d]: squares of h
	dp, dv     []T // [S·B,R]: gradients of the means and variances of θ
	dvariance  []T // [S·B,d']: 0 where the variance is floored
	dsum       []T // [d']
	alpha      []float64
	variance   []T
}

// FeatureMoments computes means and variances of the layer's outputs: rfdnn_lth_vec with W and Ω integrated.
func (d *Device[T]) FeatureMoments(a device.FeatureArgs) {
	const op = "FeatureMoments"
	t := d.beginFeatures(op, a, device.CheckFeatureMoments(op, a))
	t.out = d.real(a.Out)
	state := &t.moments
	state.variance = d.real(a.Variance)
	rows := t.S * t.B
	state.kept, state.h2 = grow(d.pool, &state.kept, rows*keptParts*t.R), grow(d.pool, &state.h2, rows*t.D)
	state.eta, state.beta2 = grow(d.pool, &state.eta, t.D*t.R), grow(d.pool, &state.beta2, t.D*t.R)
	state.quad, state.s2 = grow(d.pool, &state.quad, varParts*t.R*t.Out), grow(d.pool, &state.s2, 2*t.R*t.Out)
	state.base = grow(d.pool, &state.base, t.Out)
	t.math.reserve(d.pool, 0, min(rows, featureRows)*parts*t.R)
	if t.Full {
		t.covariance.begin(d.pool, rows, 2*t.R, t.Out)
	}
	if d.dry() {
		return
	}
	t.scale = T(math.Sqrt(math.Exp(float64(t.p.logAlpha[0])) / float64(t.R)))
	t.groups = 1
	d.do((*integratedSpectra[T])(t), t.D, t.D*t.R*8)
	d.do((*integratedWeights[T])(t), blocksOf(t.R, featureColumns), t.R*t.Out*(16+t.squares()))
	t.sumBase()
	d.do((*integratedRows[T])(t), t.rowBlocks(), rows*t.R*(2*t.D+(6+t.squares())*t.Out+32))
}

// squares returns the number of products of a full covariance of W for each row, frequency and output.
func (t *features[T]) squares() int {
	if t.Full {
		return 2 * t.R
	}
	return 0
}

// integratedSpectra is η and β² of one row of Ω.
type integratedSpectra[T Float] features[T]

func (t *integratedSpectra[T]) run(_ *worker, row int) {
	state := &t.moments
	at := row * t.R
	eta, beta2 := state.eta[at:][:t.R], state.beta2[at:][:t.R]
	copy(eta, t.p.meanOmega[at:])
	t.math.exp(beta2, t.p.logVarOmega[at:][:t.R])
	times(eta, t.p.mixing)
	times(beta2, t.p.mixing)
	times(beta2, t.p.mixing)
}

// integratedWeights is s² and quad of a block of frequencies.
type integratedWeights[T Float] features[T]

func (t *integratedWeights[T]) run(_ *worker, block int) {
	lo, hi := span(block, featureColumns, t.R)
	lo, hi = lo*t.Out, hi*t.Out
	state := &t.moments
	size := t.R * t.Out
	for _, from := range [...]int{0, size} {
		t.math.exp(state.s2[from+lo:from+hi], t.p.logVarW[from+lo:from+hi])
	}
	for i := lo; i < hi; i++ {
		c, s := t.p.meanW[i], t.p.meanW[size+i]
		state.quad[i] = state.s2[i] - state.s2[size+i]
		state.quad[size+i] = c*c + s*s
		state.quad[2*size+i] = c*c - s*s
		state.quad[3*size+i] = c * s
	}
	if t.Full {
		(*features[T])(t).fullWeights(lo/t.Out, hi/t.Out)
	}
}

// sumBase computes the part of the variance that all rows share.
func (t *features[T]) sumBase() {
	state := &t.moments
	if t.Full {
		clear(state.base)
		return
	}
	for c := range t.Out {
		state.base[c] = T(sumEvery(state.s2, c, t.Out) / 2)
	}
}

// integratedRows is a block of rows of the mean and the variance.
type integratedRows[T Float] features[T]

func (t *integratedRows[T]) run(w *worker, block int) {
	f := (*features[T])(t)
	_, lo, hi := f.rowSpan(block)
	n, width := hi-lo, keptParts*t.R
	state := &t.moments
	kept, h2 := state.kept[lo*width:hi*width], state.h2[lo*t.D:hi*t.D]
	product(h2, t.h[lo*t.D:], t.h[lo*t.D:])
	t.math.gemm(t.math.pack(w), false, false, n, t.R, t.D, 1, t.h[lo*t.D:], t.D, state.eta, t.R, 0, kept[t.R:], width)
	t.math.gemm(t.math.pack(w), false, false, n, t.R, t.D, -0.5, h2, t.D, state.beta2, t.R, 0, kept[2*t.R:], width)
	columns := parts * t.R
	phi := t.math.scratch(w, 0, n*columns)
	for i := range n {
		m := f.integrals(lo+i, 0, t.R, phi[i*columns:])
		t.math.sinCos(m.Sin, m.Cos, m.Sin)
		t.math.exp(m.Shrink, m.Shrink)
		t.math.integrate(m)
	}
	f.multiply(w, t.out[lo*t.Out:], n, t.scale, matrix[T]{phi, columns, meanParts * t.R}, t.p.meanW)
	variance := state.variance[lo*t.Out : hi*t.Out]
	f.multiply(w, variance, n, 1, matrix[T]{phi[meanParts*t.R:], columns, varParts * t.R}, state.quad)
	if t.Full {
		f.spread(w, lo, hi, phi, variance)
	}
	for i, v := range variance {
		variance[i] = floored(t.scale * t.scale * (v + state.base[i%t.Out]))
	}
}

// integrals returns the columns of a row for frequencies lo … hi: six in phi, and the columns that are kept.
func (t *features[T]) integrals(row, lo, hi int, phi []T) simd.Integrals[T] {
	part := func(i int) []T { return phi[i*(hi-lo):][:hi-lo] }
	kept := t.moments.kept[row*keptParts*t.R:]
	return simd.Integrals[T]{
		MeanCos: part(0), MeanSin: part(1), Wave: part(2), Lost: part(3), CrossCos: part(4), CrossSin: part(5),
		Cos: kept[lo:hi], Sin: kept[t.R+lo : t.R+hi], Shrink: kept[2*t.R+lo : 2*t.R+hi],
	}
}

// FeatureMomentsBackward writes g.H and accumulates g.Params.
func (d *Device[T]) FeatureMomentsBackward(g, a device.FeatureArgs) {
	const op = "FeatureMomentsBackward"
	t := d.beginFeatures(op, a, device.CheckFeatureMomentsBackward(op, g, a))
	t.dout, t.dh = d.real(g.Out), d.real(g.H)
	t.g = d.featureParams(g.Params)
	rows, blocks := t.S*t.B, blocksOf(t.R, featureColumns)
	state := &t.moments
	state.dp, state.dv = grow(d.pool, &state.dp, rows*t.R), grow(d.pool, &state.dv, rows*t.R)
	state.dvariance, state.dsum = grow(d.pool, &state.dvariance, rows*t.Out), grow(d.pool, &state.dsum, t.Out)
	state.phi = grow(d.pool, &state.phi, rows*parts*t.R)
	state.alpha, t.partial = grow(d.pool, &state.alpha, blocksOf(rows, featureRows)), grow(d.pool, &t.partial, blocks)
	t.math.reserve(d.pool, 0, max(min(rows, featureRows)*parts*t.R, featureColumns*max(t.D, varParts*t.Out)))
	t.math.reserve(d.pool, 1, max(min(rows, featureRows)*t.D, featureColumns*t.squares()))
	if d.dry() {
		return
	}
	copy(state.dvariance, d.real(g.Variance))
	state.variance = d.real(a.Variance)
	d.do((*integratedInputs[T])(t), t.rowBlocks(), rows*t.R*(2*t.D+(6+t.squares())*t.Out+32))
	for c := range t.Out {
		state.dsum[c] = T(sumEvery(state.dvariance, c, t.Out))
	}
	d.do((*integratedGradients[T])(t), blocks, rows*t.R*(2*t.D+(6+t.squares())*t.Out))
	t.g.logAlpha[0] += T(sum(t.partial)/2 + sum(state.alpha))
}

// integratedInputs is the first part of the backward pass, by blocks of rows: the gradients of θ's moments, and dh.
type integratedInputs[T Float] features[T]

func (t *integratedInputs[T]) run(w *worker, block int) {
	f := (*features[T])(t)
	_, lo, hi := f.rowSpan(block)
	n := hi - lo
	state := &t.moments
	alpha := 0.0
	for i := lo * t.Out; i < hi*t.Out; i++ {
		if isFloored(state.variance[i]) {
			state.dvariance[i] = 0
		}
		alpha += float64(state.dvariance[i]) * float64(state.variance[i])
	}
	state.alpha[block] = alpha
	dphi := t.math.scratch(w, 0, n*parts*t.R)
	t.math.gemm(t.math.pack(w), false, true, n, meanParts*t.R, t.Out, t.scale, t.dout[lo*t.Out:], t.Out, t.p.meanW,
		t.Out, 0, dphi, parts*t.R)
	t.math.gemm(t.math.pack(w), false, true, n, varParts*t.R, t.Out, t.scale*t.scale, state.dvariance[lo*t.Out:], t.Out,
		state.quad, t.Out, 0, dphi[meanParts*t.R:], parts*t.R)
	if t.Full {
		f.spreadInputs(w, lo, hi, dphi, parts*t.R)
	}
	for i := range n {
		at := (lo + i) * t.R
		t.math.integrateSlopes(state.dp[at:][:t.R], state.dv[at:][:t.R], f.integrals(lo+i, 0, t.R, dphi[i*parts*t.R:]))
	}
	if t.dh == nil {
		return
	}
	dh, dh2 := t.dh[lo*t.D:hi*t.D], t.math.scratch(w, 1, n*t.D)
	t.math.gemm(t.math.pack(w), false, true, n, t.D, t.R, 1, state.dp[lo*t.R:], t.R, state.eta, t.R, 0, dh, t.D)
	t.math.gemm(t.math.pack(w), false, true, n, t.D, t.R, 2, state.dv[lo*t.R:], t.R, state.beta2, t.R, 0, dh2, t.D)
	for i, v := range t.h[lo*t.D : hi*t.D] {
		dh[i] += v * dh2[i]
	}
}

// integratedGradients is the second part, by blocks of frequencies: the gradients of W and Ω, summed over all rows in
// one place.
type integratedGradients[T Float] features[T]

func (t *integratedGradients[T]) run(w *worker, block int) {
	f := (*features[T])(t)
	lo, hi := span(block, featureColumns, t.R)
	rows, width, n := t.S*t.B, parts*(hi-lo), (hi-lo)*t.Out
	phi := t.moments.phi[rows*parts*lo:][:rows*width]
	for i := range rows {
		t.math.integrate(f.integrals(i, lo, hi, phi[i*width:]))
	}
	dw := t.math.scratch(w, 0, n)
	alpha := 0.0
	for part := range meanParts {
		f.multiplyTransposed(w, dw, rows, t.scale, matrix[T]{phi[part*(hi-lo):], width, hi - lo}, t.dout)
		at := (part*t.R + lo) * t.Out
		means := t.p.meanW[at:][:n]
		for i, v := range dw {
			alpha += float64(v) * float64(means[i])
		}
		add(t.g.meanW[at:][:n], dw)
	}
	t.partial[block] = alpha
	f.quadGradient(w, lo, hi, phi)
	if t.Full {
		f.spreadGradient(w, lo, hi, phi)
		f.spreadGradient(w, t.R+lo, t.R+hi, phi[hi-lo:])
	}
	t.spectraGradient(w, lo, hi)
}

// quadGradient takes the gradient of quad for frequencies lo … hi, whose columns are phi, to the gradients of W's means
// and variances.
func (t *features[T]) quadGradient(w *worker, lo, hi int, phi []T) {
	state := &t.moments
	rows, width, n := t.S*t.B, parts*(hi-lo), (hi-lo)*t.Out
	scale, size, first := t.scale*t.scale, t.R*t.Out, lo*t.Out
	dquad := t.math.scratch(w, 0, varParts*n)
	part := func(i int) []T { return dquad[i*n:][:n] }
	for i := range varParts {
		x := matrix[T]{phi[(meanParts+i)*(hi-lo):], width, hi - lo}
		t.multiplyTransposed(w, part(i), rows, scale, x, state.dvariance)
	}
	noise, plus, minus, both := part(0), part(1), part(2), part(3)
	for i := range n {
		at := first + i
		c, s, half := t.p.meanW[at], t.p.meanW[size+at], scale*state.dsum[i%t.Out]/2
		t.g.meanW[at] += 2*c*(plus[i]+minus[i]) + s*both[i]
		t.g.meanW[size+at] += 2*s*(plus[i]-minus[i]) + c*both[i]
		if t.Full {
			t.sharedGradient(i%t.Out, at/t.Out, plus[i]+minus[i], plus[i]-minus[i], both[i])
			continue
		}
		t.g.logVarW[at] += state.s2[at] * (half + noise[i])
		t.g.logVarW[size+at] += state.s2[size+at] * (half - noise[i])
	}
}

// spectraGradient adds the gradients of columns lo … hi of η and log β²: hᵀ dt and β²∘(h²)ᵀ dv.
func (t *integratedGradients[T]) spectraGradient(w *worker, lo, hi int) {
	state := &t.moments
	rows, n := t.S*t.B, hi-lo
	domega := t.math.scratch(w, 0, t.D*n)
	t.math.gemm(t.math.pack(w), true, false, t.D, n, rows, 1, t.h, t.D, state.dp[lo:], t.R, 0, domega, n)
	for i := range t.D {
		d := domega[i*n:][:n]
		if t.p.mixing != nil {
			times(d, t.p.mixing[lo:hi])
		}
		add(t.g.meanOmega[i*t.R+lo:][:n], d)
	}
	t.math.gemm(t.math.pack(w), true, false, t.D, n, rows, 1, state.h2, t.D, state.dv[lo:], t.R, 0, domega, n)
	for i := range t.D {
		at := i*t.R + lo
		times(domega[i*n:][:n], state.beta2[at:at+n])
		add(t.g.logVarOmega[at:][:n], domega[i*n:][:n])
	}
}
