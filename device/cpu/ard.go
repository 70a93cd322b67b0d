package cpu

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/simd"
)

// ardRows is how many pseudo-inputs are one block of ARD.
const ardRows = 32

// ardTask is the state of ARD and ARDBackward. Distances come from a product of
// matrices, in double: −½Σ(z−x)²w = Σ z w x − ½Σ z²w − ½Σ x²w with w = 1/ℓ². The isotropic
// case takes w = 1, and each k then multiplies by its own 1/ℓ².
type ardTask struct {
	device.ARDShape
	c, z, x []float64
	weight  []float64 // [K,D] or [K,1]: 1/ℓ²
	square  []float64 // [B,D]: x²
	half    []float64 // [K,B], or [1,B] if isotropic: ½Σ x²w

	dc, dz, dlogl []float64
	rowSum        []float64 // [K,M], or [1,M] if isotropic: sums of G, or of mixed, over b
	mixed         []float64 // [M,B], isotropic: Σ_k G_k/ℓ_k²
	partial       []float64 // [blocks,K,D or 1]: terms of dlogl before the factor 1/ℓ²
}

// ARD is kernel_ard without its α.
func (d *gp) ARD(c, z, x, logl *device.Tensor) {
	t := &d.ard
	t.ARDShape = device.CheckARD("ARD", c, z, x, logl)
	t.begin(d.pool, c, z, x, logl)
	d.do(t, t.groups()*t.blocks(), t.K*t.M*t.B*(t.D+8))
}

// begin fills what all blocks share.
func (t *ardTask) begin(p *pool, c, z, x, logl *device.Tensor) {
	p.reserve(0, ardRows*max(t.B, t.D))
	p.reserve(1, ardRows*t.D)
	t.c, t.z, t.x = double(c), double(z), double(x)
	t.weight = grow(&t.weight, logl.Len())
	for i, v := range double(logl) {
		t.weight[i] = math.Exp(-2 * v)
	}
	t.square = grow(&t.square, t.B*t.D)
	for i, v := range t.x {
		t.square[i] = v * v
	}
	t.half = grow(&t.half, t.groups()*t.B)
	if t.Isotropic {
		for b := range t.B {
			t.half[b] = 0
			for _, v := range t.square[b*t.D:][:t.D] {
				t.half[b] += v / 2
			}
		}
		return
	}
	simd.Gemm64(p.workers[0].pack64, false, true, t.K, t.B, t.D, 0.5, t.weight, t.D, t.square, t.D, 0, t.half, t.B)
}

// groups is how many times the distances are computed: once for all k if isotropic.
func (t *ardTask) groups() int {
	if t.Isotropic {
		return 1
	}
	return t.K
}

func (t *ardTask) blocks() int { return blocksOf(t.M, ardRows) }

// run computes a block of rows of c for one k, or for all of them if isotropic. In Kuu
// it computes up to the diagonal, and mirrors.
func (t *ardTask) run(w *worker, block int) {
	group := block / t.blocks()
	lo, hi := span(block%t.blocks(), ardRows, t.M)
	n := t.B
	if t.Same {
		n = hi
	}
	e := w.double(0, (hi-lo)*n)
	t.exponents(w, e, group, lo, hi, n)
	if !t.Isotropic {
		t.fill(e, group, 1, lo, hi, n)
		return
	}
	for k := range t.K {
		t.fill(e, k, t.weight[k], lo, hi, n)
	}
}

// exponents writes e = −½Σ(z−x)²w, at most 0, for rows lo … hi and the first n columns.
func (t *ardTask) exponents(w *worker, e []float64, group, lo, hi, n int) {
	zw := w.double(1, (hi-lo)*t.D)
	copy(zw, t.z[lo*t.D:hi*t.D])
	if !t.Isotropic {
		weight := t.weight[group*t.D:][:t.D]
		for i := range hi - lo {
			row := zw[i*t.D:][:t.D]
			for j, v := range weight {
				row[j] *= v
			}
		}
	}
	simd.Gemm64(w.pack64, false, true, hi-lo, n, t.D, 1, zw, t.D, t.x, t.D, 0, e, n)
	half := t.half[group*t.B:][:n]
	for i := range hi - lo {
		own := 0.0
		z := t.z[(lo+i)*t.D:][:t.D]
		for j, v := range zw[i*t.D:][:t.D] {
			own += v * z[j] / 2
		}
		row := e[i*n:][:n]
		for j, h := range half {
			v := row[j] - (own + h)
			if v > 0 { // rounding only; NaN stays NaN
				v = 0
			}
			row[j] = v
		}
	}
}

// fill writes rows lo … hi of c_k = exp(scale·e).
func (t *ardTask) fill(e []float64, k int, scale float64, lo, hi, n int) {
	c := t.c[k*t.M*t.B:]
	for i := lo; i < hi; i++ {
		from, to := e[(i-lo)*n:][:n], c[i*t.B:][:n]
		if t.Same { // up to the diagonal
			from, to = from[:i], to[:i]
		}
		if scale != 1 {
			for j, v := range from {
				to[j] = scale * v
			}
			from = to
		}
		simd.Exp64(to, from)
		if t.Same {
			for j, v := range to {
				c[j*t.B+i] = v
			}
			c[i*t.B+i] = 1
		}
	}
}

// ARDBackward overwrites dc with G = dc∘c and accumulates dlogl and dz.
func (d *gp) ARDBackward(dz, dlogl, dc, c, z, x, logl *device.Tensor) {
	t := &d.ard
	t.ARDShape = device.CheckARDBackward(dz, dlogl, dc, c, z, x, logl)
	t.begin(d.pool, c, z, x, logl)
	t.dc, t.dz, t.dlogl = double(dc), double(dz), double(dlogl)
	t.rowSum = grow(&t.rowSum, t.groups()*t.M)
	t.partial = grow(&t.partial, t.blocks()*len(t.dlogl))
	if t.Isotropic {
		t.mixed = grow(&t.mixed, t.M*t.B)
	}
	d.do((*ardProduct)(t), t.groups()*t.blocks(), t.K*t.M*t.B*2)
	if !t.Isotropic || t.dz != nil {
		d.do((*ardGradient)(t), t.blocks(), t.groups()*t.M*t.B*t.D)
	}
	for i := range t.dlogl {
		sum := 0.0
		for b := range t.blocks() {
			sum += t.partial[b*len(t.dlogl)+i]
		}
		t.dlogl[i] += t.weight[i] * sum
	}
}

// ardProduct is the first part of ARDBackward: G, its sums over b, and what the sums over
// m give dlogl. A block is the block of ARD.
type ardProduct ardTask

func (t *ardProduct) run(w *worker, block int) {
	a := (*ardTask)(t)
	group, i := block/a.blocks(), block%a.blocks()
	lo, hi := span(i, ardRows, t.M)
	if t.Isotropic {
		t.isotropic(w, i, lo, hi)
		return
	}
	columns := w.double(0, t.B)
	clear(columns)
	for m := lo; m < hi; m++ {
		at := (group*t.M + m) * t.B
		t.rowSum[group*t.M+m] = multiplySum(t.dc[at:][:t.B], t.c[at:], columns)
	}
	partial := t.partial[(i*t.K+group)*t.D:][:t.D]
	simd.Gemm64(w.pack64, false, false, 1, t.D, t.B, 1, columns, t.B, t.square, t.D, 0, partial, t.D)
}

// multiplySum is g ∘= c; it returns the sum of g and adds g to columns.
func multiplySum(g, c, columns []float64) float64 {
	c, columns = c[:len(g)], columns[:len(g)]
	sum := 0.0
	for b, v := range g {
		v *= c[b]
		g[b] = v
		sum += v
		columns[b] += v
	}
	return sum
}

// isotropic is run for all k at once: Σ G (z−x)² comes from the distances themselves.
func (t *ardProduct) isotropic(w *worker, i, lo, hi int) {
	e := w.double(0, (hi-lo)*t.B)
	(*ardTask)(t).exponents(w, e, 0, lo, hi, t.B)
	clear(t.mixed[lo*t.B : hi*t.B])
	for k := range t.K {
		sum := 0.0
		for m := lo; m < hi; m++ {
			at := (k*t.M + m) * t.B
			g, c := t.dc[at:][:t.B], t.c[at:][:t.B]
			row, mixed := e[(m-lo)*t.B:][:t.B], t.mixed[m*t.B:][:t.B]
			for b, v := range g {
				v *= c[b]
				g[b] = v
				sum -= 2 * v * row[b]
				mixed[b] += t.weight[k] * v
			}
		}
		t.partial[i*t.K+k] = sum
	}
	for m := lo; m < hi; m++ {
		t.rowSum[m] = 0
		for _, v := range t.mixed[m*t.B:][:t.B] {
			t.rowSum[m] += v
		}
	}
}

// ardGradient is the second part: the products G X, for a block of rows and all k in
// order, because all of them add to the same rows of dz.
type ardGradient ardTask

func (t *ardGradient) run(w *worker, block int) {
	lo, hi := span(block, ardRows, t.M)
	product := w.double(0, (hi-lo)*t.D)
	if t.Isotropic {
		simd.Gemm64(w.pack64, false, false, hi-lo, t.D, t.B, 1, t.mixed[lo*t.B:], t.B, t.x, t.D, 0, product, t.D)
		t.moveRows(w, t.mixed, product, t.rowSum, nil, lo, hi)
		return
	}
	for k := range t.K {
		g, rowSum := t.dc[k*t.M*t.B:], t.rowSum[k*t.M:]
		simd.Gemm64(w.pack64, false, false, hi-lo, t.D, t.B, 1, g[lo*t.B:], t.B, t.x, t.D, 0, product, t.D)
		partial := t.partial[(block*t.K+k)*t.D:][:t.D]
		for m := lo; m < hi; m++ {
			z, row := t.z[m*t.D:][:t.D], product[(m-lo)*t.D:][:t.D]
			for j, v := range z {
				partial[j] += v * (v*rowSum[m] - 2*row[j])
			}
		}
		if t.dz != nil {
			t.moveRows(w, g, product, rowSum, t.weight[k*t.D:][:t.D], lo, hi)
		}
	}
}

// moveRows is dz += (GX − z Σ_b G) w, and the same with Gᵀ where z is x; w nil is 1.
func (t *ardGradient) moveRows(w *worker, g, product, rowSum, weight []float64, lo, hi int) {
	columns := w.double(1, hi-lo)
	clear(columns)
	if t.Same {
		simd.Gemm64(w.pack64, true, false, hi-lo, t.D, t.M, 1, g[lo:], t.B, t.x, t.D, 1, product, t.D)
		for m := range t.M {
			add(columns, g[m*t.B+lo:])
		}
	}
	for m := lo; m < hi; m++ {
		sum := rowSum[m] + columns[m-lo]
		z, dz, row := t.z[m*t.D:][:t.D], t.dz[m*t.D:][:t.D], product[(m-lo)*t.D:][:t.D]
		for j, v := range row {
			v -= sum * z[j]
			if weight != nil {
				v *= weight[j]
			}
			dz[j] += v
		}
	}
}
