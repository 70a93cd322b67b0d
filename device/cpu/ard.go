package cpu

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/simd"
)

// ardRows is the number of inducing points in one block of ARD.
const ardRows = 48

// ardTask is the state of ARD and ARDBackward. Distances come from a product of matrices, in double: −½Σ(z−x)²w = Σ z w
// x − ½Σ z²w − ½Σ x²w with w = 1/ℓ². All kernels multiply by the same Xᵀ, or the same X in ARDBackward, which is packed
// once. The isotropic case uses w = 1, and then multiplies by 1/ℓ_k² for each k.
type ardTask struct {
	device.ARDShape
	form           device.Correlation
	c, slope, z, x []float64
	weight         []float64 // [K,D] or [K,1]: 1/ℓ²
	square         []float64 // [B,D]: x², and then [M,D]: z²
	half           []float64 // [K,B], or [1,B] if isotropic: ½Σ x²w
	across         simd.Panels64

	ardGradient
}

// ARD computes the correlations c of z and x, kernel_ard without its α or a Matérn kernel, and their slopes.
func (d *gp) ARD(a device.ARDArgs) {
	t := &d.ard
	t.ARDShape = device.CheckARD(a)
	t.form = a.Form
	t.begin(d.pool, a)
	t.c = double(a.C)
	t.packAcross(d.pool)
	d.do(t, t.groups()*t.blocks(), t.K*t.M*t.B*(t.D+8))
}

// begin fills the arrays that all blocks share.
func (t *ardTask) begin(p *pool, a device.ARDArgs) {
	p.reserve(0, ardRows*max(t.B, simd.PanelColumns64))
	p.reserve(1, ardRows*max(t.D, simd.PanelColumns64))
	t.z, t.x, t.slope = double(a.Z), double(a.X), double(a.Slope)
	t.weight = grow(p, &t.weight, a.LogLength.Len())
	t.square = grow(p, &t.square, max(t.M, t.B)*t.D)
	t.half = grow(p, &t.half, t.groups()*t.B)
	if p.dry() {
		return
	}
	for i, v := range double(a.LogLength) {
		t.weight[i] = math.Exp(-2 * v)
	}
	t.square = t.square[:t.B*t.D]
	simd.Mul64(t.square, t.x, t.x)
	if t.Isotropic {
		for b := range t.B {
			t.half[b] = sum(t.square[b*t.D:][:t.D]) / 2
		}
		return
	}
	simd.Gemm64(p.workers[0].doubles.pack, false, true, t.K, t.B, t.D, 0.5, t.weight, t.D, t.square, t.D, 0, t.half,
		t.B)
}

func (t *ardTask) packAcross(p *pool) {
	if reserve(p, &t.across, t.D, t.B); !p.dry() {
		t.across.Pack(true, t.D, t.B, t.x, t.D)
	}
}

// groups returns the number of sets of distances to compute: one for all k if isotropic.
func (t *ardTask) groups() int {
	if t.Isotropic {
		return 1
	}
	return t.K
}

func (t *ardTask) blocks() int { return blocksOf(t.M, ardRows) }

// run computes a block of rows of c for one k, or for all k if isotropic. In Kuu it computes elements up to the
// diagonal, and copies them to the other side.
func (t *ardTask) run(w *worker, block int) {
	k, lo, hi := spanOf(block, ardRows, t.M)
	r := ardBlock{lo: lo, hi: hi, n: t.B}
	if t.Same {
		r.n = hi
	}
	r.e, r.lde = w.double(0, (hi-lo)*r.n), r.n
	if t.Isotropic {
		t.products(w, &r, 0)
		for k := range t.K {
			t.fill(&r, k, t.weight[k])
		}
		return
	}
	if t.form == device.RBF { // it works in place, but Matérn kernels may need a product again
		r.e, r.lde = t.c[(k*t.M+lo)*t.B:], t.B
	}
	t.products(w, &r, k)
	t.fill(&r, k, 1)
}

// ardBlock is a block of products e = Σ z w x: rows lo … hi and the first n columns. zw are its rows of z∘w.
type ardBlock struct {
	lo, hi, n int
	e         []float64
	lde       int
	zw        []float64
}

// products fills a block for one set of length-scales.
func (t *ardTask) products(w *worker, r *ardBlock, group int) {
	r.zw = t.z[r.lo*t.D:]
	if !t.Isotropic {
		r.zw = w.double(1, (r.hi-r.lo)*t.D)
		for i := range r.hi - r.lo {
			simd.Mul64(r.zw[i*t.D:][:t.D], t.z[(r.lo+i)*t.D:][:t.D], t.weight[group*t.D:][:t.D])
		}
	}
	simd.GemmPanels64(w.doubles.pack, false, r.hi-r.lo, r.n, 1, r.zw, t.D, &t.across, 0, 0, r.e, r.lde)
}

// fill writes the rows of a block of c_k and its slope from their products, which may be the memory of c_k for RBF.
func (t *ardTask) fill(r *ardBlock, k int, scale float64) {
	c := t.c[k*t.M*t.B:]
	half := t.halfOf(k)
	for i := r.lo; i < r.hi; i++ {
		from, to := r.e[(i-r.lo)*r.lde:][:r.n], c[i*t.B:][:r.n]
		if t.Same { // up to the diagonal
			from, to = from[:i], to[:i]
		}
		own := t.ownHalf(r.zw[(i-r.lo)*t.D:], i)
		if t.form == device.RBF {
			simd.RBF64(to, from, half[:len(to)], own, scale)
		} else {
			t.matern(from, own, scale, k, i)
		}
	}
	if !t.Same {
		return
	}
	mirror(c, t.B, r.lo, r.hi)
	for i := r.lo; i < r.hi; i++ {
		c[i*t.B+i] = 1
	}
	if t.form == device.RBF {
		return
	}
	slope := t.slope[k*t.M*t.B:]
	mirror(slope, t.B, r.lo, r.hi)
	for i := r.lo; i < r.hi; i++ {
		slope[i*t.B+i] = 0 // here it multiplies differences of 0
	}
}

// matern writes row i of c_k and its slope. For rows that are near each other it uses their differences.
func (t *ardTask) matern(products []float64, own, scale float64, k, i int) {
	at := (k*t.M + i) * t.B
	n := len(products)
	c, slope, half := t.c[at:][:n], t.slope[at:][:n], t.halfOf(k)[:n]
	if !simd.Matern64(c, slope, products, half, own, scale, t.form.TwiceNu(), device.NearRows) {
		return
	}
	for b, v := range products {
		norm := own + half[b] // ½(‖z‖² + ‖x‖²), before scale
		if v-norm+device.NearRows*norm < 0 {
			continue
		}
		r2 := 0.0
		for d := range t.D {
			u := t.z[i*t.D+d] - t.x[b*t.D+d]
			if !t.Isotropic {
				u *= u * t.weight[k*t.D+d]
			} else {
				u *= u
			}
			r2 += u
		}
		c[b], slope[b] = t.form.At(scale*r2, 2*scale*norm)
	}
}

func (t *ardTask) halfOf(k int) []float64 {
	if t.Isotropic {
		return t.half
	}
	return t.half[k*t.B:][:t.B]
}

// ownHalf returns ½Σ z²w for row i.
func (t *ardTask) ownHalf(zw []float64, i int) float64 {
	return simd.Dot64(zw[:t.D], t.z[i*t.D:][:t.D]) / 2
}

// ARDBackward overwrites g.C with G = g.C∘Slope and accumulates g.LogLength and g.Z. If X is Z, G is symmetric, and one
// product G X serves both sides.
func (d *gp) ARDBackward(g, a device.ARDArgs) {
	t := &d.ard
	t.ARDShape = device.CheckARDBackward(g, a)
	t.begin(d.pool, a)
	t.dc, t.dz, t.dlogl = double(g.C), double(g.Z), double(g.LogLength)
	t.beginGradient(d.pool)
	if t.Isotropic {
		t.packAcross(d.pool)
	}
	d.do((*ardProduct)(t), t.groups()*t.blocks(), t.K*t.M*t.B*2)
	if !t.Isotropic || g.Z != nil {
		if reserve(d.pool, &t.along, t.B, t.D); !d.dry() {
			t.along.Pack(false, t.B, t.D, t.x, t.D)
		}
		d.do((*ardMove)(t), t.blocks()*t.chunks(), t.groups()*t.M*t.B*t.D)
	}
	t.finish(d.pool)
}
