package cpu

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/simd"
)

const (
	sparseBatch = 8 // rows of a batch in one block of SparseDistances
	sparseRows  = 8 // inducing points in one block of SparseBlock: a cache line of d
)

// sparseDistances is the state of SparseDistances.
type sparseDistances[T Float] struct {
	real                 []T       // d, or nil
	double               []float64 // d, or nil
	rows, starts, column []int32   // rows, starts and columns of x
	value, square        []float64
	zStarts, zRow        []int32
	zValue, zSquare      []float64
	first, width         int // the first column of d that is written; number of columns of d
	metric               device.Metric
}

// SparseDistances computes the distances d of x and z under one feature map: each number of a row of x goes to the
// inducing points that have its column.
func (d *Device[T]) SparseDistances(dst *device.Tensor, i int, x device.Sparse, rows *device.Tensor,
	z device.Sparse, metric device.Metric) {
	b, m, width := device.CheckSparseDistances(dst, i, x, rows, z)
	d.pool.reserve(0, m)
	t := &d.sparseDistances
	*t = sparseDistances[T]{
		rows: ints(rows), starts: ints(x.Start), column: ints(x.Index), value: double(x.Value),
		square:  double(x.Square),
		zStarts: ints(z.Start), zRow: ints(z.Index), zValue: double(z.Value), zSquare: double(z.Square),
		first: i * m, width: width, metric: metric,
	}
	if dst.DType() == device.Real {
		t.real = d.real(dst)
	} else {
		t.double = double(dst)
	}
	d.do(t, blocksOf(b, sparseBatch), b*m*4)
}

func (t *sparseDistances[T]) run(w *worker, block int) {
	lo, hi := span(block, sparseBatch, len(t.rows))
	dots := w.double(0, len(t.zSquare))
	for b := lo; b < hi; b++ {
		n := t.rows[b]
		t.products(dots, n)
		t.metric.Distances(dots, t.square[n], t.zSquare)
		at := b*t.width + t.first
		if t.double != nil {
			copy(t.double[at:], dots)
			continue
		}
		cast(t.real[at:][:len(dots)], dots)
	}
}

// products computes ⟨x_n, z_m⟩ for all m.
func (t *sparseDistances[T]) products(dots []float64, n int32) {
	clear(dots)
	for e := t.starts[n]; e < t.starts[n+1]; e++ {
		c, v := t.column[e], t.value[e]
		others := t.zValue[t.zStarts[c]:t.zStarts[c+1]]
		for q, m := range t.zRow[t.zStarts[c]:t.zStarts[c+1]] {
			dots[m] += float64(v * others[q]) // the product is rounded by itself, as everywhere
		}
	}
}

// sparseTask is the state of SparseBlock and SparseBlockBackward. With t = −d/2, f_i is exp(t/σ²), or 1 + t if it is
// linear.
type sparseTask struct {
	device.SparseShape
	c, d    []float64 // c is dc in SparseBlockBackward
	linear  []bool
	weight  []float64 // [K,I]: ω
	scale   []float64 // [K,I]: 1/σ²
	zeros   []float64 // [B]
	partial []float64 // [blocks,K,I,2]: parts of ⟨dc, f⟩ and ⟨dc, f t⟩
}

// SparseBlock computes c = f_0 + Σ_i ω_i (f_i − f_0), so that it is 1 if all f_i are.
func (d *gp) SparseBlock(a device.SparseBlockArgs) {
	t := &d.sparse
	t.SparseShape = device.CheckSparseBlock("SparseBlock", a)
	t.begin(d.pool, a)
	t.c = double(a.C)
	d.do(t, t.blocks(), t.work())
}

func (t *sparseTask) begin(p *pool, a device.SparseBlockArgs) {
	t.d = double(a.D)
	t.linear = a.Linear
	p.reserve(0, t.I*sparseRows*t.B)
	p.reserve(1, 2*t.B)
	t.weight, t.scale = grow(p, &t.weight, t.K*t.I), grow(p, &t.scale, t.K*t.I)
	t.zeros = grow(p, &t.zeros, t.B)
	if p.dry() {
		return
	}
	clear(t.zeros)
	for k := range t.K {
		logit := double(a.Logits)[k*t.I:][:t.I]
		top := logit[0]
		total := 0.0
		for _, v := range logit {
			top = max(top, v)
		}
		for i, v := range logit {
			e := math.Exp(v - top)
			total += e
			t.weight[k*t.I+i] = e
			t.scale[k*t.I+i] = math.Exp(-2 * double(a.LogSigma)[k*t.I+i])
		}
		for i := range t.I {
			t.weight[k*t.I+i] /= total
		}
	}
}

func (t *sparseTask) blocks() int { return blocksOf(t.M, sparseRows) }
func (t *sparseTask) work() int   { return t.K * t.I * t.M * t.B * 8 }

// negativeHalf returns t = −d/2 of inducing points lo … hi, by map, inducing point and row: contiguous in the rows, as
// c is.
func (t *sparseTask) negativeHalf(w *worker, lo, hi int) []float64 {
	n := hi - lo
	x := w.double(0, t.I*n*t.B)
	for i := range t.I {
		for b := range t.B {
			for m, v := range t.d[(b*t.I+i)*t.M+lo:][:n] {
				x[(i*n+m)*t.B+b] = -v / 2
			}
		}
	}
	return x
}

// value writes f_i of t.
func (t *sparseTask) value(f, x []float64, k, i int) {
	if !t.linear[i] {
		simd.RBF64(f, x, t.zeros[:len(x)], 0, t.scale[k*t.I+i])
		return
	}
	for b, v := range x {
		f[b] = 1 + v
	}
}

func (t *sparseTask) run(w *worker, block int) {
	lo, hi := span(block, sparseRows, t.M)
	x, n := t.negativeHalf(w, lo, hi), hi-lo
	f, first := w.double(1, 2*t.B)[:t.B], w.double(1, 2*t.B)[t.B:]
	for row := range t.K * n {
		k, m := row/n, row%n
		c := t.c[(k*t.M+lo+m)*t.B:][:t.B]
		t.value(c, x[m*t.B:][:t.B], k, 0)
		copy(first, c)
		for i := 1; i < t.I; i++ {
			t.value(f, x[(i*n+m)*t.B:][:t.B], k, i)
			weight := t.weight[k*t.I+i]
			for b, v := range f {
				c[b] += weight * (v - first[b])
			}
		}
	}
}

// SparseBlockBackward accumulates g.Logits and g.LogSigma.
func (d *gp) SparseBlockBackward(g, a device.SparseBlockArgs) {
	t := &d.sparse
	t.SparseShape = device.CheckSparseBlockBackward(g, a)
	t.begin(d.pool, a)
	t.c = double(g.C)
	t.partial = grow(d.pool, &t.partial, t.blocks()*t.K*t.I*2)
	d.do((*sparseBackward)(t), t.blocks(), t.work())
	if !d.dry() {
		t.finish(double(g.Logits), double(g.LogSigma))
	}
}

type sparseBackward sparseTask

func (s *sparseBackward) run(w *worker, block int) {
	t := (*sparseTask)(s)
	lo, hi := span(block, sparseRows, t.M)
	x, n := t.negativeHalf(w, lo, hi), hi-lo
	f := w.double(1, t.B)
	for k := range t.K {
		for i := range t.I {
			value, slope := 0.0, 0.0
			for m := range n {
				dc, own := t.c[(k*t.M+lo+m)*t.B:][:t.B], x[(i*n+m)*t.B:][:t.B]
				t.value(f, own, k, i)
				value += simd.Dot64(dc, f)
				simd.Mul64(f, f, own)
				slope += simd.Dot64(dc, f)
			}
			at := ((block*t.K+k)*t.I + i) * 2
			t.partial[at], t.partial[at+1] = value, slope
		}
	}
}

// finish adds up the blocks, in order, and applies the derivatives of softmax and σ to the sums.
func (t *sparseTask) finish(dlogits, dlogsigma []float64) {
	total := t.partial[:t.K*t.I*2]
	for block := 1; block < t.blocks(); block++ {
		simd.Axpy64(1, t.partial[block*len(total):][:len(total)], total)
	}
	for at := range t.K * t.I {
		k := at / t.I
		pull := 0.0
		for j := k * t.I; j < (k+1)*t.I; j++ {
			pull += t.weight[j] * (total[2*at] - total[2*j])
		}
		dlogits[at] += t.weight[at] * pull
		if !t.linear[at%t.I] {
			dlogsigma[at] -= 2 * t.weight[at] * t.scale[at] * total[2*at+1]
		}
	}
}
