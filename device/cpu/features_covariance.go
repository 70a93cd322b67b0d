package cpu

import "math"

// weightCovariance is the state of FeatureMoments if the covariance of W is full. μ is the mean of Φ: the columns
// MeanCos and MeanSin of simd.Integrals.
type weightCovariance[T Float] struct {
	l []T // [d',2R,2R]: L, with zeros above its diagonal
	p []T // [d',S·B,2R]: P = μL; in the backward pass its gradient
}

// begin reserves the memory.
func (n *weightCovariance[T]) begin(p *pool, rows, columns, out int) {
	n.l, n.p = grow(p, &n.l, out*columns*columns), grow(p, &n.p, out*rows*columns)
}

// fullWeights computes L for frequencies lo … hi. In quad it clears the part of s², and adds the elements of L Lᵀ to
// the products of m.
func (t *features[T]) fullWeights(lo, hi int) {
	state := &t.moments
	size := t.R * t.Out
	for i := lo * t.Out; i < hi*t.Out; i++ {
		r, c := i/t.Out, i%t.Out
		cos, sin := t.factorRow(c, r), t.factorRow(c, t.R+r)
		cosVar, sinVar := t.math.dot(cos, cos), t.math.dot(sin, sin)
		state.quad[i] = 0
		state.quad[size+i] += cosVar + sinVar
		state.quad[2*size+i] += cosVar - sinVar
		state.quad[3*size+i] += t.math.dot(cos[:r+1], sin[:r+1])
	}
}

// factorRow writes row i of L_c, and returns it up to its diagonal.
func (t *features[T]) factorRow(c, i int) []T {
	at := t.lowerRow(c, i)
	row := t.covariance.l[at : at+2*t.R]
	copy(row, t.p.lowerW[at:at+i])
	row[i] = T(math.Sqrt(float64(t.moments.s2[i*t.Out+c])))
	clear(row[i+1:])
	return row[:i+1]
}

// lowerRow returns the position of row i of a factor c.
func (t *features[T]) lowerRow(c, i int) int { return (c*2*t.R + i) * 2 * t.R }

// spread adds ‖Lᵀμ‖² to the variances of rows lo … hi, and keeps P = μL. The columns of μ are the first in mu.
func (t *features[T]) spread(w *worker, lo, hi int, mu, variance []T) {
	columns, width, rows := 2*t.R, parts*t.R, t.S*t.B
	for c := range t.Out {
		p := t.covariance.p[(c*rows+lo)*columns:][:(hi-lo)*columns]
		for from := 0; from < columns; from += featureColumns {
			n := min(featureColumns, columns-from)
			t.math.gemm(t.math.pack(w), false, false, hi-lo, n, columns-from, 1, mu[from:], width,
				t.covariance.l[t.lowerRow(c, from)+from:], columns, 0, p[from:], columns)
		}
		for i := range hi - lo {
			row := p[i*columns:][:columns]
			variance[i*t.Out+c] += t.math.dot(row, row)
		}
	}
}

// spreadInputs turns P into its gradient, 2a² dv∘P, for rows lo … hi, and adds the gradient of μ to dphi [rows,ld].
func (t *features[T]) spreadInputs(w *worker, lo, hi int, dphi []T, ld int) {
	columns, rows, scale := 2*t.R, t.S*t.B, 2*t.scale*t.scale
	for c := range t.Out {
		p := t.covariance.p[(c*rows+lo)*columns:][:(hi-lo)*columns]
		for i := range hi - lo {
			by := scale * t.moments.dvariance[(lo+i)*t.Out+c]
			for j := range p[i*columns:][:columns] {
				p[i*columns+j] *= by
			}
		}
		for from := 0; from < columns; from += featureColumns {
			n := min(featureColumns, columns-from)
			t.math.gemm(t.math.pack(w), false, true, hi-lo, n, from+n, 1, p, columns,
				t.covariance.l[t.lowerRow(c, from):], columns, 1, dphi[from:], ld)
		}
	}
}

// spreadGradient adds the gradient of L that comes from P, μᵀdP, for its rows lo … hi. The columns of μ for these are
// the first in mu.
func (t *features[T]) spreadGradient(w *worker, lo, hi int, mu []T) {
	columns, width, rows := 2*t.R, parts*(hi-lo), t.S*t.B
	dl := t.math.scratch(w, 1, (hi-lo)*hi)
	for c := range t.Out {
		t.math.gemm(t.math.pack(w), true, false, hi-lo, hi, rows, 1, mu, width,
			t.covariance.p[c*rows*columns:], columns, 0, dl, hi)
		for i := lo; i < hi; i++ {
			row := dl[(i-lo)*hi:][:i+1]
			add(t.g.lowerW[t.lowerRow(c, i):][:i], row)
			t.diagonalGradient(c, i, row[i])
		}
	}
}

// diagonalGradient adds the gradient of an element of the diagonal of L, s = e^(log s²/2).
func (t *features[T]) diagonalGradient(c, i int, dl T) {
	t.g.logVarW[i*t.Out+c] += dl * t.covariance.l[t.lowerRow(c, i)+i] / 2
}

// sharedGradient adds the gradients of L that come from quad. These are dC_cos, dC_sin, and both, the gradient of the
// shared factor of cosine and sine of frequency r.
func (t *features[T]) sharedGradient(c, r int, cosVar, sinVar, both T) {
	at, below := t.lowerRow(c, r), t.lowerRow(c, t.R+r)
	cos, sin := t.covariance.l[at:][:r+1], t.covariance.l[below:][:t.R+r+1]
	dcos, dsin := t.g.lowerW[at:][:r], t.g.lowerW[below:][:t.R+r]
	t.math.axpy(2*cosVar, cos[:r], dcos)
	t.math.axpy(both, sin[:r], dcos)
	t.math.axpy(2*sinVar, sin[:t.R+r], dsin)
	t.math.axpy(both, cos, dsin[:r+1])
	t.diagonalGradient(c, r, 2*cosVar*cos[r]+both*sin[r])
	t.diagonalGradient(c, t.R+r, 2*sinVar*sin[t.R+r])
}
