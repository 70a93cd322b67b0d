package model

import (
	"math"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// logRates are a constant of the log rate of each target, which learns with the rest and has no prior.
// The latent functions have mean zero, and counts need not be about 1.
type logRates struct {
	dev               device.Device
	logRate, dLogRate *device.Tensor // [C]
}

// add puts the constants to the arguments of an operation, and to their gradients.
func (l *logRates) add(g, a *device.LikelihoodArgs) { g.LogRate, a.LogRate = l.dLogRate, l.logRate }

// predict adds the constants to the log rates of a prediction, all of whose components are counts.
func (l *logRates) predict(p *Prediction, dispersion float64) {
	p.add(numbers(l.dev, l.logRate))
	p.Dispersion = slices.Repeat([]float64{dispersion}, p.S)
}

// Poisson is p(y | h) = exp(y f − exp f)/y! of a count y, with the log rate f = h + b + offset; b is its
// parameter.
type Poisson struct{ logRates }

// LogLik computes (1/S) Σ_s log p(y | h⁽ˢ⁾).
func (n *Poisson) LogLik(ell *device.Tensor, g, a device.LikelihoodArgs, scale float64) {
	n.add(&g, &a)
	n.dev.PoissonLogLik(ell, g, a, scale)
}

// Expected computes y f − exp(f + v/2) − log y! of f ~ N(f, v).
func (n *Poisson) Expected(ell *device.Tensor, g, a device.LikelihoodArgs, scale float64) {
	n.add(&g, &a)
	n.dev.PoissonExpected(ell, g, a, scale)
}

// Predictive makes Poisson components of log rates; a normal of log rates becomes several, at the
// nodes of Gauss–Hermite.
func (n *Poisson) Predictive(p *Prediction) {
	if p.Var != nil {
		p.hermite()
	}
	n.predict(p, 0)
}

// NegativeBinomial is a count with the log rate of Poisson, and variance λ + δλ² around its mean λ. δ and b
// are its parameters.
type NegativeBinomial struct {
	logRates
	tail, dtail *device.Tensor // [1]: δ = DispersionFloor + exp tail
}

// LogLik computes (1/S) Σ_s log p(y | h⁽ˢ⁾).
func (n *NegativeBinomial) LogLik(ell *device.Tensor, g, a device.LikelihoodArgs, scale float64) {
	n.add(&g, &a)
	g.Tail, a.Tail = n.dtail, n.tail
	n.dev.NegativeBinomialLogLik(ell, g, a, scale)
}

// Predictive makes components of log rates, with their dispersion.
func (n *NegativeBinomial) Predictive(p *Prediction) { n.predict(p, n.dispersion()) }

// dispersion returns δ, read from the device.
func (n *NegativeBinomial) dispersion() float64 {
	return device.DispersionFloor + exponentials(n.dev, n.tail)[0]
}

// countBlocks reserves the parameters of a likelihood of counts.
func countBlocks(p *Params, c *Config) (bind func(device.Device) Likelihood) {
	at := p.add(Kernel, "likelihood.log_rate", shape(c.Outputs),
		func(dst []float64, v *Init, _ func([]float64)) { copy(dst, v.LogRate) })
	var tail *block
	if c.Likelihood == NegativeBinomialLikelihood {
		tail = p.add(Kernel, "likelihood.log_dispersion", shape(1), constant(math.Log(initDispersion)))
	}
	return func(dev device.Device) Likelihood {
		l := logRates{dev: dev}
		l.logRate, l.dLogRate = p.real(at)
		if tail == nil {
			return &Poisson{l}
		}
		n := &NegativeBinomial{logRates: l}
		n.tail, n.dtail = p.real(tail)
		return n
	}
}

// LogRates returns the initial constants of log rates: the logarithm of the mean of each target of counts
// y [N,C], per unit of exposure where rows have offsets [N]. Half a count is added, so that zeros alone have one.
func LogRates(y, offset []float64, targets int) []float64 {
	n := len(y) / targets
	sums, most, exposure := make([]float64, targets), 0.0, float64(n)
	if offset != nil { // exp may overflow, but not in shares of the largest
		most, exposure = slices.Max(offset), 0
		for _, o := range offset {
			exposure += math.Exp(o - most)
		}
	}
	for i, v := range y {
		sums[i%targets] += v
	}
	for c, v := range sums {
		sums[c] = math.Log(v+0.5) - math.Log(exposure) - most
	}
	return sums
}
