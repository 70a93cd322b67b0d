package cpu

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/internal/simd"
)

// tri is the block of the triangular routines: the diagonal blocks are inverted,
// by scalar loops, and all the rest is Gemm.
const tri = 32

// triangle is a batch of lower triangular matrices, [k,m,m], with the inverses of their
// diagonal blocks, [k, blocks of m, tri, tri].
type triangle struct {
	l, inverse []float64
	m          int
}

// diagonal is the inverse of diagonal block i of matrix k.
func (t *triangle) diagonal(k, i int) []float64 {
	return t.inverse[(k*blocksOf(t.m, tri)+i)*tri*tri:][:tri*tri]
}

// invertTask inverts the diagonal blocks, each in its own block of the task.
type invertTask struct{ triangle }

func (t *invertTask) run(_ *worker, block int) {
	n := blocksOf(t.m, tri)
	k, i := block/n, block%n
	lo, hi := span(i, tri, t.m)
	invertLower(t.diagonal(k, i), t.l[(k*t.m+lo)*t.m+lo:], t.m, hi-lo)
}

// prepare inverts the diagonal blocks of l [k,m,m], into the scratch behind t.inverse.
func (p *pool) prepare(t *invertTask, l []float64, k, m int) {
	blocks := k * blocksOf(m, tri)
	t.l, t.m = l, m
	t.inverse = grow(&t.inverse, blocks*tri*tri)
	p.do(t, blocks, k*m*tri*tri/6)
}

// invertLower writes the inverse of a lower triangular n×n matrix, with stride tri
// and zeros above its diagonal.
func invertLower(dst, l []float64, ldl, n int) {
	for i := range n {
		row := dst[i*tri:][:n]
		clear(row)
		for k, v := range l[i*ldl:][:i] {
			for j, u := range dst[k*tri:][:k+1] {
				row[j] -= v * u
			}
		}
		scale := 1 / l[i*ldl+i]
		for j := range row[:i] {
			row[j] *= scale
		}
		row[i] = scale
	}
}

// forward overwrites columns c0 … c1 of x with L⁻¹x for matrix k. x has stride ldx,
// and zeros in the rows before r0, a multiple of tri.
func (t *triangle) forward(w *worker, k int, x []float64, ldx, c0, c1, r0 int) {
	l, n := t.l[k*t.m*t.m:], c1-c0
	tmp := grow(&w.f64[0], tri*n)
	for lo := r0; lo < t.m; lo += tri {
		hi := min(lo+tri, t.m)
		at := x[lo*ldx+c0:]
		simd.Gemm64(w.pack64, false, false, hi-lo, n, lo-r0, -1, l[lo*t.m+r0:], t.m, x[r0*ldx+c0:], ldx, 1, at, ldx)
		copyRows(tmp, n, at, ldx, hi-lo, n)
		simd.Gemm64(w.pack64, false, false, hi-lo, n, hi-lo, 1, t.diagonal(k, lo/tri), tri, tmp, n, 0, at, ldx)
	}
}

// backward overwrites columns c0 … c1 of x with L⁻ᵀx for matrix k, in the rows from r0,
// a multiple of tri, to the end; the rows before it are left alone.
func (t *triangle) backward(w *worker, k int, x []float64, ldx, c0, c1, r0 int) {
	l, n := t.l[k*t.m*t.m:], c1-c0
	tmp := grow(&w.f64[0], tri*n)
	for lo := (t.m - 1) / tri * tri; lo >= r0; lo -= tri {
		hi := min(lo+tri, t.m)
		at := x[lo*ldx+c0:]
		if hi < t.m {
			simd.Gemm64(w.pack64, true, false, hi-lo, n, t.m-hi, -1, l[hi*t.m+lo:], t.m, x[hi*ldx+c0:], ldx, 1, at, ldx)
		}
		copyRows(tmp, n, at, ldx, hi-lo, n)
		simd.Gemm64(w.pack64, true, false, hi-lo, n, hi-lo, 1, t.diagonal(k, lo/tri), tri, tmp, n, 0, at, ldx)
	}
}

// addLower adds α·tril(X Yᵀ) to rows lo … hi of dst, for X and Y with n columns.
func addLower(w *worker, dst []float64, ldd, lo, hi, n int, alpha float64, x []float64, ldx int, y []float64, ldy int) {
	h := hi - lo
	simd.Gemm64(w.pack64, false, true, h, lo, n, alpha, x[lo*ldx:], ldx, y, ldy, 1, dst[lo*ldd:], ldd)
	corner := grow(&w.f64[0], h*h)
	simd.Gemm64(w.pack64, false, true, h, h, n, alpha, x[lo*ldx:], ldx, y[lo*ldy:], ldy, 0, corner, h)
	for i := range h {
		add(dst[(lo+i)*ldd+lo:][:i+1], corner[i*h:])
	}
}

// lowerBlock copies the lower triangle of an n×n block, with zeros above, to stride n.
func lowerBlock(dst, s []float64, lds, n int) {
	for i := range n {
		copy(dst[i*n:][:i+1], s[i*lds:])
		clear(dst[i*n+i+1 : (i+1)*n])
	}
}

// copyRows copies an m×n matrix.
func copyRows(dst []float64, ldd int, src []float64, lds, m, n int) {
	for i := range m {
		copy(dst[i*ldd:][:n], src[i*lds:])
	}
}

// cholesky factors an n×n block in place by rows, reading its lower triangle. It
// returns the first pivot that is not a positive number, or −1.
func cholesky(a []float64, lda, n int) int {
	for i := range n {
		ri := a[i*lda:][:i+1]
		for j := range i {
			rj := a[j*lda:][:j+1]
			v := ri[j]
			for k, u := range rj[:j] {
				v -= u * ri[k]
			}
			ri[j] = v / rj[j]
		}
		v := ri[i]
		for _, u := range ri[:i] {
			v -= u * u
		}
		if !(v > 0) || math.IsInf(v, 1) {
			return i
		}
		ri[i] = math.Sqrt(v)
	}
	return -1
}
