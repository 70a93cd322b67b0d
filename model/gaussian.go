package model

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// noise is log σ² of a likelihood of numbers, one for each target.
type noise struct {
	dev             device.Device
	logVar, dlogVar *device.Tensor // log σ² [C]
}

// variances are σ² [C], read from the device.
func (n *noise) variances() []float64 {
	v := n.logVariances()
	for c := range v {
		v[c] = math.Exp(v[c])
	}
	return v
}

// logVariances are log σ² [C].
func (n *noise) logVariances() []float64 {
	v := make([]float64, n.logVar.Len())
	n.dev.Download(v, n.logVar)
	return v
}

// Gaussian is p(y | h) = N(y; h, σ²) with a learned σ² for each target (our_lik).
type Gaussian struct{ noise }

// LogLik is (1/S) Σ_s log N(y; h⁽ˢ⁾, σ²).
func (g *Gaussian) LogLik(ell, dh, h *device.Tensor, y *Targets, scale float64) {
	g.dev.GaussianLogLik(ell, dh, g.dlogVar, h, y.Numbers, g.logVar, scale)
}

// Expected is log N(y; a, σ²) − b/2σ².
func (g *Gaussian) Expected(ell, dmean, dvariance, mean, variance *device.Tensor, y *Targets, scale float64) {
	g.dev.GaussianExpected(ell, dmean, dvariance, g.dlogVar, mean, variance, y.Numbers, g.logVar, scale)
}

// Predictive adds σ² to the variance of each component.
func (g *Gaussian) Predictive(p *Prediction) {
	p.Noise = g.variances()
	if p.Var == nil {
		p.Var = make([]float64, p.N*p.C)
	}
	for i := range p.Var {
		p.Var[i] += p.Noise[i%p.C]
	}
}
