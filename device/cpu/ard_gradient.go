package cpu

import "github.com/gpdrf/gpdrf-gpu/internal/simd"

// ardGradient is the extra state of ARDBackward. With P_k = G_k X, the sums g_k of the rows of G_k and h_k of its
// columns
//
//	dlogl_k += w_k (g_k Z² + h_k X² − 2 Σ_m z∘P_k)
//	dz      += Σ_k w_k∘P_k − z∘(gᵀ w)
//
// and where x is z, G is symmetric: h = g, and dz is twice as large.
type ardGradient struct {
	dc, dz, dlogl []float64

	along   simd.Panels64 // X
	ones    []float64     // [max(B,D)]
	rowSum  []float64     // [K,M], or [1,M] of mixed if isotropic: g
	columns []float64     // [blocks,K,B]: the parts of h
	colSum  []float64     // [K,B]: h
	// [blocks,K,D]: the parts of Σ_m z∘P; isotropic [blocks,K] of dlogl before the factor
	partial []float64
	squares []float64 // [K,D]: g Z² + h X²
	mixed   []float64 // [M,B], isotropic: Σ_k w_k G_k
}

func (t *ardTask) beginGradient(p *pool) {
	n := max(t.B, t.D)
	t.ones = grow(p, &t.ones, n)
	for i := range t.ones {
		t.ones[i] = 1
	}
	t.rowSum = grow(p, &t.rowSum, t.groups()*t.M)
	t.partial = grow(p, &t.partial, t.blocks()*t.lengths())
	switch {
	case t.Isotropic:
		t.mixed = grow(p, &t.mixed, t.M*t.B)
	case !t.Same:
		t.columns, t.colSum = grow(p, &t.columns, t.blocks()*t.K*t.B), grow(p, &t.colSum, t.K*t.B)
	}
}

// lengths returns the number of length-scales.
func (t *ardTask) lengths() int {
	if t.Isotropic {
		return t.K
	}
	return t.K * t.D
}

// chunks returns the number of blocks into which the columns of dz are divided.
func (t *ardTask) chunks() int { return blocksOf(t.D, simd.PanelColumns64) }

// ardProduct is G = dc∘slope and its sums. A block is the block of ARD.
type ardProduct ardTask

func (t *ardProduct) run(w *worker, block int) {
	a := (*ardTask)(t)
	k, i := block/a.blocks(), block%a.blocks()
	lo, hi := span(i, ardRows, t.M)
	if t.Isotropic {
		t.isotropic(w, i, lo, hi)
		return
	}
	var columns []float64
	if !t.Same {
		columns = t.columns[(i*t.K+k)*t.B:][:t.B]
		clear(columns)
	}
	for m := lo; m < hi; m++ {
		at := (k*t.M + m) * t.B
		g := t.dc[at:][:t.B]
		simd.Mul64(g, g, t.slope[at:][:t.B])
		t.rowSum[k*t.M+m] = simd.Dot64(g, t.ones[:t.B])
		if columns != nil {
			simd.Axpy64(1, g, columns)
		}
	}
}

// isotropic does the work of run for all k at once: Σ G (z−x)² comes from the distances.
func (t *ardProduct) isotropic(w *worker, i, lo, hi int) {
	a := (*ardTask)(t)
	e := w.double(0, (hi-lo)*t.B)
	a.products(w, &ardBlock{lo: lo, hi: hi, n: t.B, e: e, lde: t.B}, 0)
	for m := lo; m < hi; m++ {
		own := a.ownHalf(t.z[m*t.D:], m)
		row := e[(m-lo)*t.B:][:t.B]
		for b, v := range row {
			row[b] = min(0, v-(own+t.half[b])) // rounding only; NaN stays NaN
		}
	}
	clear(t.mixed[lo*t.B : hi*t.B])
	for k := range t.K {
		sum := 0.0
		for m := lo; m < hi; m++ {
			at := (k*t.M + m) * t.B
			g := t.dc[at:][:t.B]
			simd.Mul64(g, g, t.slope[at:][:t.B])
			sum -= 2 * simd.Dot64(g, e[(m-lo)*t.B:][:t.B])
			simd.Axpy64(t.weight[k], g, t.mixed[m*t.B:][:t.B])
		}
		t.partial[i*t.K+k] = sum
	}
	for m := lo; m < hi; m++ {
		t.rowSum[m] = simd.Dot64(t.mixed[m*t.B:][:t.B], t.ones[:t.B])
	}
}

// ardMove computes P and the gradients that follow from it, for a block of rows and columns. It does so for all k in
// order, because all of them add to the same part of dz.
type ardMove ardTask

func (t *ardMove) run(w *worker, block int) {
	a := (*ardTask)(t)
	i, chunk := block/a.chunks(), block%a.chunks()
	lo, hi := span(i, ardRows, t.M)
	d0, d1 := span(chunk, simd.PanelColumns64, t.D)
	n := d1 - d0
	twice := 1.0
	if t.Same {
		twice = 2
	}
	product := w.double(0, (hi-lo)*n)
	for k := range a.groups() {
		g, weight := t.dc[k*t.M*t.B:], t.ones[:n]
		if t.Isotropic {
			g = t.mixed
		} else {
			weight = t.weight[k*t.D+d0:][:n]
		}
		simd.GemmPanels64(w.doubles.pack, false, hi-lo, n, twice, g[lo*t.B:], t.B, &t.along, d0, 0, product, n)
		if t.dz != nil {
			for m := lo; m < hi; m++ {
				simd.MulAdd64(t.dz[m*t.D+d0:][:n], weight, product[(m-lo)*n:][:n])
			}
		}
		if t.Isotropic {
			continue
		}
		partial := t.partial[(i*t.K+k)*t.D+d0:][:n]
		clear(partial)
		for m := lo; m < hi; m++ {
			simd.MulAdd64(partial, t.z[m*t.D+d0:][:n], product[(m-lo)*n:][:n])
		}
	}
	if t.dz != nil {
		t.pull(w, lo, hi, d0, d1, twice)
	}
}

// pull subtracts z∘(gᵀ w) from dz.
func (t *ardMove) pull(w *worker, lo, hi, d0, d1 int, twice float64) {
	n, groups := d1-d0, (*ardTask)(t).groups()
	weight, ld := t.ones, n
	if !t.Isotropic {
		weight, ld = t.weight[d0:], t.D
	}
	pull := w.double(0, (hi-lo)*n)
	simd.Gemm64(w.doubles.pack, true, false, hi-lo, n, groups, -twice, t.rowSum[lo:], t.M, weight, ld, 0, pull, n)
	for m := lo; m < hi; m++ {
		simd.MulAdd64(t.dz[m*t.D+d0:][:n], t.z[m*t.D+d0:][:n], pull[(m-lo)*n:][:n])
	}
}

// finish sums the parts of dlogl.
func (t *ardTask) finish(p *pool) {
	t.squares = grow(p, &t.squares, t.lengths())
	if p.dry() {
		return
	}
	factor := -2.0
	w := p.workers[0]
	switch {
	case t.Isotropic:
		factor = 1
		clear(t.squares)
	case t.Same:
		factor = -1 // P is twice as large
		simd.Gemm64(w.doubles.pack, false, false, t.K, t.D, t.M, 2, t.rowSum, t.M, t.square, t.D, 0, t.squares, t.D)
	default:
		copy(t.colSum, t.columns[:t.K*t.B])
		for i := 1; i < t.blocks(); i++ {
			simd.Axpy64(1, t.columns[i*t.K*t.B:][:t.K*t.B], t.colSum)
		}
		simd.Gemm64(w.doubles.pack, false, false, t.K, t.D, t.B, 1, t.colSum, t.B, t.square, t.D, 0, t.squares, t.D)
		t.square = t.square[:t.M*t.D]
		simd.Mul64(t.square, t.z, t.z)
		simd.Gemm64(w.doubles.pack, false, false, t.K, t.D, t.M, 1, t.rowSum, t.M, t.square, t.D, 1, t.squares, t.D)
	}
	for i := range t.blocks() {
		simd.Axpy64(factor, t.partial[i*len(t.dlogl):][:len(t.dlogl)], t.squares)
	}
	simd.MulAdd64(t.dlogl, t.weight, t.squares)
}
