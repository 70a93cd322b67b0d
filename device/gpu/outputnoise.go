//go:build cuda && cgo

package gpu

import (
	"github.com/gpdrf/gpdrf-gpu/cuda"
	"github.com/gpdrf/gpdrf-gpu/device"
)

// AddNoise adds √variance ε to out.
func (d *Device) AddNoise(out, variance, rows *device.Tensor, keyOf device.Key) {
	s, b, c := device.CheckAddNoise("AddNoise", out, variance, rows)
	groups := blocksOf(c, 4)
	n := s * b * groups
	k0, k1, step, site, strata := d.key(keyOf)
	d.real.launch("output_noise", d.real.over("output_noise", n), 0, cuda.Int(n), cuda.Int(b), cuda.Int(c),
		cuda.Int(groups), k0, k1, step, site, strata, d.ptr(out), d.ptr(variance), d.ptr(rows))
}

// AddNoiseBackward computes dvariance = dout ε/(2√variance); ε is drawn again.
func (d *Device) AddNoiseBackward(dvariance, dout, variance, rows *device.Tensor, keyOf device.Key) {
	s, b, c := device.CheckAddNoise("AddNoiseBackward", dout, variance, rows)
	device.CheckAddNoise("AddNoiseBackward", dvariance, variance, rows)
	groups := blocksOf(c, 4)
	n := s * b * groups
	k0, k1, step, site, strata := d.key(keyOf)
	d.real.launch("output_noise_backward", d.real.over("output_noise_backward", n), 0, cuda.Int(n), cuda.Int(b),
		cuda.Int(c), cuda.Int(groups), k0, k1, step, site, strata, d.ptr(dvariance), d.ptr(dout), d.ptr(variance),
		d.ptr(rows))
}
