package model

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// noise is log σ² of a likelihood of numbers.
type noise struct {
	dev             device.Device
	logVar, dlogVar *device.Tensor // log σ² [1]
}

// variance is σ², read from the device.
func (n *noise) variance() float64 { return math.Exp(number(n.dev, n.logVar)) }

// number reads a tensor of one element.
func number(dev device.Device, t *device.Tensor) float64 {
	v := make([]float64, 1)
	dev.Download(v, t)
	return v[0]
}

// Gaussian is p(y | h) = N(y; h, σ²) with one learned σ² (our_lik).
type Gaussian struct{ noise }

// LogLik is (1/S) Σ_s log N(y; h⁽ˢ⁾, σ²).
func (g *Gaussian) LogLik(ell, dh, h *device.Tensor, y *Targets, scale device.LikScale) {
	g.dev.GaussianLogLik(ell, dh, g.dlogVar, h, y.Numbers, g.logVar, scale)
}

// Expected is log N(y; a, σ²) − b/2σ².
func (g *Gaussian) Expected(ell, dmean, dvariance, mean, variance *device.Tensor, y *Targets, scale device.LikScale) {
	g.dev.GaussianExpected(ell, dmean, dvariance, g.dlogVar, mean, variance, y.Numbers, g.logVar, scale)
}

// Predictive adds σ² to the variance of each component.
func (g *Gaussian) Predictive(p *Prediction) {
	p.Noise = g.variance()
	if p.Var == nil {
		p.Var = make([]float64, p.N*p.C)
	}
	for i := range p.Var {
		p.Var[i] += p.Noise
	}
}
