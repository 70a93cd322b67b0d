package model

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// Gaussian is p(y | h) = N(y; h, σ²) with one learned σ² (our_lik).
type Gaussian struct {
	dev             device.Device
	logVar, dlogVar *device.Tensor // log σ² [1]
}

// LogLik is (1/S) Σ_s log N(y; h⁽ˢ⁾, σ²).
func (g *Gaussian) LogLik(ell, dh, h *device.Tensor, y *Targets, scale device.LikScale) {
	g.dev.GaussianLogLik(ell, dh, g.dlogVar, h, y.Numbers, g.logVar, scale)
}

// Expected is log N(y; a, σ²) − b/2σ².
func (g *Gaussian) Expected(ell, dmean, dvariance, mean, variance *device.Tensor, y *Targets, scale device.LikScale) {
	g.dev.GaussianExpected(ell, dmean, dvariance, g.dlogVar, mean, variance, y.Numbers, g.logVar, scale)
}

// variance is σ², read from the device.
func (g *Gaussian) variance() float64 {
	v := make([]float64, 1)
	g.dev.Download(v, g.logVar)
	return math.Exp(v[0])
}
