package cpu

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/simd"
)

// mixBlock is how many elements of one matrix are one block of Mix.
const mixBlock = 8192

// mixTask is the state of Mix and MixBackward.
type mixTask struct {
	c, a, b, da, db []float64
	weight          []float64 // [K]: ω
	partial         []float64 // [K,pieces]: the parts of Σ dc∘(a−b)
	n, pieces       int
}

// Mix is c = b + ω(a−b), so that two kernels with 1 on the diagonal have a sum with 1 there.
func (d *gp) Mix(c, a, b, logit *device.Tensor) {
	t := &d.mix
	k, n := device.CheckMix("Mix", c, a, b, logit)
	t.begin(d.pool, k, n, c, a, b, logit)
	d.do(t, k*t.pieces, 3*k*n)
}

func (t *mixTask) begin(p *pool, k, n int, c, a, b, logit *device.Tensor) {
	t.n, t.pieces = n, blocksOf(n, mixBlock)
	t.c, t.a, t.b = double(c), double(a), double(b)
	t.weight = grow(p, &t.weight, k)
	for i, v := range double(logit) {
		t.weight[i] = 1 / (1 + math.Exp(-v))
	}
}

// span is the kernel and the elements of a block.
func (t *mixTask) span(block int) (k, lo, hi int) {
	k = block / t.pieces
	lo, hi = span(block%t.pieces, mixBlock, t.n)
	return k, k*t.n + lo, k*t.n + hi
}

func (t *mixTask) run(_ *worker, block int) {
	k, lo, hi := t.span(block)
	weight, c, a, b := t.weight[k], t.c[lo:hi], t.a[lo:hi], t.b[lo:hi]
	for i := range c {
		c[i] = b[i] + weight*(a[i]-b[i])
	}
}

// MixBackward writes da = ω dc and db = (1−ω) dc, and accumulates dlogit.
func (d *gp) MixBackward(da, db, dlogit, dc, a, b, logit *device.Tensor) {
	t := &d.mix
	const op = "MixBackward"
	k, n := device.CheckMix(op, dc, a, b, logit)
	device.CheckMix(op, dc, da, db, dlogit)
	t.begin(d.pool, k, n, dc, a, b, logit)
	t.da, t.db, t.partial = double(da), double(db), grow(d.pool, &t.partial, k*t.pieces)
	d.do((*mixBackward)(t), k*t.pieces, 5*k*n)
	for i, g := range double(dlogit) {
		w := t.weight[i]
		double(dlogit)[i] = g + w*(1-w)*sum(t.partial[i*t.pieces:][:t.pieces])
	}
}

type mixBackward mixTask

func (t *mixBackward) run(_ *worker, block int) {
	k, lo, hi := (*mixTask)(t).span(block)
	weight, dc, a, b, da, db := t.weight[k], t.c[lo:hi], t.a[lo:hi], t.b[lo:hi], t.da[lo:hi], t.db[lo:hi]
	t.partial[block] = simd.Dot64(dc, a) - simd.Dot64(dc, b)
	for i, g := range dc {
		da[i], db[i] = weight*g, (1-weight)*g
	}
}
