package cpu

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/simd"
)

// mixBlock is the number of elements of one matrix in one block of Mix.
const mixBlock = 8192

// mixTask is the state of Mix and MixBackward.
type mixTask struct {
	c, a, b, da, db []float64
	weight          []float64 // [K]: ω
	partial         []float64 // [K,pieces]: parts of Σ dc∘(a−b)
	n, pieces       int
}

// Mix computes c = b + ω(a−b), so that two kernels with 1 on the diagonal have a sum with 1 there.
func (d *gp) Mix(a device.MixArgs) {
	t := &d.mix
	k, n := device.CheckMix("Mix", a)
	t.begin(d.pool, k, n, a)
	t.c = double(a.C)
	d.do(t, k*t.pieces, 3*k*n)
}

func (t *mixTask) begin(p *pool, k, n int, a device.MixArgs) {
	t.n = n
	t.pieces = blocksOf(n, mixBlock)
	t.a, t.b = double(a.A), double(a.B)
	t.weight = grow(p, &t.weight, k)
	for i, v := range double(a.Logit) {
		t.weight[i] = 1 / (1 + math.Exp(-v))
	}
}

// span returns the kernel and the elements of a block.
func (t *mixTask) span(block int) (k, lo, hi int) {
	k, lo, hi = spanOf(block, mixBlock, t.n)
	return k, k*t.n + lo, k*t.n + hi
}

func (t *mixTask) run(_ *worker, block int) {
	k, lo, hi := t.span(block)
	weight, c, a, b := t.weight[k], t.c[lo:hi], t.a[lo:hi], t.b[lo:hi]
	for i := range c {
		c[i] = b[i] + weight*(a[i]-b[i])
	}
}

// MixBackward writes g.A = ω g.C and g.B = (1−ω) g.C, and accumulates g.Logit.
func (d *gp) MixBackward(g, a device.MixArgs) {
	t := &d.mix
	k, n := device.CheckMixBackward(g, a)
	t.begin(d.pool, k, n, a)
	t.c = double(g.C)
	t.da, t.db = double(g.A), double(g.B)
	t.partial = grow(d.pool, &t.partial, k*t.pieces)
	d.do((*mixBackward)(t), k*t.pieces, 5*k*n)
	dlogit := double(g.Logit)
	for i, w := range t.weight[:len(dlogit)] {
		dlogit[i] += w * (1 - w) * sum(t.partial[i*t.pieces:][:t.pieces])
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
