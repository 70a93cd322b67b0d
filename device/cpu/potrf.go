package cpu

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/simd"
)

// potrfTask is the state of Potrf and PotrfBackward. A batch is divided by matrices; a single matrix is divided inside,
// by rows or columns of each block step.
type potrfTask struct {
	l, dl, c, jitter []float64
	inverse          []float64 // [workers or matrices, tri, tri]
	k, m             int
	ladder           []float64 // the jitters to add to the diagonal, until one helps
	part             potrfPart // work that the workers share inside a single matrix
}

const potrfSpan = 64 // rows or columns of one block inside a single matrix

// potrfPart is work on rows or columns lo … hi for block column j0 … j1 of matrix k.
type potrfPart struct {
	do                func(t *potrfTask, w *worker, part potrfPart)
	k, j0, j1, lo, hi int
}

// potrfBatch factors one matrix of a batch in each block of the task.
type potrfBatch potrfTask

func (t *potrfBatch) run(w *worker, k int) { (*potrfTask)(t).climb(w, k, nil) }

// Potrf computes L with L Lᵀ = c + jitter·I for each of the K matrices: blocked, left-looking.
func (d *gp) Potrf(l, jitter, c *device.Tensor) {
	t := &d.potrf
	t.k, t.m = device.CheckPotrf(l, jitter, c)
	t.l, t.c, t.jitter = double(l), double(c), double(jitter)
	t.ladder = device.JitterLadder[:]
	t.factorise(d.pool)
}

// factorise tries the rungs of the ladder for each of the matrices c, until one succeeds.
func (t *potrfTask) factorise(p *pool) {
	t.inverse = grow(p, &t.inverse, t.k*tri*tri)
	p.reserve(0, t.m*tri)
	if p.dry() {
		return
	}
	if t.k == 1 {
		t.climb(p.workers[0], 0, p)
		return
	}
	p.do((*potrfBatch)(t), t.k, t.k*t.m*t.m*t.m/6)
}

// climb tries the rungs of the ladder on matrix k.
func (t *potrfTask) climb(w *worker, k int, p *pool) {
	mm := t.m * t.m
	l, c := t.l[k*mm:(k+1)*mm], t.c[k*mm:(k+1)*mm]
	pivot := 0
	for _, jitter := range t.ladder {
		for i := range t.m {
			row := l[i*t.m:][:t.m]
			copy(row[:i+1], c[i*t.m:])
			clear(row[i+1:])
			row[i] += jitter
		}
		if pivot = t.factor(w, k, p); pivot < 0 {
			t.jitter[k] = jitter
			return
		}
	}
	t.jitter[k] = float64(-1 - pivot)
	for i := range l {
		l[i] = math.NaN()
	}
}

// factor tries to factor matrix k in place. It returns −1, or the pivot that failed. p is nil within a batch.
func (t *potrfTask) factor(w *worker, k int, p *pool) int {
	m, l := t.m, t.l[k*t.m*t.m:]
	inverse := t.inverse[k*tri*tri:][:tri*tri]
	for j0 := 0; j0 < m; j0 += tri {
		j1 := min(j0+tri, m)
		n, corner := j1-j0, l[j0*m+j0:]
		simd.Gemm64(w.doubles.pack, false, true, n, n, j0, -1, l[j0*m:], m, l[j0*m:], m, 1, corner, m)
		for i := range n { // the product also filled the elements above the diagonal
			clear(corner[i*m+i+1:][:n-i-1])
		}
		if pivot := cholesky(corner, m, n); pivot >= 0 {
			return j0 + pivot
		}
		invertLower(w, inverse, corner, m, n)
		t.share(w, p, (m-j1)*n*(j0+n), potrfPart{(*potrfTask).panel, k, j0, j1, j1, m})
	}
	return -1
}

// share runs a part. For a matrix of a batch, p is nil and the calling worker runs it; otherwise all workers do.
func (t *potrfTask) share(w *worker, p *pool, work int, part potrfPart) {
	switch {
	case part.lo >= part.hi:
	case p == nil:
		part.do(t, w, part)
	default:
		t.part = part
		p.do((*potrfShare)(t), blocksOf(part.hi-part.lo, potrfSpan), work)
	}
}

// potrfShare is a block of the rows or columns of a part.
type potrfShare potrfTask

func (t *potrfShare) run(w *worker, block int) {
	part := t.part
	lo, hi := span(block, potrfSpan, part.hi-part.lo)
	part.lo, part.hi = part.lo+lo, part.lo+hi
	part.do((*potrfTask)(t), w, part)
}

// panel finishes rows of a block column. It subtracts the product of the columns before it, then divides by the
// diagonal block.
func (t *potrfTask) panel(w *worker, part potrfPart) {
	k, j0, lo, hi := part.k, part.j0, part.lo, part.hi
	m, n, l := t.m, part.j1-j0, t.l[k*t.m*t.m:]
	tmp := w.double(0, (hi-lo)*n)
	copyRows(tmp, n, l[lo*m+j0:], m, hi-lo, n)
	simd.Gemm64(w.doubles.pack, false, true, hi-lo, n, j0, -1, l[lo*m:], m, l[j0*m:], m, 1, tmp, n)
	simd.Gemm64(w.doubles.pack, false, true, hi-lo, n, n, 1, tmp, n, t.inverse[k*tri*tri:], tri, 0, l[lo*m+j0:], m)
}

// PotrfBackward computes dc = sym½(L⁻ᵀ Φ(Lᵀ dL) L⁻¹), by the blocked reverse sweep of Murray (2016), section 4: the
// steps of Potrf from the last to the first.
func (d *gp) PotrfBackward(dc, dl, l *device.Tensor) {
	t := &d.potrf
	t.k, t.m = device.CheckPotrfBackward(dc, dl, l)
	t.l, t.dl, t.c = double(l), double(dl), double(dc)
	t.inverse = grow(d.pool, &t.inverse, t.k*tri*tri)
	d.reserve(0, t.m*tri)
	if d.dry() {
		return
	}
	if t.k == 1 {
		t.sweep(d.workers[0], 0, d.pool)
		return
	}
	d.do((*potrfReverse)(t), t.k, t.k*t.m*t.m*t.m/3)
}

// potrfReverse is the sweep of one matrix of a batch.
type potrfReverse potrfTask

func (t *potrfReverse) run(w *worker, k int) { (*potrfTask)(t).sweep(w, k, nil) }

func (t *potrfTask) sweep(w *worker, k int, p *pool) {
	m := t.m
	l, dl, dc := t.l[k*m*m:], t.dl[k*m*m:], t.c[k*m*m:]
	inverse := t.inverse[k*tri*tri:][:tri*tri]
	for j0 := (m - 1) / tri * tri; j0 >= 0; j0 -= tri {
		j1 := min(j0+tri, m)
		n := j1 - j0
		invertLower(w, inverse, l[j0*m+j0:], m, n)
		t.share(w, p, (m-j1)*n*(j0+n), potrfPart{(*potrfTask).columnGradient, k, j0, j1, j1, m})
		if j1 < m {
			simd.Gemm64(w.doubles.pack, true, false, n, n, m-j1, -1, dl[j1*m+j0:], m, l[j1*m+j0:], m, 1, dl[j0*m+j0:],
				m)
		}
		reverseBlock(w, dl[j0*m+j0:], l[j0*m+j0:], inverse, m, n)
		t.share(w, p, j0*n*(m-j0), potrfPart{(*potrfTask).rowGradient, k, j0, j1, 0, j0})
	}
	for i := range m {
		row := dc[i*m:][:i+1]
		for j, v := range dl[i*m:][:i] {
			row[j] = v / 2
		}
		row[i] = dl[i*m+i]
	}
	for lo := 0; lo < m; lo += tri {
		mirror(dc, m, lo, min(lo+tri, m))
	}
}

// columnGradient divides rows of dl's block column by the diagonal block, and adds their part of the gradient to the
// columns before it: dB −= dC R.
func (t *potrfTask) columnGradient(w *worker, part potrfPart) {
	k, j0, lo, hi := part.k, part.j0, part.lo, part.hi
	m, n, l, dl := t.m, part.j1-j0, t.l[k*t.m*t.m:], t.dl[k*t.m*t.m:]
	tmp := w.double(0, (hi-lo)*n)
	copyRows(tmp, n, dl[lo*m+j0:], m, hi-lo, n)
	simd.Gemm64(w.doubles.pack, false, false, hi-lo, n, n, 1, tmp, n, t.inverse[k*tri*tri:], tri, 0, dl[lo*m+j0:], m)
	simd.Gemm64(w.doubles.pack, false, false, hi-lo, j0, n, -1, dl[lo*m+j0:], m, l[j0*m:], m, 1, dl[lo*m:], m)
}

// rowGradient adds the gradient of the block column to columns of the block's rows: dR −= dCᵀ B + (dD + dDᵀ) R.
func (t *potrfTask) rowGradient(w *worker, part potrfPart) {
	k, j0, j1, lo, hi := part.k, part.j0, part.j1, part.lo, part.hi
	m, n, l, dl := t.m, j1-j0, t.l[k*t.m*t.m:], t.dl[k*t.m*t.m:]
	if j1 < m {
		simd.Gemm64(w.doubles.pack, true, false, n, hi-lo, m-j1, -1, dl[j1*m+j0:], m, l[j1*m+lo:], m, 1, dl[j0*m+lo:],
			m)
	}
	both := w.double(0, n*n)
	for i := range n {
		for j := range i + 1 {
			v := dl[(j0+i)*m+j0+j]
			if i == j {
				v *= 2
			}
			both[i*n+j], both[j*n+i] = v, v
		}
	}
	simd.Gemm64(w.doubles.pack, false, false, n, hi-lo, n, -1, both, n, l[j0*m+lo:], m, 1, dl[j0*m+lo:], m)
}

// reverseBlock does PotrfBackward for one diagonal block D, in place: sym½(D⁻ᵀ Φ(Dᵀ dD) D⁻¹), then doubled below the
// diagonal.
func reverseBlock(w *worker, dd, d, inverse []float64, ld, n int) {
	x, y := w.double(0, n*n), w.double(1, n*n)
	lowerBlock(x, dd, ld, n)
	simd.Gemm64(w.doubles.pack, true, false, n, n, n, 1, d, ld, x, n, 0, y, n)
	for i := range n {
		for j := range i { // this is sym½ of Φ: half of the lower triangle on both sides
			y[i*n+j] /= 2
			y[j*n+i] = y[i*n+j]
		}
		y[i*n+i] /= 2
	}
	simd.Gemm64(w.doubles.pack, true, false, n, n, n, 1, inverse, tri, y, n, 0, x, n)
	simd.Gemm64(w.doubles.pack, false, false, n, n, n, 1, x, n, inverse, tri, 0, y, n)
	for i := range n {
		for j := range i {
			dd[i*ld+j] = 2 * y[i*n+j]
		}
		dd[i*ld+i] = y[i*n+i]
	}
}
