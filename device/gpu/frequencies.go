//go:build cuda && cgo

package gpu

import (
	"github.com/gpdrf/gpdrf-gpu/cuda"
	"github.com/gpdrf/gpdrf-gpu/device"
)

// Frequencies computes η = (τ + ρm)/ℓ and log β² = log s² + 2 log ρ/ℓ.
func (d *Device) Frequencies(a device.FrequencyArgs) {
	rows, r := device.CheckFrequencies("Frequencies", a)
	n := rows * r
	d.real.launch("frequencies", d.real.over("frequencies", n), 0, cuda.Int(n), cuda.Int(r), d.ptr(a.MeanOmega),
		d.ptr(a.LogVarOmega), d.ptr(a.Tau), d.ptr(a.Mean), d.ptr(a.LogVar), d.ptr(a.LogRho), d.ptr(a.LogLength))
}

// FrequenciesBackward accumulates g.Mean, g.LogVar, g.LogRho and g.LogLength.
func (d *Device) FrequenciesBackward(g, a device.FrequencyArgs) {
	rows, r := device.CheckFrequenciesBackward(g, a)
	partial := d.growDoubles(&d.state.frequencies, rows)
	d.real.launch("frequencies_backward", cuda.Grid{X: rows, Y: 1, Z: 1}, 0, cuda.Int(r), d.ptr(g.Mean),
		d.ptr(g.LogVar), d.ptr(g.LogLength), partial, d.ptr(g.MeanOmega), d.ptr(g.LogVarOmega), d.ptr(a.Tau),
		d.ptr(a.Mean), d.ptr(a.LogRho), d.ptr(a.LogLength))
	d.real.fold(d.ptr(g.LogRho), partial, rows, true, 1)
}
