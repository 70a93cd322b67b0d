package model

import "github.com/gpdrf/gpdrf-gpu/device"

// Softmax is p(y = c | h) = exp(h_c)/Σ exp(h) (our_lik). It has no parameters.
type Softmax struct{ dev device.Device }

// LogLik is (1/S) Σ_s log softmax(h⁽ˢ⁾)_y.
func (s *Softmax) LogLik(ell, dh, h *device.Tensor, y *Targets, scale device.LikScale) {
	s.dev.SoftmaxLogLik(ell, dh, h, y.Labels, scale)
}
