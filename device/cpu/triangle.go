package cpu

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/internal/simd"
)

// tri is the size of the diagonal blocks of the triangular routines. They are inverted by scalar loops; Gemm does the
// rest.
const tri = 32

// triangle is a batch of lower triangular matrices, [k,m,m], with the inverses of their diagonal blocks, [k, blocks of
// m, tri, tri].
type triangle struct {
	l, inverse []float64
	m          int
}

// diagonal returns the inverse of diagonal block i of matrix k.
func (t *triangle) diagonal(k, i int) []float64 {
	return t.inverse[(k*blocksOf(t.m, tri)+i)*tri*tri:][:tri*tri]
}

// invertTask inverts the diagonal blocks, one in each block of the task.
type invertTask struct{ triangle }

func (t *invertTask) run(w *worker, block int) {
	n := blocksOf(t.m, tri)
	k, i := block/n, block%n
	lo, hi := span(i, tri, t.m)
	invertLower(w, t.diagonal(k, i), t.l[(k*t.m+lo)*t.m+lo:], t.m, hi-lo)
}

// prepare inverts the diagonal blocks of l [k,m,m], into the scratch of t.inverse.
func (p *pool) prepare(t *invertTask, l []float64, k, m int) {
	blocks := k * blocksOf(m, tri)
	t.l, t.m = l, m
	t.inverse = grow(p, &t.inverse, blocks*tri*tri)
	p.do(t, blocks, k*m*tri*tri/6)
}

// invertLower writes the inverse of a lower triangular matrix of up to tri rows, with stride tri and zeros above its
// diagonal, by halves:
//
//	[A 0; C B]⁻¹ = [A⁻¹ 0; −B⁻¹ C A⁻¹ B⁻¹]
func invertLower(w *worker, dst, l []float64, ldl, n int) {
	const half = tri / 2
	if n <= half {
		invertHalf(dst, l, ldl, n)
		return
	}
	rest, low := n-half, dst[half*tri:]
	invertHalf(dst, l, ldl, half)
	invertHalf(low[half:], l[half*ldl+half:], ldl, rest)
	for i := range half {
		clear(dst[i*tri+half:][:rest])
	}
	product := w.double(1, rest*half)
	simd.Gemm64(w.doubles.pack, false, false, rest, half, half, -1, l[half*ldl:], ldl, dst, tri, 0, product, half)
	simd.Gemm64(w.doubles.pack, false, false, rest, half, rest, 1, low[half:], tri, product, half, 0, low, tri)
}

// invertHalf does the work of invertLower by rows, each from the rows above.
func invertHalf(dst, l []float64, ldl, n int) {
	for i := range n {
		row := dst[i*tri:][:n]
		clear(row)
		for k, v := range l[i*ldl:][:i] {
			above := dst[k*tri:][:k+1]
			to := row[:len(above)]
			for j, u := range above {
				to[j] -= v * u
			}
		}
		scale := 1 / l[i*ldl+i]
		for j := range row[:i] {
			row[j] *= scale
		}
		row[i] = scale
	}
}

// solve overwrites rows lo … hi of x with the same rows of L⁻¹x, or of L⁻ᵀx, for matrix k. lo is a multiple of tri. x
// has zeros in the rows before lo or, if it is transposed, in the rows from hi on. solve halves the matrix, so that
// most of the work is large products:
//
//	[A 0; C B]⁻¹ [x; y] = [u; B⁻¹(y − C u)],   u = A⁻¹x
func (t *triangle) solve(w *worker, k int, x matrix[float64], lo, hi int, transpose bool) {
	if hi-lo <= tri {
		t.divide(w, k, x, lo, hi, transpose)
		return
	}
	mid := halfway(lo, hi)
	first, second := [2]int{lo, mid}, [2]int{mid, hi}
	if transpose {
		first, second = second, first
	}
	t.solve(w, k, x, first[0], first[1], transpose)
	simd.Gemm64(w.doubles.pack, transpose, false, second[1]-second[0], x.k, first[1]-first[0], -1,
		t.l[(k*t.m+mid)*t.m+lo:], t.m, x.x[first[0]*x.ld:], x.ld, 1, x.x[second[0]*x.ld:], x.ld)
	t.solve(w, k, x, second[0], second[1], transpose)
}

// halfway returns the middle of lo … hi, at a multiple of tri from lo.
func halfway(lo, hi int) int { return lo + blocksOf(hi-lo, 2*tri)*tri }

// divide multiplies the rows lo … hi of x by the inverse of their diagonal block.
func (t *triangle) divide(w *worker, k int, x matrix[float64], lo, hi int, transpose bool) {
	rows := x.x[lo*x.ld:]
	tmp := w.double(0, tri*x.k)
	copyRows(tmp, x.k, rows, x.ld, hi-lo, x.k)
	simd.Gemm64(w.doubles.pack, transpose, false, hi-lo, x.k, hi-lo, 1, t.diagonal(k, lo/tri), tri, tmp, x.k,
		0, rows, x.ld)
}

// outer is α X Yᵀ of two matrices by rows, with n columns.
type outer struct {
	alpha       float64
	x, y        []float64
	ldx, ldy, n int
}

// addLower adds the lower triangle of a product to columns lo … hi of an m×m matrix.
func (p *outer) addLower(w *worker, dst []float64, m, lo, hi int) {
	h := hi - lo
	corner := w.double(0, h*h)
	simd.Gemm64(w.doubles.pack, false, true, h, h, p.n, p.alpha, p.x[lo*p.ldx:], p.ldx, p.y[lo*p.ldy:], p.ldy,
		0, corner, h)
	for i := range h {
		add(dst[(lo+i)*m+lo:][:i+1], corner[i*h:])
	}
	if hi < m {
		simd.Gemm64(w.doubles.pack, false, true, m-hi, h, p.n, p.alpha, p.x[hi*p.ldx:], p.ldx, p.y[lo*p.ldy:], p.ldy, 1,
			dst[hi*m+lo:], m)
	}
}

// multiplyLower computes x = L y, or Lᵀ y, added to x or written, for the lower triangle of an n×n block of s; the
// elements above the diagonal of s are never read.
func multiplyLower(w *worker, transpose bool, s []float64, lds, n int, y matrix[float64], beta float64, x []float64) {
	ldx, columns := y.ld, y.k
	block := w.double(0, tri*tri)
	for lo := 0; lo < n; lo += tri {
		hi := min(lo+tri, n)
		lowerBlock(block, s[lo*lds+lo:], lds, hi-lo)
		to := x[lo*ldx:]
		simd.Gemm64(w.doubles.pack, transpose, false, hi-lo, columns, hi-lo, 1, block, hi-lo, y.x[lo*y.ld:], y.ld,
			beta, to, ldx)
		switch {
		case transpose && hi < n:
			simd.Gemm64(w.doubles.pack, true, false, hi-lo, columns, n-hi, 1, s[hi*lds+lo:], lds, y.x[hi*y.ld:],
				y.ld, 1, to, ldx)
		case !transpose:
			simd.Gemm64(w.doubles.pack, false, false, hi-lo, columns, lo, 1, s[lo*lds:], lds, y.x, y.ld, 1, to, ldx)
		}
	}
}

// lowerBlock copies the lower triangle of an n×n block, with zeros above, to stride n.
func lowerBlock(dst, s []float64, lds, n int) {
	for i := range n {
		copy(dst[i*n:][:i+1], s[i*lds:])
		clear(dst[i*n+i+1 : (i+1)*n])
	}
}

// mirror copies rows lo … hi of a lower triangle to the columns above the diagonal.
func mirror(a []float64, m, lo, hi int) {
	for j := range hi {
		above := a[j*m:]
		for i := max(lo, j+1); i < hi; i++ {
			above[i] = a[i*m+j]
		}
	}
}

// copyRows copies an m×n matrix.
func copyRows(dst []float64, ldd int, src []float64, lds, m, n int) {
	for i := range m {
		copy(dst[i*ldd:][:n], src[i*lds:])
	}
}

// cholesky factors an n×n block in place by columns, reading its lower triangle. It returns the first pivot that is not
// a positive number, or −1. It computes four sums at a time, for four rows, since each addition to a single sum would
// wait for the one before.
func cholesky(a []float64, lda, n int) int {
	for j := range n {
		rj := a[j*lda:][:j+1]
		pivot := rj[j]
		for _, u := range rj[:j] {
			pivot -= u * u
		}
		if !(pivot > 0) || math.IsInf(pivot, 1) {
			return j
		}
		root := math.Sqrt(pivot)
		rj[j] = root
		scale := 1 / root
		i := j + 1
		for ; i+4 <= n; i += 4 {
			r0, r1, r2, r3 := a[i*lda:][:j+1], a[(i+1)*lda:][:j+1], a[(i+2)*lda:][:j+1], a[(i+3)*lda:][:j+1]
			v0, v1, v2, v3 := r0[j], r1[j], r2[j], r3[j]
			for k, u := range rj[:j] {
				v0 -= u * r0[k]
				v1 -= u * r1[k]
				v2 -= u * r2[k]
				v3 -= u * r3[k]
			}
			r0[j], r1[j], r2[j], r3[j] = v0*scale, v1*scale, v2*scale, v3*scale
		}
		for ; i < n; i++ {
			ri := a[i*lda:][:j+1]
			v := ri[j]
			for k, u := range rj[:j] {
				v -= u * ri[k]
			}
			ri[j] = v * scale
		}
	}
	return -1
}
