package model

import "github.com/gpdrf/gpdrf-gpu/device"

// integrated is the extra state of a layer with W and Ω in closed form: frequencies ω = (τ + ρζ)/ℓ around a fixed draw
// τ, with ζ ~ N(0, 1) a priori and q(ζ) = N(m, s²) in the layer's parameters of Ω. The model equals PRIOR-FIXED where ρ
// is 0, and so does the bound where q(ζ) is the prior.
type integrated struct {
	tau             *device.Tensor // [d,R]
	logRho, dlogRho *device.Tensor // [1]

	// The layer's parameters with η and log β² of q(Ω) in place of m and log s² of q(ζ), and their gradients.
	params, grads device.FeatureParams
}

// newIntegrated makes the memory of η and β² of a layer.
func newIntegrated(l *drfLayer) *integrated {
	i := &integrated{params: l.params, grads: l.grads}
	for _, p := range []*device.FeatureParams{&i.params, &i.grads} {
		p.MeanOmega = l.dev.New(device.Real, l.in, l.r)
		p.LogVarOmega = l.dev.New(device.Real, l.in, l.r)
	}
	return i
}

// spectra computes η and β² of q(Ω) (inf_qOmega), and clears their gradients.
func (l *drfLayer) spectra() {
	i := l.integrated
	if i == nil {
		return
	}
	l.dev.Frequencies(l.frequencyArgs())
	l.dev.Zero(i.grads.MeanOmega)
	l.dev.Zero(i.grads.LogVarOmega)
}

// spectraBackward takes the gradients of η and β² to the gradients of the parameters, and adds them.
func (l *drfLayer) spectraBackward() {
	if i := l.integrated; i != nil {
		l.dev.FrequenciesBackward(device.FrequencyArgs{
			MeanOmega: i.grads.MeanOmega, LogVarOmega: i.grads.LogVarOmega,
			Mean: l.grads.MeanOmega, LogVar: l.grads.LogVarOmega, LogRho: i.dlogRho, LogLength: l.grads.LogLength,
		}, l.frequencyArgs())
	}
}

func (l *drfLayer) frequencyArgs() device.FrequencyArgs {
	i := l.integrated
	return device.FrequencyArgs{
		MeanOmega: i.params.MeanOmega, LogVarOmega: i.params.LogVarOmega, Tau: i.tau,
		Mean: l.params.MeanOmega, LogVar: l.params.LogVarOmega, LogRho: i.logRho, LogLength: l.params.LogLength,
	}
}
