package model

import (
	"github.com/gpdrf/gpdrf-gpu/device"
)

// observationNoise is log σ² of a likelihood of numbers, one for each target.
type observationNoise struct {
	dev             device.Device
	logVar, dlogVar *device.Tensor // log σ² [C]
}

// variances returns σ² [C], read from the device.
func (n *observationNoise) variances() []float64 { return exponentials(n.dev, n.logVar) }

// logVariances returns log σ² [C].
func (n *observationNoise) logVariances() []float64 { return numbers(n.dev, n.logVar) }

// add puts log σ² to the arguments of an operation, and to their gradients.
func (n *observationNoise) add(g, a *device.LikelihoodArgs) { g.LogVar, a.LogVar = n.dlogVar, n.logVar }

// Gaussian is p(y | h) = N(y; h, σ²) with a learned σ² for each target (our_lik).
type Gaussian struct{ observationNoise }

// LogLik computes (1/S) Σ_s log N(y; h⁽ˢ⁾, σ²).
func (n *Gaussian) LogLik(ell *device.Tensor, g, a device.LikelihoodArgs, scale float64) {
	n.add(&g, &a)
	n.dev.GaussianLogLik(ell, g, a, scale)
}

// Expected computes log N(y; a, σ²) − b/2σ².
func (n *Gaussian) Expected(ell *device.Tensor, g, a device.LikelihoodArgs, scale float64) {
	n.add(&g, &a)
	n.dev.GaussianExpected(ell, g, a, scale)
}

// Density computes log N(y; a, σ² + b), with a share of Expected.
func (n *Gaussian) Density(ell *device.Tensor, g, a device.LikelihoodArgs, scale float64) {
	n.add(&g, &a)
	n.dev.GaussianPredictive(ell, g, a, scale)
}

// Predictive adds σ² to the variance of each component.
func (n *Gaussian) Predictive(p *Prediction) {
	p.Noise = n.variances()
	if p.Var == nil {
		p.Var = make([]float64, p.N*p.C)
	}
	for i := range p.Var {
		p.Var[i] += p.Noise[i%p.C]
	}
}
