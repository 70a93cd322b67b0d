package model

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// Heteroscedastic is p(y | h, h') = N(y; h, σ² exp h'): the model has a second output for each
// target, the logarithm of a row's factor of the variance.
type Heteroscedastic struct{ observationNoise }

// LogLik computes (1/S) Σ_s log N(y; h⁽ˢ⁾, σ² exp h'⁽ˢ⁾).
func (n *Heteroscedastic) LogLik(ell *device.Tensor, g, a device.LikelihoodArgs, scale float64) {
	n.add(&g, &a)
	n.dev.HeteroscedasticLogLik(ell, g, a, scale)
}

// Predictive makes components with variances of their own.
func (n *Heteroscedastic) Predictive(p *Prediction) {
	c, base := p.C/2, n.logVariances()
	means := make([]float64, p.S*p.N*c)
	p.Var = make([]float64, len(means))
	for row := range p.S * p.N {
		for i := range c {
			means[row*c+i] = p.H[row*2*c+i]
			p.Var[row*c+i] = max(device.VarFloor, math.Exp(base[i]+p.H[row*2*c+c+i]))
		}
	}
	p.H, p.C = means, c
}
