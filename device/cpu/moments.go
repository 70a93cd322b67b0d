package cpu

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/simd"
)

const (
	momentColumns = 64 // rows of the data set in one block of Moments
	momentRows    = 96 // inducing points in one block of a product with s_j
)

// momentsTask is the state of Moments and MomentsBackward.
type momentsTask struct {
	device.QShape
	mean, variance, p, a, m, s []float64
	alpha, root                []float64 // [J]: α and √α
	excess                     []float64 // [J,M], diagonal s: s²−1
	squares                    []float64 // [K,B], full s: Σ_i A²
	partial                    []float64 // [J,blocks of M,B], full s: parts of Σ_i P²

	da, dm, ds, dalpha     []float64
	gradMean, gradVariance []float64 // [B,J]
	// [J,B]: √α gradMean, and α gradVariance where not floored
	dmean, dvariance []float64
	sum              []float64 // [K,B]: −2 Σ_j dvariance
}

// begin fills the arrays that all blocks share.
func (t *momentsTask) begin(pool *pool, a device.MomentsArgs) {
	t.mean, t.variance, t.p = double(a.Mean), double(a.Variance), double(a.P)
	t.a, t.m, t.s = double(a.A), double(a.QMean), double(a.QSqrt)
	t.alpha, t.root = grow(pool, &t.alpha, t.J), grow(pool, &t.root, t.J)
	for j, v := range double(a.LogAlpha) {
		t.alpha[j], t.root[j] = math.Exp(v), math.Exp(v/2)
	}
	if t.Diagonal {
		t.excess = grow(pool, &t.excess, t.J*t.M)
		for i, v := range t.s {
			t.excess[i] = v*v - 1
		}
	}
}

func (t *momentsTask) columns() int { return blocksOf(t.B, momentColumns) }

// Moments computes mean and variance [B,J] of q(F), qF_anj and qF_Bnj, for a whitened q(F̄).
func (d *gp) Moments(a device.MomentsArgs) {
	t := &d.moments
	t.QShape = device.CheckMoments("Moments", a)
	t.begin(d.pool, a)
	t.squares = grow(d.pool, &t.squares, t.K*t.B)
	d.reserve(0, t.J*momentColumns)
	d.reserve(1, t.M*momentColumns)
	d.do(t, t.K*t.columns(), t.J*t.M*t.B*2)
	if !t.Diagonal {
		rows := blocksOf(t.M, momentRows)
		t.partial = grow(d.pool, &t.partial, t.J*rows*t.B)
		d.do((*momentsFull)(t), t.J*rows, t.J*t.M*t.M*t.B/2)
		d.do((*momentsVariance)(t), t.J, t.J*rows*t.B)
	}
}

// run computes the means of all latents of one kernel for a block of columns of A. It also computes the variances, if s
// is diagonal, or else Σ A² for momentsFull.
func (t *momentsTask) run(w *worker, block int) {
	k, b0, b1 := spanOf(block, momentColumns, t.B)
	first, last := t.Latents(k)
	n, latents, a := b1-b0, last-first, t.a[k*t.M*t.B+b0:]
	rows := w.double(0, latents*n)
	simd.Gemm64(w.doubles.pack, false, false, latents, n, t.M, 1, t.m[first*t.M:], t.M, a, t.B, 0, rows, n)
	for j := first; j < last; j++ {
		for i, v := range rows[(j-first)*n:][:n] {
			t.mean[(b0+i)*t.J+j] = t.root[j] * v
		}
	}
	if !t.Diagonal {
		sums := t.squares[k*t.B+b0:][:n]
		clear(sums)
		for i := range t.M {
			addSquares(sums, a[i*t.B:])
		}
		return
	}
	square := w.double(1, t.M*n)
	for i := range t.M {
		row := a[i*t.B:][:n]
		simd.Mul64(square[i*n:][:n], row, row)
	}
	simd.Gemm64(w.doubles.pack, false, false, latents, n, t.M, 1, t.excess[first*t.M:], t.M, square, n, 0, rows, n)
	for j := first; j < last; j++ {
		for i, v := range rows[(j-first)*n:][:n] {
			t.variance[(b0+i)*t.J+j] = floored(t.alpha[j] * (1 + v))
		}
	}
}

// momentsFull computes a block of rows of P_j = s_jᵀA, and its share of Σ P².
type momentsFull momentsTask

func (t *momentsFull) run(w *worker, block int) {
	m := t.M
	j, lo, hi := spanOf(block, momentRows, m)
	a, p, s := t.a[t.Kernel(j)*m*t.B:], t.p[(j*m+lo)*t.B:], t.s[j*m*m:(j+1)*m*m]
	multiplyLower(w, true, s[lo*m+lo:], m, hi-lo, matrix[float64]{a[lo*t.B:], t.B, t.B}, 0, p)
	if hi < m {
		simd.Gemm64(w.doubles.pack, true, false, hi-lo, t.B, m-hi, 1, s[hi*m+lo:], m, a[hi*t.B:], t.B, 1, p, t.B)
	}
	sums := t.partial[block*t.B:][:t.B]
	clear(sums)
	for i := range hi - lo {
		addSquares(sums, p[i*t.B:])
	}
}

// momentsVariance adds up the variances of one latent.
type momentsVariance momentsTask

func (t *momentsVariance) run(_ *worker, j int) {
	rows := blocksOf(t.M, momentRows)
	squares, partial := t.squares[t.Kernel(j)*t.B:][:t.B], t.partial[j*rows*t.B:]
	for b, v := range squares {
		sum := 0.0
		for i := range rows {
			sum += partial[i*t.B+b]
		}
		t.variance[b*t.J+j] = floored(t.alpha[j] * (1 - v + sum))
	}
}

// floored returns the larger of v and VarFloor; NaN stays NaN.
func floored[T Float](v T) T {
	if v < device.VarFloor {
		return device.VarFloor
	}
	return v
}

// isFloored reports whether a variance is at its floor, and has no gradient.
func isFloored[T Float](v T) bool { return v <= device.VarFloor }

// addSquares adds x² to sums.
func addSquares(sums, x []float64) {
	x = x[:len(sums)]
	simd.MulAdd64(sums, x, x)
}

// MomentsBackward writes g.A and accumulates g.QMean, g.QSqrt, g.LogAlpha. P is overwritten.
func (d *gp) MomentsBackward(g, a device.MomentsArgs) {
	t := &d.moments
	t.QShape = device.CheckMomentsBackward(g, a)
	t.begin(d.pool, a)
	t.da, t.dm, t.ds, t.dalpha = double(g.A), double(g.QMean), double(g.QSqrt), double(g.LogAlpha)
	t.gradMean, t.gradVariance = double(g.Mean), double(g.Variance)
	t.dmean, t.dvariance = grow(d.pool, &t.dmean, t.J*t.B), grow(d.pool, &t.dvariance, t.J*t.B)
	t.sum = grow(d.pool, &t.sum, t.K*t.B)
	if t.Diagonal {
		d.reserve(0, momentRows*t.B)
		d.reserve(1, t.J*momentRows)
	} else {
		d.reserve(0, t.B)
	}
	if d.dry() {
		return
	}
	d.do((*momentsCotangent)(t), t.J, t.J*t.B*4)
	clear(t.sum)
	for j := range t.J {
		simd.Axpy64(-2, t.dvariance[j*t.B:][:t.B], t.sum[t.Kernel(j)*t.B:][:t.B])
	}
	if t.Diagonal {
		d.do((*momentsDiagonal)(t), t.K*blocksOf(t.M, momentRows), t.J*t.M*t.B*4)
		return
	}
	rows := blocksOf(t.M, momentRows)
	d.do((*momentsScale)(t), t.J*rows, t.J*t.M*t.B)
	d.do((*momentsInput)(t), t.K*rows, t.J*t.M*t.M*t.B/2)
	d.do((*momentsFactor)(t), t.J*blocksOf(t.M, lowerColumns), t.J*t.M*t.M*t.B/2)
}

// momentsCotangent transposes the cotangents of latent j, and computes dlogα.
type momentsCotangent momentsTask

func (t *momentsCotangent) run(_ *worker, j int) {
	dmean, dvariance := t.dmean[j*t.B:][:t.B], t.dvariance[j*t.B:][:t.B]
	sum := 0.0
	for b := range dmean {
		at := b*t.J + j
		dmean[b] = t.root[j] * t.gradMean[at]
		sum += t.gradMean[at] * t.mean[at] / 2
		dvariance[b] = 0
		if v := t.variance[at]; !isFloored(v) {
			dvariance[b] = t.alpha[j] * t.gradVariance[at]
			sum += t.gradVariance[at] * v
		}
	}
	t.dalpha[j] += sum
}

// momentsDiagonal is the remaining work for diagonal s, by blocks of rows of A: dA = mᵀdmean + 2A∘((s²−1)ᵀdvariance),
// dm = dmean Aᵀ and ds = 2s∘(dvariance (A²)ᵀ).
type momentsDiagonal momentsTask

func (t *momentsDiagonal) run(w *worker, block int) {
	k, lo, hi := spanOf(block, momentRows, t.M)
	first, last := t.Latents(k)
	n, latents := hi-lo, last-first
	a, da := t.a[(k*t.M+lo)*t.B:][:n*t.B], t.da[(k*t.M+lo)*t.B:][:n*t.B]
	dmean, dvariance := t.dmean[first*t.B:], t.dvariance[first*t.B:]
	m, excess := t.m[first*t.M+lo:], t.excess[first*t.M+lo:]
	simd.Gemm64(w.doubles.pack, false, true, latents, n, t.B, 1, dmean, t.B, a, t.B, 1, t.dm[first*t.M+lo:], t.M)

	work, ds := w.double(0, n*t.B), w.double(1, latents*n)
	simd.Mul64(work, a, a)
	simd.Gemm64(w.doubles.pack, false, true, latents, n, t.B, 2, dvariance, t.B, work, t.B, 0, ds, n)
	for j := range latents {
		at := (first+j)*t.M + lo
		for i, v := range ds[j*n:][:n] {
			t.ds[at+i] += v * t.s[at+i]
		}
	}

	simd.Gemm64(w.doubles.pack, true, false, n, t.B, latents, 2, excess, t.M, dvariance, t.B, 0, work, t.B)
	simd.Mul64(da, work, a)
	simd.Gemm64(w.doubles.pack, true, false, n, t.B, latents, 1, m, t.M, dmean, t.B, 1, da, t.B)
}

// momentsScale turns P_j into Q_j = 2P_j∘dvariance_j, a block of rows at a time, and computes dm.
type momentsScale momentsTask

func (t *momentsScale) run(w *worker, block int) {
	j, lo, hi := spanOf(block, momentRows, t.M)
	dvariance, dmean, a := t.dvariance[j*t.B:][:t.B], t.dmean[j*t.B:][:t.B], t.a[t.Kernel(j)*t.M*t.B:]
	twice := w.double(0, t.B)
	for b, v := range dvariance {
		twice[b] = 2 * v
	}
	for i := lo; i < hi; i++ {
		row := t.p[(j*t.M+i)*t.B:][:t.B]
		simd.Mul64(row, row, twice)
		t.dm[j*t.M+i] += simd.Dot64(a[i*t.B:][:t.B], dmean)
	}
}

// momentsInput is dA = Σ_j m_j dmean_jᵀ + s_j Q_j − 2A∘dvariance_j over the latents of a kernel, by blocks of rows.
type momentsInput momentsTask

func (t *momentsInput) run(w *worker, block int) {
	rows := blocksOf(t.M, momentRows)
	m := t.M
	k := block / rows
	lo, hi := span(rows-1-block%rows, momentRows, m) // the longest rows come first
	first, last := t.Latents(k)
	n := hi - lo
	da, a, sum := t.da[(k*m+lo)*t.B:][:n*t.B], t.a[(k*m+lo)*t.B:], t.sum[k*t.B:][:t.B]
	for i := range n {
		simd.Mul64(da[i*t.B:][:t.B], sum, a[i*t.B:][:t.B])
	}
	simd.Gemm64(w.doubles.pack, true, false, n, t.B, last-first, 1, t.m[first*m+lo:], m, t.dmean[first*t.B:], t.B, 1,
		da, t.B)
	for j := first; j < last; j++ {
		s, q := t.s[(j*m+lo)*m:], t.p[j*m*t.B:]
		simd.Gemm64(w.doubles.pack, false, false, n, t.B, lo, 1, s, m, q, t.B, 1, da, t.B)
		multiplyLower(w, false, s[lo:], m, n, matrix[float64]{q[lo*t.B:], t.B, t.B}, 1, da)
	}
}

// momentsFactor is ds_j += tril(A Q_jᵀ), by blocks of columns.
type momentsFactor momentsTask

func (t *momentsFactor) run(w *worker, block int) {
	m := t.M
	j, lo, hi := spanOf(block, lowerColumns, m)
	p := outer{alpha: 1, x: t.a[t.Kernel(j)*m*t.B:], y: t.p[j*m*t.B:], ldx: t.B, ldy: t.B, n: t.B}
	p.addLower(w, t.ds[j*m*m:], m, lo, hi)
}
