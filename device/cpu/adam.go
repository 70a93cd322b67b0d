package cpu

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/simd"
)

// adamBlock is the number of parameters in one block of Adam.
const adamBlock = 1 << 13

// adamTask is the state of Adam.
type adamTask[T Float] struct {
	math             *kernels[T]
	p, g, m, v, rate []T
	coeffs           simd.AdamCoeffs
}

// Adam updates p, m and v from g.
func (d *Device[T]) Adam(p, g, m, v, rate *device.Tensor, step device.AdamStep) {
	n := device.CheckAdam(p, g, m, v, rate)
	t := &d.adam
	*t = adamTask[T]{math: d.math, p: d.real(p), g: d.real(g), m: d.real(m), v: d.real(v),
		rate: d.real(rate), coeffs: simd.AdamCoeffs{
			Beta1: step.Beta1, Beta2: step.Beta2, Eps: step.Eps, L2: step.L2, Scale: step.Scale,
			StepSize:  step.LR.Value / (1 - math.Pow(step.Beta1, float64(step.Step.N))),
			RootScale: 1 / math.Sqrt(1-math.Pow(step.Beta2, float64(step.Step.N))),
		}}
	d.do(t, blocksOf(n, adamBlock), n*2)
}

func (t *adamTask[T]) run(_ *worker, block int) {
	lo, hi := span(block, adamBlock, len(t.p))
	t.math.adam(t.p[lo:hi], t.g[lo:hi], t.m[lo:hi], t.v[lo:hi], t.rate[lo:hi], t.coeffs)
}
