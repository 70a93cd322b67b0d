package model

import "github.com/gpdrf/gpdrf-gpu/device"

// Softmax is p(y = c | h) = exp(h_c + b_c)/Σ exp(h + b) (our_lik); its offsets b, if any, are its
// parameters.
type Softmax struct{ offsets }

// LogLik computes (1/S) Σ_s log softmax(h⁽ˢ⁾ + b)_y.
func (s *Softmax) LogLik(ell *device.Tensor, g, a device.LikelihoodArgs, scale float64) {
	s.add(a.H)
	s.dev.SoftmaxLogLik(ell, g, a, scale)
	s.backward(g.H)
}

// Predictive makes logits of the outputs.
func (s *Softmax) Predictive(p *Prediction) { s.predict(p) }

// Bernoulli is p(y = 1 | h) = 1/(1 + exp −(h + b)), for two classes; its offset b, if any, is its
// parameter.
type Bernoulli struct{ offsets }

// LogLik computes (1/S) Σ_s log σ(±(h⁽ˢ⁾ + b)).
func (s *Bernoulli) LogLik(ell *device.Tensor, g, a device.LikelihoodArgs, scale float64) {
	s.add(a.H)
	s.dev.BernoulliLogLik(ell, g, a, scale)
	s.backward(g.H)
}

// Predictive makes the logits of a softmax over two classes: 0 and h + b.
func (s *Bernoulli) Predictive(p *Prediction) {
	s.predict(p)
	both := make([]float64, 2*len(p.H))
	for i, h := range p.H {
		both[2*i+1] = h
	}
	p.H, p.C = both, 2
}
