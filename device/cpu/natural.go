package cpu

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/simd"
)

// flipRows is the number of rows in one block of a transposition at the other diagonal.
const flipRows = 32

// naturalTask is the state of NaturalStep. Its matrices are transposed at the other diagonal, a˜[i,c] = a[M−1−c,
// M−1−i], which keeps a lower triangle lower: the new S is s B⁻¹ sᵀ with B = I − size·2sᵀdS s, and the Cholesky factor
// L of B˜ gives the lower triangular s˜ = L⁻¹ s˜ at once. Before that B − ½(1−size)·I is factored, to see whether the
// step is too long.
type naturalTask struct {
	device.QShape
	m, s, dm, ds    []float64
	size            float64
	sigma, delta, b []float64 // s˜, ds˜, B˜ [J,M,M]
	lower, rung     []float64 // L [J,M,M], and the rung that succeeded [J]
	done            []float64 // the rungs for B itself
	u               []float64 // sᵀdm [J,M]
	potrf           potrfTask
	invert          invertTask
}

// NaturalStep moves q(F̄) by size along its natural gradient.
func (d *gp) NaturalStep(m, s, dm, ds *device.Tensor, size device.Scalar) {
	t := &d.natural
	t.QShape = device.CheckNaturalStep(m, s, dm, ds, size.Value)
	t.m, t.s, t.dm, t.ds = double(m), double(s), double(dm), double(ds)
	t.size = size.Value
	if t.Diagonal {
		d.do((*naturalDiagonal)(t), t.J, 16*len(t.m))
		return
	}
	n := t.J * t.M * t.M
	t.sigma, t.delta, t.b, t.lower = grow(d.pool, &t.sigma, n), grow(d.pool, &t.delta, n),
		grow(d.pool, &t.b, n), grow(d.pool, &t.lower, n)
	t.rung, t.u = grow(d.pool, &t.rung, t.J), grow(d.pool, &t.u, t.J*t.M)
	t.done = grow(d.pool, &t.done, t.J)
	d.do((*naturalFlip)(t), t.J*blocksOf(t.M, flipRows), 2*n)
	d.do((*naturalPrecision)(t), t.J*blocksOf(t.M, lowerColumns), n*t.M/3)
	p := &t.potrf
	p.k, p.m, p.l, p.c, p.jitter, p.ladder = t.J, t.M, t.lower, t.b, t.rung, device.NaturalLadder[:]
	p.factorise(d.pool)
	d.do((*naturalShift)(t), t.J, t.J*t.M)
	p.jitter = t.done
	p.factorise(d.pool)
	d.prepare(&t.invert, t.lower, t.J, t.M)
	d.do((*naturalSolve)(t), t.J*blocksOf(t.M, solveColumns), n*t.M/6)
	d.do((*naturalProject)(t), t.J, n)
	d.do((*naturalWrite)(t), t.J*blocksOf(t.M, flipRows), 2*n)
}

// naturalShift makes (1 + 2·rung)·I − size·2sᵀdS s of the tested matrix.
type naturalShift naturalTask

func (t *naturalShift) run(_ *worker, j int) {
	for i := range t.M {
		t.b[(j*t.M+i)*t.M+i] += 2*t.rung[j] + (1-t.size)/2
	}
}

// naturalDiagonal is the whole step of latent j for a diagonal s, where 2sᵀdS s is s ds.
type naturalDiagonal naturalTask

func (t *naturalDiagonal) run(_ *worker, j int) {
	for i := j * t.M; i < (j+1)*t.M; i++ {
		for _, rung := range device.NaturalLadder {
			step, grown := t.size*t.s[i]*t.ds[i], 1+2*rung
			if margin := (1+t.size)/2 + rung - step; margin > 0 && !math.IsInf(margin, 1) {
				t.s[i] *= math.Sqrt(grown / (grown - step))
				t.m[i] += t.size / grown * t.s[i] * t.s[i] * t.dm[i]
				break
			}
		}
	}
}

// flip writes rows lo … hi of a˜, with zeros above the diagonal.
func flip(dst, a []float64, m, lo, hi int) {
	for i := lo; i < hi; i++ {
		clear(dst[i*m+i+1 : (i+1)*m])
	}
	for c := range hi {
		from := a[(m-1-c)*m:][:m-c]
		for i := max(lo, c); i < hi; i++ {
			dst[i*m+c] = from[m-1-i]
		}
	}
}

// naturalFlip makes rows of s˜ and ds˜.
type naturalFlip naturalTask

func (t *naturalFlip) run(_ *worker, block int) {
	j, lo, hi := spanOf(block, flipRows, t.M)
	at := j * t.M * t.M
	flip(t.sigma[at:], t.s[at:], t.M, lo, hi)
	flip(t.delta[at:], t.ds[at:], t.M, lo, hi)
}

// naturalPrecision makes columns of the lower triangle of ½(1+size)·I − size·ds˜ s˜ᵀ: 2sᵀdS s is the lower triangle of
// sᵀds on both sides.
type naturalPrecision naturalTask

func (t *naturalPrecision) run(w *worker, block int) {
	j, lo, hi := spanOf(block, lowerColumns, t.M)
	m, at := t.M, j*t.M*t.M
	b := t.b[at:]
	for i := lo; i < m; i++ {
		row := b[i*m:][lo:min(hi, i+1)]
		clear(row)
		if i < hi {
			row[i-lo] = (1 + t.size) / 2
		}
	}
	p := outer{alpha: -t.size, x: t.delta[at:], y: t.sigma[at:], ldx: m, ldy: m, n: hi}
	p.addLower(w, b, m, lo, hi)
}

// naturalSolve makes columns of L⁻¹ s˜, in place.
type naturalSolve naturalTask

func (t *naturalSolve) run(w *worker, block int) {
	j, lo, hi := spanOf(block, solveColumns, t.M)
	t.invert.solve(w, j, matrix[float64]{t.sigma[j*t.M*t.M:][lo : t.M*t.M], t.M, hi - lo}, lo, t.M, false)
}

// naturalProject is u = sᵀ dm with the new s.
type naturalProject naturalTask

func (t *naturalProject) run(w *worker, j int) {
	m := t.M
	reversed := w.double(0, m)
	u := t.u[j*m:][:m]
	scale := math.Sqrt(1 + 2*t.rung[j])
	for i, v := range t.dm[j*m:][:m] {
		reversed[m-1-i] = v
	}
	for i := range m {
		u[m-1-i] = scale * simd.Dot64(t.sigma[(j*m+i)*m:][:i+1], reversed[:i+1])
	}
}

// naturalWrite writes rows of the new s, and m += size·s u, unless no rung has succeeded.
type naturalWrite naturalTask

func (t *naturalWrite) run(_ *worker, block int) {
	j, lo, hi := spanOf(block, flipRows, t.M)
	m, at, grown := t.M, j*t.M*t.M, 1+2*t.rung[j]
	if !(t.rung[j] >= 0 && t.done[j] >= 0) {
		return
	}
	flip(t.s[at:], t.sigma[at:], m, lo, hi)
	size := t.size / grown
	scale := math.Sqrt(grown)
	u := t.u[j*m:][:m]
	for i := lo; i < hi; i++ {
		row := t.s[at+i*m:][:i+1]
		for c := range row {
			row[c] *= scale
		}
		t.m[j*m+i] += size * simd.Dot64(row, u[:i+1])
	}
}
