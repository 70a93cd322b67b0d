//go:build cuda && cgo

package gpu

import (
	"github.com/gpdrf/gpdrf-gpu/cuda"
	"github.com/gpdrf/gpdrf-gpu/device"
)

// SampleF computes reparam_F: f = mean + √var ε, with ε drawn at the working precision.
func (d *Device) SampleF(f, mean, variance, rows *device.Tensor, keyOf device.Key) {
	s, b, j := device.CheckSampleF("SampleF", f, mean, variance, rows)
	groups := blocksOf(j, 4)
	n := s * b * groups
	k0, k1, step, site, strata := d.key(keyOf)
	d.real.launch("sample_f", d.real.over("sample_f", n), 0, cuda.Int(n), cuda.Int(b), cuda.Int(j), cuda.Int(groups),
		k0, k1, step, site, strata, d.ptr(f), d.ptr(mean), d.ptr(variance), d.ptr(rows))
}

// SampleFBackward writes dmean = Σ_s df and dvariance = Σ_s df ε/(2√var); ε is drawn again.
func (d *Device) SampleFBackward(dmean, dvariance, df, variance, rows *device.Tensor, keyOf device.Key) {
	s, b, j := device.CheckSampleF("SampleFBackward", df, dmean, dvariance, rows)
	device.CheckSampleF("SampleFBackward", df, dmean, variance, rows)
	groups := blocksOf(j, 4)
	n := b * groups
	k0, k1, step, site, strata := d.key(keyOf)
	d.real.launch("sample_f_backward", d.real.over("sample_f_backward", n), 0, cuda.Int(n), cuda.Int(s), cuda.Int(b),
		cuda.Int(j), cuda.Int(groups), k0, k1, step, site, strata, d.ptr(dmean), d.ptr(dvariance), d.ptr(df),
		d.ptr(variance), d.ptr(rows))
}
