package model

import "github.com/gpdrf/gpdrf-gpu/device"

// integrated is what a layer with W and Ω in closed form has besides: frequencies ω = (τ + ρζ)/ℓ around a fixed draw τ, with
// ζ ~ N(0, 1). The model is that of PRIOR-FIXED where ρ is 0, and so is the bound where q(ζ) is the prior.
type integrated struct {
	tau             *device.Tensor // [d,R]
	logRho, dlogRho *device.Tensor // [1]

	params, grads device.FeatureParams // of the layer, with the η and log β² that follow, and their gradients
}

// newIntegrated makes the memory of η and β².
func newIntegrated(dev device.Device, l *DRFLayer) *integrated {
	real := func() *device.Tensor { return dev.New(device.Real, l.in, l.r) }
	return &integrated{
		params: device.FeatureParams{MeanOmega: real(), LogVarOmega: real()},
		grads:  device.FeatureParams{MeanOmega: real(), LogVarOmega: real()},
	}
}

// spectra is η and β² of q(Ω).
func (l *DRFLayer) spectra() {
	if l.integrated == nil {
		return
	}
	i := l.integrated
	with := func(all device.FeatureParams, own *device.FeatureParams) {
		all.MeanOmega, all.LogVarOmega = own.MeanOmega, own.LogVarOmega
		*own = all
	}
	with(l.params, &i.params)
	with(l.grads, &i.grads)
	l.dev.Frequencies(i.params.MeanOmega, i.params.LogVarOmega, i.tau, l.params.MeanOmega, l.params.LogVarOmega, i.logRho, l.params.LogL)
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
