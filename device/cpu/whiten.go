package cpu

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/simd"
)

// whitenTask is the state of Whiten and WhitenBackward.
type whitenTask struct {
	device.QShape
	invert            invertTask
	l, m, s, mu, sqrt []float64
	scale             []float64 // [J]: 1/√α
	dm, ds, dmu       []float64
	dsqrt, dl, dalpha []float64
}

// begin fills the arrays that all blocks share.
func (t *whitenTask) begin(p *pool, a device.WhitenArgs) {
	t.l, t.m, t.s = double(a.L), double(a.QMean), double(a.QSqrt)
	t.scale = grow(p, &t.scale, t.J)
	for j, v := range double(a.LogAlpha) {
		t.scale[j] = math.Exp(-v / 2)
	}
	p.prepare(&t.invert, t.l, t.K, t.M)
}

func (t *whitenTask) blocks() int { return t.J * blocksOf(t.M, solveColumns) }

func (t *whitenTask) work() int { return t.J * t.M * t.M * t.M / 6 }

// Whiten takes q(F̄_j) as inf_qF writes it to m_j = L⁻¹ μ_j/√α_j and s_j = L⁻¹ S_j/√α_j.
func (d *gp) Whiten(a device.WhitenArgs) {
	t := &d.whiten
	t.QShape = device.CheckWhiten("Whiten", a)
	t.begin(d.pool, a)
	t.mu, t.sqrt = double(a.Mu), double(a.Sqrt)
	d.do(t, t.blocks(), t.work())
}

// run solves a block of columns of S_j; the first block also solves μ_j.
func (t *whitenTask) run(w *worker, block int) {
	j, c0, c1 := spanOf(block, solveColumns, t.M)
	k, n, scale := t.Kernel(j), t.M, t.scale[j]
	s := t.s[j*n*n : (j+1)*n*n]
	for i := range n {
		row := s[i*n+c0 : i*n+c1]
		clear(row)
		switch {
		case i < c0:
		case t.Diagonal:
			if i < c1 {
				row[i-c0] = scale * t.sqrt[j*n+i]
			}
		default:
			for c, v := range t.sqrt[(j*n+i)*n:][c0:min(c1, i+1)] {
				row[c] = scale * v
			}
		}
	}
	t.invert.solve(w, k, matrix[float64]{s[c0:], n, c1 - c0}, c0, n, false)
	if c0 > 0 {
		return
	}
	m, l := t.m[j*n:][:n], t.l[k*n*n:]
	for i, v := range t.mu[j*n:][:n] {
		m[i] = (scale*v - simd.Dot64(l[i*n:][:i], m[:i])) / l[i*n+i]
	}
}

// WhitenBackward accumulates g.Mu, g.Sqrt, g.L and g.LogAlpha; g.QMean and g.QSqrt are overwritten, by L⁻ᵀ g.QMean and
// L⁻ᵀ g.QSqrt.
func (d *gp) WhitenBackward(g, a device.WhitenArgs) {
	t := &d.whiten
	t.QShape = device.CheckWhitenBackward(g, a)
	t.begin(d.pool, a)
	t.dm, t.ds, t.dmu, t.dsqrt = double(g.QMean), double(g.QSqrt), double(g.Mu), double(g.Sqrt)
	t.dl, t.dalpha = double(g.L), double(g.LogAlpha)
	d.do((*whitenScale)(t), t.J, t.J*t.M*t.M)
	d.do((*whitenSolve)(t), t.blocks(), t.work())
	d.do((*whitenLower)(t), t.K*blocksOf(t.M, lowerColumns), t.work())
}

// whitenScale is the gradient of log α_j, −½(dm·m + ds·s).
type whitenScale whitenTask

func (t *whitenScale) run(_ *worker, j int) {
	n := t.M
	sum := simd.Dot64(t.dm[j*n:][:n], t.m[j*n:][:n])
	for i := range n {
		at := (j*n + i) * n
		sum += simd.Dot64(t.ds[at:at+i+1], t.s[at:at+i+1])
	}
	t.dalpha[j] -= sum / 2
}

// whitenSolve solves a block of columns of ds_j; the first block also solves dm_j.
type whitenSolve whitenTask

func (t *whitenSolve) run(w *worker, block int) {
	j, c0, c1 := spanOf(block, solveColumns, t.M)
	k, n, scale := t.Kernel(j), t.M, t.scale[j]
	ds := t.ds[j*n*n : (j+1)*n*n]
	t.invert.solve(w, k, matrix[float64]{ds[c0:], n, c1 - c0}, c0, n, true)
	for i := c0; i < n; i++ {
		switch row := ds[i*n+c0:][:min(c1, i+1)-c0]; {
		case !t.Diagonal:
			simd.Axpy64(scale, row, t.dsqrt[(j*n+i)*n+c0:][:len(row)])
		case i < c1:
			t.dsqrt[j*n+i] += scale * row[i-c0]
		}
	}
	if c0 > 0 {
		return
	}
	dm, l := t.dm[j*n:][:n], t.l[k*n*n:]
	for i := n - 1; i >= 0; i-- {
		dm[i] /= l[i*n+i]
		simd.Axpy64(-dm[i], l[i*n:][:i], dm[:i])
	}
	simd.Axpy64(scale, dm, t.dmu[j*n:][:n])
}

// whitenLower is dl −= tril(L⁻ᵀdm mᵀ + L⁻ᵀds sᵀ) over all latents of a kernel, by blocks of columns. s is zero beyond
// column hi in the rows up to hi.
type whitenLower whitenTask

func (t *whitenLower) run(w *worker, block int) {
	n := t.M
	k, lo, hi := spanOf(block, lowerColumns, n)
	dl := t.dl[k*n*n:]
	first, last := t.Latents(k)
	for j := first; j < last; j++ {
		p := outer{alpha: -1, x: t.ds[j*n*n:], y: t.s[j*n*n:], ldx: n, ldy: n, n: hi}
		p.addLower(w, dl, n, lo, hi)
		dm, m := t.dm[j*n:], t.m[j*n:]
		for i := lo; i < n; i++ {
			simd.Axpy64(-dm[i], m[lo:min(hi, i+1)], dl[i*n+lo:][:min(hi, i+1)-lo])
		}
	}
}
