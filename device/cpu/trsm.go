package cpu

import "github.com/gpdrf/gpdrf-gpu/device"

const (
	solveColumns = 64 // right-hand sides of one block of a triangular solve
	lowerColumns = 48 // columns of one block of a lower triangular sum
)

// trsmTask is the state of Trsm and TrsmBackward.
type trsmTask struct {
	invert    invertTask
	out, in   []float64 // [K,M,N]
	a, dl     []float64
	k, m, n   int
	transpose bool
}

// run solves a block of columns of one matrix.
func (t *trsmTask) run(w *worker, block int) {
	k, c0, c1 := spanOf(block, solveColumns, t.n)
	x := matrix[float64]{t.out[k*t.m*t.n+c0 : (k+1)*t.m*t.n], t.n, c1 - c0}
	copyRows(x.x, t.n, t.in[k*t.m*t.n+c0:], t.n, t.m, x.k)
	t.invert.solve(w, k, x, 0, t.m, t.transpose)
}

func (t *trsmTask) solve(p *pool) {
	p.do(t, t.k*blocksOf(t.n, solveColumns), t.k*t.m*t.m*t.n/2)
}

// Trsm solves a = L⁻¹ b for each k.
func (d *gp) Trsm(a, l, b *device.Tensor) {
	t := &d.trsm
	t.k, t.m, t.n = device.CheckTrsm("Trsm", a, l, b)
	t.out, t.in, t.transpose = double(a), double(b), false
	d.prepare(&t.invert, double(l), t.k, t.m)
	t.solve(d.pool)
}

// trsmLower computes the second part of TrsmBackward: dl += −tril(db aᵀ), by blocks of columns.
type trsmLower trsmTask

func (t *trsmLower) run(w *worker, block int) {
	k, lo, hi := spanOf(block, lowerColumns, t.m)
	at := k * t.m * t.n
	p := outer{alpha: -1, x: t.out[at:], y: t.a[at:], ldx: t.n, ldy: t.n, n: t.n}
	p.addLower(w, t.dl[k*t.m*t.m:], t.m, lo, hi)
}

// TrsmBackward writes db = L⁻ᵀ da and accumulates dl += −tril(db aᵀ).
func (d *gp) TrsmBackward(db, dl, da, l, a *device.Tensor) {
	t := &d.trsm
	t.k, t.m, t.n = device.CheckTrsmBackward(db, dl, da, l, a)
	t.out, t.in, t.transpose = double(db), double(da), true
	t.a, t.dl = double(a), double(dl)
	d.prepare(&t.invert, double(l), t.k, t.m)
	t.solve(d.pool)
	d.do((*trsmLower)(t), t.k*blocksOf(t.m, lowerColumns), t.k*t.m*t.m*t.n/2)
}
