package cpu

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// frequencies is the state of Frequencies and FrequenciesBackward.
type frequencies[T Float] struct {
	eta, logvar          []T // [d,R], or their gradients
	mean, logs2, tau     []T
	logl                 []T
	rho                  float64
	dmean, dlogs2, dlogl []T
	partial              []float64 // [d]: parts of dlog ρ
	d, r                 int
}

// Frequencies computes η = (τ + ρm)/ℓ and log β² = log s² + 2 log ρ/ℓ.
func (d *Device[T]) Frequencies(a device.FrequencyArgs) {
	t := &d.frequencies
	*t = frequencies[T]{partial: t.partial, eta: d.real(a.MeanOmega), logvar: d.real(a.LogVarOmega), tau: d.real(a.Tau),
		mean: d.real(a.Mean), logs2: d.real(a.LogVar), logl: d.real(a.LogLength)}
	t.d, t.r = device.CheckFrequencies("Frequencies", a)
	if d.dry() {
		return
	}
	t.rho = math.Exp(float64(d.real(a.LogRho)[0]))
	d.do(t, t.d, t.d*t.r*4)
}

func (t *frequencies[T]) run(_ *worker, row int) {
	inverse := math.Exp(-float64(t.logl[row]))
	rho, shift := T(t.rho), T(2*math.Log(t.rho*inverse))
	for i := row * t.r; i < (row+1)*t.r; i++ {
		t.eta[i] = (t.tau[i] + rho*t.mean[i]) * T(inverse)
		t.logvar[i] = t.logs2[i] + shift
	}
}

// FrequenciesBackward accumulates g.Mean, g.LogVar, g.LogRho and g.LogLength.
func (d *Device[T]) FrequenciesBackward(g, a device.FrequencyArgs) {
	t := &d.frequencies
	*t = frequencies[T]{partial: t.partial, eta: d.real(g.MeanOmega), logvar: d.real(g.LogVarOmega),
		tau: d.real(a.Tau), mean: d.real(a.Mean), logl: d.real(a.LogLength),
		dmean: d.real(g.Mean), dlogs2: d.real(g.LogVar), dlogl: d.real(g.LogLength)}
	t.d, t.r = device.CheckFrequenciesBackward(g, a)
	t.partial = grow(d.pool, &t.partial, t.d)
	if d.dry() {
		return
	}
	t.rho = math.Exp(float64(d.real(a.LogRho)[0]))
	d.do((*frequenciesBackward[T])(t), t.d, t.d*t.r*8)
	d.real(g.LogRho)[0] += T(sum(t.partial))
}

type frequenciesBackward[T Float] frequencies[T]

func (t *frequenciesBackward[T]) run(_ *worker, row int) {
	inverse := math.Exp(-float64(t.logl[row]))
	step := T(t.rho * inverse)
	along, length := 0.0, 0.0
	for i := row * t.r; i < (row+1)*t.r; i++ {
		moved := step * t.mean[i]
		t.dmean[i] += step * t.eta[i]
		t.dlogs2[i] += t.logvar[i]
		along += float64(t.eta[i]*moved) + 2*float64(t.logvar[i])
		length += float64(t.eta[i]*t.tau[i]) * inverse
	}
	t.partial[row] = along
	t.dlogl[row] -= T(along + length)
}
