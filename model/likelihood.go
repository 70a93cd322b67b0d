package model

import "github.com/gpdrf/gpdrf-gpu/device"

// Likelihood is our_lik, p(y | h, θ_l).
type Likelihood interface {
	// LogLik is ell_n_estim summed over a batch, with its gradients.
	LogLik(ell, dh, h *device.Tensor, y *Targets, scale device.LikScale)
}

// closedForm is a Likelihood whose expectation over a Gaussian F needs no samples.
type closedForm interface {
	// Expected is E_q log p(y | F) (ell_n) summed over a batch, with its gradients.
	Expected(ell, dmean, dvariance, mean, variance *device.Tensor, y *Targets, scale device.LikScale)
}

// Targets are a batch's y: numbers [B,C] or class labels [B].
type Targets struct {
	Numbers *device.Tensor
	Labels  *device.Tensor
}

// likelihoodBlocks reserves the parameters of the chosen likelihood.
func likelihoodBlocks(p *Params, c *Config) (bind func(device.Device) Likelihood) {
	if c.Likelihood == SoftmaxLikelihood {
		return func(dev device.Device) Likelihood { return &Softmax{dev: dev} }
	}
	noise := p.add(Kernel, "likelihood.log_variance", 1)
	return func(dev device.Device) Likelihood {
		g := &Gaussian{dev: dev}
		g.logVar, g.dlogVar = p.real(noise)
		return g
	}
}
