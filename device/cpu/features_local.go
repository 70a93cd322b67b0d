package cpu

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// localNoise is the state of local reparameterisation. Since sin² = 1 − cos², the output variance needs only the
// squares of the cosines:
//
//	v = Φ²s² = α/R·(Σ_r s²_sin,r + cos² (s²_cos − s²_sin))
//
// With one column for each frequency there are no sines, and φ and s² stand for cos and the contrast.
type localNoise[T Float] struct {
	s2       []T       // [columns,d']
	contrast []T       // [R,d']: s²_cos − s²_sin, or s²
	sines    []float64 // [blocks of R + 1,d']: sums of s²_sin, the last row the whole
	square   []T       // [S·B,R]: cos², or φ²
	v        []T       // [S·B,d']
	ratio    []T       // [S·B,d']: ε/(2√v), 0 if v is floored
	dv       []T       // [S·B,d']
	dvSum    []T       // [d']
	alpha    []float64 // [row blocks]: Σ dv∘v
}

// beginLocal computes the arrays that all rows share.
func (t *features[T]) beginLocal(p *pool) {
	n := &t.local
	n.s2, n.contrast = grow(p, &n.s2, t.Columns()*t.Out), grow(p, &n.contrast, t.R*t.Out)
	blocks := blocksOf(t.R, featureColumns)
	n.sines = grow(p, &n.sines, (blocks+1)*t.Out)
	n.square = grow(p, &n.square, t.S*t.B*t.R)
	n.v, n.ratio = grow(p, &n.v, t.S*t.B*t.Out), grow(p, &n.ratio, t.S*t.B*t.Out)
	if p.dry() {
		return
	}
	p.do((*localWeights[T])(t), blocks, 2*t.R*t.Out*4)
	whole := n.sines[blocks*t.Out:]
	clear(whole)
	for b := range blocks {
		add(whole, n.sines[b*t.Out:])
	}
}

// localWeights computes s² and its contrast for a block of frequencies.
type localWeights[T Float] features[T]

func (t *localWeights[T]) run(_ *worker, block int) {
	lo, hi := span(block, featureColumns, t.R)
	lo, hi = lo*t.Out, hi*t.Out
	cos := t.local.s2[lo:hi]
	t.math.exp(cos, t.p.logVarW[lo:hi])
	sums, contrast := t.local.sines[block*t.Out:][:t.Out], t.local.contrast[lo:hi]
	clear(sums)
	if t.Activation != device.Fourier {
		copy(contrast, cos)
		return
	}
	sin := t.local.s2[t.R*t.Out+lo : t.R*t.Out+hi]
	t.math.exp(sin, t.p.logVarW[t.R*t.Out+lo:t.R*t.Out+hi])
	for i, v := range sin {
		sums[i%t.Out] += float64(v)
		contrast[i] = cos[i] - v
	}
}

// addNoise adds √v∘ε to rows lo … hi of the output.
func (t *features[T]) addNoise(w *worker, lo, hi int) {
	n := &t.local
	for i := lo; i < hi; i++ {
		phi := t.phi[i*2*t.R:]
		product(n.square[i*t.R:][:t.R], phi, phi)
	}
	v := n.v[lo*t.Out : hi*t.Out]
	t.multiply(w, v, hi-lo, 1, matrix[T]{n.square[lo*t.R:], t.R, t.R}, n.contrast)
	sines := n.sines[blocksOf(t.R, featureColumns)*t.Out:]
	noise := t.math.scratch(w, 0, (hi-lo)*t.Out)
	for i := lo; i < hi; { // the rows are taken sample by sample, since each sample has different keys of noise
		s, b := i/t.B, i%t.B
		end := min(hi, (s+1)*t.B)
		draw(t.math, noise[(i-lo)*t.Out:(end-lo)*t.Out], t.Out, keyOf(t.noise.Weights, s, 0), t.rows[b:b+end-i], 0)
		i = end
	}
	for i, e := range noise {
		at := lo*t.Out + i
		v := floored(t.scale * t.scale * (n.v[at] + T(sines[i%t.Out])))
		root := T(math.Sqrt(float64(v)))
		n.v[at], n.ratio[at] = v, e/(2*root)
		if isFloored(v) {
			n.ratio[at] = 0
		}
		t.out[at] += root * e
	}
}

func (t *features[T]) beginLocalBackward(p *pool) {
	n := &t.local
	n.dv, n.dvSum = grow(p, &n.dv, t.S*t.B*t.Out), grow(p, &n.dvSum, t.Out)
	n.alpha = grow(p, &n.alpha, t.rowBlocks())
}

// noiseInputs adds 2Φ∘(dv (s²)ᵀ) to a block of dΦ, for the cosines alone: the contrast covers the sines.
func (t *features[T]) noiseInputs(w *worker, block, lo, hi int, dphi []T) {
	n := &t.local
	alpha := 0.0
	for i := lo * t.Out; i < hi*t.Out; i++ {
		n.dv[i] = t.dout[i] * n.ratio[i]
		alpha += float64(n.dv[i]) * float64(n.v[i])
	}
	n.alpha[block] = alpha
	dsquare := t.math.scratch(w, 1, (hi-lo)*t.R)
	t.math.gemm(t.math.pack(w), false, true, hi-lo, t.R, t.Out, 2*t.scale*t.scale, n.dv[lo*t.Out:], t.Out,
		n.contrast, t.Out, 0, dsquare, t.R)
	for i := range hi - lo {
		cos, d := t.phi[(lo+i)*2*t.R:][:t.R], dphi[i*t.Columns():][:t.R]
		for r, v := range dsquare[i*t.R:][:t.R] {
			d[r] += v * cos[r]
		}
	}
}

// sumLocal sums dv over the rows.
func (t *features[T]) sumLocal() {
	for c := range t.Out {
		t.local.dvSum[c] = T(sumEvery(t.local.dv, c, t.Out))
	}
}

// noiseGradient adds s²∘((Φ²)ᵀ dv) to dlog s², for frequencies lo … hi.
func (t *features[T]) noiseGradient(w *worker, lo, hi int) {
	n := &t.local
	ds2 := t.math.scratch(w, 0, (hi-lo)*t.Out)
	scale := t.scale * t.scale
	t.multiplyTransposed(w, ds2, t.S*t.B, scale, matrix[T]{n.square[lo:], t.R, hi - lo}, n.dv)
	sines := t.R * t.Out
	for i, v := range ds2 {
		at := lo*t.Out + i
		t.g.logVarW[at] += n.s2[at] * v
		if t.Activation == device.Fourier {
			t.g.logVarW[sines+at] += n.s2[sines+at] * (scale*n.dvSum[i%t.Out] - v)
		}
	}
}
