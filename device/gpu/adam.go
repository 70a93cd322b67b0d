//go:build cuda && cgo

package gpu

import (
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
