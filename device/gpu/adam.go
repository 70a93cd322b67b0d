//go:build cuda && cgo

package gpu

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/cuda"
	"github.com/gpdrf/gpdrf-gpu/device"
)

// Adam updates p, m and v from g.
func (d *Device) Adam(p, g, m, v, rate *device.Tensor, step device.AdamStep) {
	n := device.CheckAdam(p, g, m, v, rate)
	size, root := d.adamSize(step)
	d.real.launch("adam", d.real.over("adam", n), 0,
		cuda.Int(n), d.ptr(p), d.ptr(g), d.ptr(m), d.ptr(v), d.ptr(rate),
		d.scalar(step.Beta1), d.scalar(1-step.Beta1), d.scalar(step.Beta2), d.scalar(1-step.Beta2),
		size, root, d.scalar(step.Eps), d.scalar(step.L2), d.scalar(step.Scale))
}

// Average moves mean towards p by w = (1 − decay)/(1 − decayᵗ). The kernel works out w, since t may
// be live.
func (d *Device) Average(mean, p *device.Tensor, decay float64, step uint32) {
	n := device.CheckAverage(mean, p, decay, step)
	d.real.launch("average", d.real.over("average", n), 0,
		cuda.Int(n), d.ptr(mean), d.ptr(p), cuda.Float64(math.Log(decay)), cuda.Float64(1-decay), d.step(step))
}
