package model

import "github.com/gpdrf/gpdrf-gpu/device"

// klInducing is KL(q(F̄) ‖ P(F̄)). It is the same number in the paper's coordinates
// and in whitened ones, since F̄ = √α L v is one-to-one.
func (g *GPLayer) klInducing(kl *device.Tensor, weight device.Scalar) {
	g.dev.KLInducing(kl, g.dm, g.ds, g.m, g.s, weight)
}

// klWeights is KL(q(W) ‖ N(0, I)) of one layer.
func (l *DRFLayer) klWeights(kl *device.Tensor, weight device.Scalar) {
	l.dev.KLDiag(kl, l.grads.MeanW, l.grads.LogVarW, nil, l.params.MeanW, l.params.LogVarW, nil, weight)
}

// klSpectra is KL(q(Ω) ‖ N(0, Λ)) of one layer, Λ = diag(ℓ⁻²). PRIOR-FIXED has no q(Ω)
// and leaves the term out.
func (l *DRFLayer) klSpectra(kl *device.Tensor, weight device.Scalar) {
	switch {
	case l.integrated != nil:
		l.dev.KLDiag(kl, l.grads.MeanOmega, l.grads.LogVarOmega, nil, l.params.MeanOmega,
			l.params.LogVarOmega, nil, weight)
	case l.hasSpectraQ:
		l.dev.KLDiag(kl, l.grads.MeanOmega, l.grads.LogVarOmega, l.grads.LogL,
			l.params.MeanOmega, l.params.LogVarOmega, l.params.LogL, weight)
	}
}
