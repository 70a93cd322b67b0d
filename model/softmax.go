package model

import "github.com/gpdrf/gpdrf-gpu/device"

// Softmax is p(y = c | h) = exp(h_c)/Σ exp(h) (our_lik). It has no parameters.
type Softmax struct{ dev device.Device }

// LogLik is (1/S) Σ_s log softmax(h⁽ˢ⁾)_y.
func (s *Softmax) LogLik(ell, dh, h *device.Tensor, y *Targets, scale device.LikScale) {
	s.dev.SoftmaxLogLik(ell, dh, h, y.Labels, scale)
}

// Predictive leaves the logits as they are.
func (s *Softmax) Predictive(*Prediction) {}

// Bernoulli is p(y = 1 | h) = 1/(1 + exp −h), for two classes. It has no parameters.
type Bernoulli struct{ dev device.Device }

// LogLik is (1/S) Σ_s log σ(±h⁽ˢ⁾).
func (s *Bernoulli) LogLik(ell, dh, h *device.Tensor, y *Targets, scale device.LikScale) {
	s.dev.BernoulliLogLik(ell, dh, h, y.Labels, scale)
}

// Predictive makes the logits of a softmax over two classes: 0 and h.
func (s *Bernoulli) Predictive(p *Prediction) {
	both := make([]float64, 2*len(p.H))
	for i, h := range p.H {
		both[2*i+1] = h
	}
	p.H, p.C = both, 2
}
