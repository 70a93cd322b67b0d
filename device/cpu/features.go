package cpu

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/device"
)

const (
	featureRows    = 48 // rows of h in one block of a layer
	featureColumns = 64 // frequencies in one block of the gradients of Ω and W
)

// features is the Scratch of one layer, and the state of the operation that uses it. Φ is kept without its factor
// √(α/R), which multiplies the products instead. With one column for each frequency, the slopes φ'(HΩ) are in the place
// of the sines.
type features[T Float] struct {
	device.FeatureShape
	math        *kernels[T]
	rowsPlanned int

	out, h, dout, dh []T
	rows             []int32
	p, g             featureParams[T]
	noise            device.FeatureNoise
	scale            T // √(α/R)

	omegas, weights int // numbers of distinct draws of Ω and of W
	groups          int // number of sets of rows that share both: 1, or one for each sample

	phi     []T // [S·B,2R]: cos HΩ, sin HΩ, or φ and φ'
	dp      []T // [S·B,R]: gradient of HΩ
	omega   []T // [omegas,d,R]
	tau     []T // [omegas,d,R]: β∘τ
	w, e    []T // [weights,columns,d']: W and s∘e
	partial []float64

	local      localNoise[T]
	moments    featureMoments[T]
	covariance weightCovariance[T]
}

// featureParams are FeatureParams as slices.
type featureParams[T Float] struct {
	logAlpha, logL, meanOmega, logVarOmega, meanW, logVarW, lowerW, mixing []T
}

func (d *Device[T]) featureParams(p device.FeatureParams) featureParams[T] {
	return featureParams[T]{d.real(p.LogAlpha), d.real(p.LogLength), d.real(p.MeanOmega),
		d.real(p.LogVarOmega), d.real(p.MeanW), d.real(p.LogVarW), d.real(p.LowerW), d.real(p.Mixing)}
}

// FeatureScratch plans the memory of a layer for up to S·B rows. Memory that only some layers need is allocated by
// their first call.
func (d *Device[T]) FeatureScratch(samples, batch, width, frequencies, dOut int) device.Scratch {
	return &features[T]{
		math:         d.math,
		rowsPlanned:  samples * batch,
		FeatureShape: device.FeatureShape{D: width, R: frequencies, Out: dOut},
	}
}

// beginFeatures checks that the scratch was planned for these arguments.
func (d *Device[T]) beginFeatures(op string, a device.FeatureArgs, n device.FeatureShape) *features[T] {
	t, ok := a.Scratch.(*features[T])
	if !ok || n.D != t.D || n.R != t.R || n.Out != t.Out || n.S*n.B > t.rowsPlanned {
		panic("device: " + op + ": the scratch was planned for another layer")
	}
	t.FeatureShape = n
	t.h = d.real(a.H)
	t.p = d.featureParams(a.Params)
	return t
}

// RandomFeatures computes h' = Wᵀφ(h; Ω) for draws of W and Ω: rfdnn_lth_vec with rf_ard, reparam_Omega and reparam_W.
func (d *Device[T]) RandomFeatures(a device.FeatureArgs) {
	const op = "RandomFeatures"
	t := d.beginFeatures(op, a, device.CheckFeatures(op, a))
	t.out, t.rows = d.real(a.Out), ints(a.Rows)
	t.noise = a.Noise
	if !d.dry() {
		t.scale = T(math.Sqrt(math.Exp(float64(t.p.logAlpha[0])) / float64(t.R)))
	}
	t.omegas, t.weights, t.groups = t.noise.Distinct(t.S)
	t.phi = grow(d.pool, &t.phi, t.rowsPlanned*2*t.R)
	t.omega = grow(d.pool, &t.omega, t.omegas*t.D*t.R)
	if !t.Prior {
		t.tau = grow(d.pool, &t.tau, t.omegas*t.D*t.R)
	}
	t.math.reserve(d.pool, 0, max(t.R, featureColumns*t.Out))
	d.do((*drawSpectra[T])(t), t.omegas*t.D, t.omegas*t.D*t.R*8)
	if t.noise.Local {
		t.beginLocal(d.pool)
	} else {
		columns := t.Columns()
		t.w, t.e = grow(d.pool, &t.w, t.weights*columns*t.Out), grow(d.pool, &t.e, t.weights*columns*t.Out)
		d.do((*drawWeights[T])(t), t.weights*blocksOf(columns, featureColumns), t.weights*columns*t.Out*8)
	}
	d.do(t, t.rowBlocks(), t.S*t.B*t.R*(t.D+2*t.Out+16))
}

// rowBlocks returns the number of blocks of rows of h: no block holds rows of two groups.
func (t *features[T]) rowBlocks() int { return t.groups * blocksOf(t.groupRows(), featureRows) }

func (t *features[T]) groupRows() int { return t.S * t.B / t.groups }

// rowSpan returns the rows lo … hi−1 of a block, and their group.
func (t *features[T]) rowSpan(block int) (group, lo, hi int) {
	n := t.groupRows()
	group, lo, hi = spanOf(block, featureRows, n)
	return group, group*n + lo, group*n + hi
}

// omegaOf and weightsOf return the draws that a group uses.
func (t *features[T]) omegaOf(group int) []T { return t.omega[group%t.omegas*t.D*t.R:][:t.D*t.R] }

func (t *features[T]) weightsOf(group int) []T {
	if t.noise.Local {
		return t.p.meanW
	}
	n := t.Columns() * t.Out
	return t.w[group%t.weights*n:][:n]
}

// run computes a block of rows of Φ and of the output.
func (t *features[T]) run(w *worker, block int) {
	group, lo, hi := t.rowSpan(block)
	n, r2 := hi-lo, 2*t.R
	phi := t.phi[lo*r2 : hi*r2]
	t.math.gemm(t.math.pack(w), false, false, n, t.R, t.D, 1, t.h[lo*t.D:], t.D, t.omegaOf(group), t.R, 0, phi[t.R:],
		r2)
	for i := range n {
		first, second := phi[i*r2:][:t.R], phi[i*r2+t.R:][:t.R]
		if t.Activation == device.Fourier {
			t.math.sinCos(second, first, second)
		} else {
			t.math.rectify(first, second, second, t.Activation.Degree())
		}
	}
	t.multiply(w, t.out[lo*t.Out:], n, t.scale, matrix[T]{phi, r2, t.Columns()}, t.weightsOf(group))
	if t.noise.Local {
		t.addNoise(w, lo, hi)
	}
}

// matrix is a matrix of k columns, with ld numbers from row to row.
type matrix[T Float] struct {
	x     []T
	ld, k int
}

func (c *matrix[T]) row(i int) []T { return c.x[i*c.ld:][:c.k] }

// multiply computes out = α X W for n rows of X. A layer with one output is a row of dot products, where Gemm would use
// one lane of a register.
func (t *features[T]) multiply(w *worker, out []T, n int, alpha T, x matrix[T], weights []T) {
	if t.Out > 1 {
		t.math.gemm(t.math.pack(w), false, false, n, t.Out, x.k, alpha, x.x, x.ld, weights, t.Out, 0, out, t.Out)
		return
	}
	for i := range n {
		out[i] = alpha * t.math.dot(x.row(i), weights[:x.k])
	}
}

// multiplyTransposed computes dw = α Xᵀ D for n rows of X and of D.
func (t *features[T]) multiplyTransposed(w *worker, dw []T, n int, alpha T, x matrix[T], d []T) {
	if t.Out > 1 {
		t.math.gemm(t.math.pack(w), true, false, x.k, t.Out, n, alpha, x.x, x.ld, d, t.Out, 0, dw, t.Out)
		return
	}
	clear(dw)
	for i := range n {
		t.math.axpy(alpha*d[i], x.row(i), dw)
	}
}

// RandomFeaturesBackward writes g.H and accumulates g.Params.
func (d *Device[T]) RandomFeaturesBackward(g, a device.FeatureArgs) {
	const op = "RandomFeaturesBackward"
	t := d.beginFeatures(op, a, device.CheckFeaturesBackward(op, g, a))
	t.dout, t.dh = d.real(g.Out), d.real(g.H)
	t.g = d.featureParams(g.Params)
	blocks := blocksOf(t.R, featureColumns)
	t.dp, t.partial = grow(d.pool, &t.dp, t.S*t.B*t.R), grow(d.pool, &t.partial, blocks*(1+t.D))
	t.math.reserve(d.pool, 0, max(featureRows*2*t.R, featureColumns*max(t.D, t.Out)))
	t.math.reserve(d.pool, 1, featureRows*t.R)
	if t.noise.Local {
		t.beginLocalBackward(d.pool)
	}
	if d.dry() {
		return
	}
	d.do((*featureInputs[T])(t), t.rowBlocks(), t.S*t.B*t.R*(t.D+2*t.Out+8))
	if t.noise.Local {
		t.sumLocal()
	}
	d.do((*featureGradients[T])(t), blocks, t.S*t.B*t.R*(t.D+2*t.Out))
	for i := range t.D {
		if t.Prior {
			t.g.logL[i] -= T(sumEvery(t.partial, i, t.D+1))
		}
	}
	alpha := sumEvery(t.partial, t.D, t.D+1) / 2
	if t.noise.Local {
		alpha += sum(t.local.alpha)
	}
	t.g.logAlpha[0] += T(alpha)
}

// sumEvery sums in double the elements that are step apart, beginning at from.
func sumEvery[T Float](x []T, from, step int) float64 {
	total := 0.0
	for i := from; i < len(x); i += step {
		total += float64(x[i])
	}
	return total
}

// featureInputs is the first part of the backward pass, by blocks of rows: dΦ = dout Wᵀ, dP = −Φ_sin∘dΦ_cos +
// Φ_cos∘dΦ_sin, or φ'(P)∘dΦ, and dh = dP Ωᵀ.
type featureInputs[T Float] features[T]

func (t *featureInputs[T]) run(w *worker, block int) {
	f := (*features[T])(t)
	group, lo, hi := f.rowSpan(block)
	n, r2, columns := hi-lo, 2*t.R, f.Columns()
	dphi := t.math.scratch(w, 0, n*columns)
	t.math.gemm(t.math.pack(w), false, true, n, columns, t.Out, t.scale, t.dout[lo*t.Out:], t.Out,
		f.weightsOf(group), t.Out, 0, dphi, columns)
	if t.noise.Local {
		f.noiseInputs(w, block, lo, hi, dphi)
	}
	for i := range n {
		phi, d, dp := t.phi[(lo+i)*r2:][:r2], dphi[i*columns:][:columns], t.dp[(lo+i)*t.R:][:t.R]
		if t.Activation == device.Fourier {
			t.math.rotate(dp, phi[:t.R], phi[t.R:], d[:t.R], d[t.R:])
		} else {
			product(dp, phi[t.R:], d)
		}
	}
	if t.dh != nil {
		t.math.gemm(t.math.pack(w), false, true, n, t.D, t.R, 1, t.dp[lo*t.R:], t.R, f.omegaOf(group), t.R, 0,
			t.dh[lo*t.D:], t.D)
	}
}

// featureGradients is the second part, by blocks of frequencies, so that a parameter's gradient is summed over all rows
// in one place: dW = Φᵀ dout and dΩ = hᵀ dP.
type featureGradients[T Float] features[T]

func (t *featureGradients[T]) run(w *worker, block int) {
	f := (*features[T])(t)
	lo, hi := span(block, featureColumns, t.R)
	partial := t.partial[block*(t.D+1):][:t.D+1]
	clear(partial)
	for group := range t.groups {
		for row := lo; row < f.Columns(); row += t.R { // cosines, sines
			partial[t.D] += t.weightGradient(w, group, row, row+hi-lo)
		}
		t.spectraGradient(w, group, lo, hi, partial)
	}
	if t.noise.Local {
		f.noiseGradient(w, lo, hi)
	}
}

// weightGradient adds the gradients of rows lo … hi of W and returns Σ dW∘W.
func (t *featureGradients[T]) weightGradient(w *worker, group, lo, hi int) (alpha float64) {
	f := (*features[T])(t)
	n, r2, columns := f.groupRows(), 2*t.R, f.Columns()
	first := group * n
	dw := t.math.scratch(w, 0, (hi-lo)*t.Out)
	f.multiplyTransposed(w, dw, n, t.scale, matrix[T]{t.phi[first*r2+lo:], r2, hi - lo}, t.dout[first*t.Out:])
	weights := f.weightsOf(group)[lo*t.Out:][:len(dw)]
	for i, v := range dw {
		alpha += float64(v) * float64(weights[i])
	}
	add(t.g.meanW[lo*t.Out:][:len(dw)], dw)
	if !t.noise.Local {
		e, to := t.e[(group%t.weights*columns+lo)*t.Out:][:len(dw)], t.g.logVarW[lo*t.Out:][:len(dw)]
		for i, v := range dw {
			to[i] += v * e[i] / 2
		}
	}
	return alpha
}

// spectraGradient adds the gradients of columns lo … hi of Ω; in PRIOR-FIXED it adds the sums of dΩ∘Ω to partial.
func (t *featureGradients[T]) spectraGradient(w *worker, group, lo, hi int, partial []float64) {
	rows := (*features[T])(t).groupRows()
	n, first := hi-lo, group*rows
	domega := t.math.scratch(w, 0, t.D*n)
	t.math.gemm(t.math.pack(w), true, false, t.D, n, rows, 1, t.h[first*t.D:], t.D, t.dp[first*t.R+lo:], t.R, 0, domega,
		n)
	slot := group % t.omegas * t.D * t.R
	for i := range t.D {
		d, at := domega[i*n:][:n], i*t.R+lo
		if t.Prior {
			for r, v := range t.omega[slot+at:][:n] {
				partial[i] += float64(d[r]) * float64(v)
			}
			continue
		}
		tau, to := t.tau[slot+at:][:n], t.g.logVarOmega[at:][:n]
		for r, v := range d {
			to[r] += v * tau[r] / 2
		}
		if t.p.mixing != nil {
			times(d, t.p.mixing[lo:hi])
		}
		add(t.g.meanOmega[at:][:n], d)
	}
}
