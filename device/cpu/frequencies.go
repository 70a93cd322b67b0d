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
	partial              []float64 // [d]: of dlog ρ
	d, r                 int
}

// Frequencies is η = (τ + ρm)/ℓ and log β² = log s² + 2 log ρ/ℓ.
func (d *Device[T]) Frequencies(eta, logvar, tau, mean, logs2, logrho, logl *device.Tensor) {
	t := &d.frequencies
	*t = frequencies[T]{partial: t.partial, eta: d.real(eta), logvar: d.real(logvar), tau: d.real(tau),
		mean: d.real(mean), logs2: d.real(logs2), logl: d.real(logl)}
	t.d, t.r = device.CheckFrequencies("Frequencies", eta, logvar, tau, mean, logs2, logrho, logl)
	if d.dry() {
		return
	}
	t.rho = math.Exp(float64(d.real(logrho)[0]))
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

// FrequenciesBackward accumulates the gradients of mean, logs2, logrho and logl.
func (d *Device[T]) FrequenciesBackward(dmean, dlogs2, dlogrho, dlogl, deta, dlogvar, tau, mean,
	logrho, logl *device.Tensor) {
	t := &d.frequencies
	*t = frequencies[T]{partial: t.partial, eta: d.real(deta), logvar: d.real(dlogvar),
		tau: d.real(tau), mean: d.real(mean), logl: d.real(logl),
		dmean: d.real(dmean), dlogs2: d.real(dlogs2), dlogl: d.real(dlogl)}
	t.d, t.r = device.CheckFrequencies("FrequenciesBackward", deta, dlogvar, tau, mean, dlogs2, logrho, logl)
	t.partial = grow(d.pool, &t.partial, t.d)
	if d.dry() {
		return
	}
	t.rho = math.Exp(float64(d.real(logrho)[0]))
	d.do((*frequenciesBackward[T])(t), t.d, t.d*t.r*8)
	d.real(dlogrho)[0] += T(sum(t.partial))
}

type frequenciesBackward[T Float] frequencies[T]

func (t *frequenciesBackward[T]) run(_ *worker, row int) {
	inverse := math.Exp(-float64(t.logl[row]))
	step, along, length := T(t.rho*inverse), 0.0, 0.0
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
