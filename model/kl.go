package model

import "github.com/gpdrf/gpdrf-gpu/device"

// klInducing computes KL(q(F̄) ‖ P(F̄)). It is the same number in the paper's coordinates and in whitened ones, since
// F̄ = √α L v is one-to-one.
func (g *gpLayer) klInducing(kl *device.Tensor, weight device.Scalar) {
	g.dev.KLInducing(kl, g.dm, g.ds, g.m, g.s, weight)
}

// klWeights computes KL(q(W) ‖ N(0, I)) of one layer.
func (l *drfLayer) klWeights(kl *device.Tensor, weight device.Scalar) {
	l.dev.KLDiag(kl, device.DiagArgs{Mean: l.grads.MeanW, LogVar: l.grads.LogVarW},
		device.DiagArgs{Mean: l.params.MeanW, LogVar: l.params.LogVarW}, weight)
}

// klLower computes the share of the elements below the diagonals of L in KL(q(W) ‖ N(0, I)).
func (l *drfLayer) klLower(kl *device.Tensor, weight device.Scalar) {
	if l.params.LowerW != nil {
		l.dev.KLDiag(kl, device.DiagArgs{Mean: l.grads.LowerW}, device.DiagArgs{Mean: l.params.LowerW}, weight)
	}
}

// klSpectra computes KL(q(Ω) ‖ N(0, Λ)) of one layer, Λ = diag(ℓ⁻²). PRIOR-FIXED has no q(Ω) and leaves the term out.
func (l *drfLayer) klSpectra(kl *device.Tensor, weight device.Scalar) {
	if l.params.MeanOmega == nil {
		return
	}
	g := device.DiagArgs{Mean: l.grads.MeanOmega, LogVar: l.grads.LogVarOmega}
	a := device.DiagArgs{Mean: l.params.MeanOmega, LogVar: l.params.LogVarOmega}
	if l.integrated == nil { // q(ζ) has the prior N(0, 1)
		g.LogLength, a.LogLength = l.grads.LogLength, l.params.LogLength
	}
	l.dev.KLDiag(kl, g, a, weight)
}
