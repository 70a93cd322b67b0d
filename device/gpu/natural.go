//go:build cuda && cgo

package gpu

import (
	"github.com/gpdrf/gpdrf-gpu/cuda"
	"github.com/gpdrf/gpdrf-gpu/device"
)

// naturalState is the state of NaturalStep between its kernels.
type naturalState struct {
	sigma, b, lower *device.Tensor // [J,M,M]
	u               *device.Tensor // [J,M]
	rung, done      *device.Tensor // [J]
}

// NaturalStep moves q(F̄) by size along its natural gradient.
func (d *Device) NaturalStep(m, s, dm, ds *device.Tensor, size device.Scalar) {
	n := device.CheckNaturalStep(m, s, dm, ds, size.Value)
	step := d.live(size)
	rungs := &device.NaturalLadder
	if n.Diagonal {
		d.double.launch("natural_diagonal", d.double.over("natural_diagonal", n.J*n.M), 0, cuda.Int(n.J*n.M), step,
			cuda.Float64(rungs[1]), cuda.Float64(rungs[2]), cuda.Float64(rungs[3]), cuda.Float64(rungs[4]), d.ptr(m),
			d.ptr(s), d.ptr(dm), d.ptr(ds))
		return
	}
	t := &d.state.natural
	if t.sigma == nil || !t.sigma.Is(device.Double, n.J, n.M, n.M) {
		square := func() *device.Tensor { return d.New(device.Double, n.J, n.M, n.M) }
		*t = naturalState{square(), square(), square(), d.New(device.Double, n.J, n.M), d.New(device.Double, n.J),
			d.New(device.Double, n.J)}
	}
	square := n.M * n.M
	batch := func(at *device.Tensor) matrix { return matrix{at: d.ptr(at), ld: n.M, step: square, lower: true} }
	product := product{m: n.M, n: n.M, k: n.M, batch: n.J, alpha: 1, part: lower}

	g := product // g takes the memory of L, from which it is made.
	g.a, g.b, g.c = batch(s).transpose(), batch(ds), batch(t.lower)
	d.gemm(g)
	d.double.launch("natural_begin", d.double.over("natural_begin", n.J*square), 0,
		cuda.Int(n.J*square), cuda.Int(n.M), step, d.ptr(t.sigma), d.ptr(t.b), d.ptr(s), d.ptr(t.lower))
	d.factorise(t.lower, t.rung, t.b, n.J, n.M, rungs)
	d.double.launch("natural_shift", d.double.over("natural_shift", n.J*n.M), 0,
		cuda.Int(n.J*n.M), cuda.Int(n.M), step, d.ptr(t.b), d.ptr(t.rung))
	d.factorise(t.lower, t.done, t.b, n.J, n.M, rungs)
	solve := product // B has been factored, so its memory is free
	solve.a, solve.b, solve.c = d.invert(t.lower, n.J, n.M), batch(t.sigma), batch(t.b)
	d.gemm(solve)

	rows := cuda.Grid{X: blocksOf(n.M, 8), Y: n.J, Z: 1}
	d.double.launch("natural_project", rows, 0, cuda.Int(n.M), d.ptr(t.u), d.ptr(t.b), d.ptr(dm))
	d.double.launch("natural_update", rows, 0, cuda.Int(n.M), step, d.ptr(m), d.ptr(s), d.ptr(t.b), d.ptr(t.u),
		d.ptr(t.rung), d.ptr(t.done))
}
