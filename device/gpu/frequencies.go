//go:build cuda && cgo

package gpu

import (
	"github.com/gpdrf/gpdrf-gpu/cuda"
	"github.com/gpdrf/gpdrf-gpu/device"
)

// Frequencies is η = (τ + ρm)/ℓ and log β² = log s² + 2 log ρ/ℓ.
func (d *Device) Frequencies(eta, logvar, tau, mean, logs2, logrho, logl *device.Tensor) {
	rows, r := device.CheckFrequencies("Frequencies", eta, logvar, tau, mean, logs2, logrho, logl)
	n := rows * r
	d.real.launch("frequencies", d.real.over("frequencies", n), 0, cuda.Int(n), cuda.Int(r),
		d.ptr(eta), d.ptr(logvar), d.ptr(tau), d.ptr(mean), d.ptr(logs2), d.ptr(logrho), d.ptr(logl))
}

// FrequenciesBackward accumulates the gradients of mean, logs2, logrho and logl.
func (d *Device) FrequenciesBackward(dmean, dlogs2, dlogrho, dlogl, deta, dlogvar, tau, mean, logrho, logl *device.Tensor) {
	rows, r := device.CheckFrequencies("FrequenciesBackward", deta, dlogvar, tau, mean, dlogs2, logrho, logl)
	partial := d.growDoubles(&d.state.frequencies, rows)
	d.real.launch("frequencies_backward", cuda.Grid{X: rows, Y: 1, Z: 1}, 0, cuda.Int(r),
		d.ptr(dmean), d.ptr(dlogs2), d.ptr(dlogl), partial, d.ptr(deta), d.ptr(dlogvar), d.ptr(tau), d.ptr(mean), d.ptr(logrho), d.ptr(logl))
	d.real.fold(d.ptr(dlogrho), partial, rows, true, 1)
}
