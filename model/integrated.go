package model

import "github.com/gpdrf/gpdrf-gpu/device"

// integrated is what a layer with W and Ω in closed form has besides: frequencies ω = (τ + ρζ)/ℓ
// around a fixed draw τ, with ζ ~ N(0, 1) a priori and q(ζ) = N(m, s²) in the layer's own
// parameters of Ω. The model is that of PRIOR-FIXED where ρ is 0, and so is the bound where q(ζ) is
// the prior.
type integrated struct {
	tau             *device.Tensor // [d,R]
	logRho, dlogRho *device.Tensor // [1]

	// The layer's parameters with η and log β² of q(Ω) in place of those of q(ζ), and their
	// gradients.
	params, grads device.FeatureParams
}

// newIntegrated makes the memory of η and β² of a layer.
func newIntegrated(l *DRFLayer) *integrated {
	i := &integrated{params: l.params, grads: l.grads}
	for _, p := range []*device.FeatureParams{&i.params, &i.grads} {
		p.MeanOmega = l.dev.New(device.Real, l.in, l.r)
		p.LogVarOmega = l.dev.New(device.Real, l.in, l.r)
	}
	return i
}

// spectra is η and β² of q(Ω) (inf_qOmega); their gradients become 0.
func (l *DRFLayer) spectra() {
	i := l.integrated
	if i == nil {
		return
	}
	l.dev.Frequencies(i.params.MeanOmega, i.params.LogVarOmega, i.tau, l.params.MeanOmega,
		l.params.LogVarOmega, i.logRho, l.params.LogL)
	l.dev.Zero(i.grads.MeanOmega)
	l.dev.Zero(i.grads.LogVarOmega)
}

// spectraBackward adds the gradients of η and β² to those of the parameters.
func (l *DRFLayer) spectraBackward() {
	if i := l.integrated; i != nil {
		l.dev.FrequenciesBackward(l.grads.MeanOmega, l.grads.LogVarOmega, i.dlogRho, l.grads.LogL,
			i.grads.MeanOmega, i.grads.LogVarOmega, i.tau, l.params.MeanOmega, i.logRho, l.params.LogL)
	}
}
