package model

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// Likelihood is our_lik, p(y | h, θ_l).
type Likelihood interface {
	// LogLik is ell_n_estim summed over a batch, with its gradients, for arguments and gradients
	// without the likelihood's own parameters. It overwrites H.
	LogLik(ell *device.Tensor, g, a device.LikelihoodArgs, scale float64)
	// Predictive turns the outputs in p.H into the components of the predictive mixture.
	Predictive(p *Prediction)
}

// closedForm is a Likelihood whose expectation over a Gaussian F needs no samples.
type closedForm interface {
	// Expected is E_q log p(y | F) (ell_n) summed over a batch, with its gradients.
	Expected(ell *device.Tensor, g, a device.LikelihoodArgs, scale float64)
}

// HasPredictive reports whether there is a predictive objective: the likelihood takes moments of the outputs,
// and no draws.
func (c *Config) HasPredictive() bool {
	return c.Likelihood == GaussianLikelihood && (c.Model == GP || c.integrates())
}

// Targets are a batch's y: numbers [B,C] or class labels [B]. With them are the weights of its rows and the
// offsets of their log rates, [B,1] each, or nil.
type Targets struct {
	Numbers, Labels *device.Tensor
	Weight, Offset  *device.Tensor
}

// tensor returns the tensor of the targets: numbers or labels.
func (t *Targets) tensor() *device.Tensor {
	if t.Labels != nil {
		return t.Labels
	}
	return t.Numbers
}

// likelihoodBlocks reserves the parameters of the chosen likelihood.
func likelihoodBlocks(p *Params, c *Config) (bind func(device.Device) Likelihood) {
	switch {
	case c.Likelihood == OrdinalLikelihood:
		return ordinalBlocks(p, c)
	case Counts(c.Likelihood):
		return countBlocks(p, c)
	case c.classifies():
		offsets := offsetBlocks(p, c)
		if c.Likelihood == BernoulliLikelihood {
			return func(dev device.Device) Likelihood { return &Bernoulli{offsets(dev)} }
		}
		return func(dev device.Device) Likelihood { return &Softmax{offsets(dev)} }
	}
	at := p.add(Kernel, "likelihood.log_variance", shape(c.targets()),
		func(dst []float64, v *Init, _ func([]float64)) { fill(dst, math.Log(v.NoiseVariance)) })
	var tail *block
	if c.Likelihood == StudentLikelihood {
		tail = p.add(Tail, "likelihood.log_tail", shape(1),
			func(dst []float64, v *Init, _ func([]float64)) { fill(dst, tailOf(v.DoF)) })
	}
	return func(dev device.Device) Likelihood {
		n := observationNoise{dev: dev}
		n.logVar, n.dlogVar = p.real(at)
		switch c.Likelihood {
		case StudentLikelihood:
			s := &Student{observationNoise: n}
			s.tail, s.dtail = p.real(tail)
			return s
		case HeteroscedasticLikelihood:
			return &Heteroscedastic{n}
		}
		return &Gaussian{n}
	}
}
