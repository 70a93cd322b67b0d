package model

import (
	"fmt"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// DRFLayer is one random-feature layer, h' = Wᵀ φ(h; Ω) (rfdnn_lth_vec, rf_ard), with
// q(W) = Π N(m, s²) (inf_qW) and q(Ω) = Π N(η, β²) (inf_qOmega).
type DRFLayer struct {
	dev         device.Device
	params      device.FeatureParams
	grads       device.FeatureParams
	in, r, out  int
	hasSpectraQ bool
	integrated  *integrated // of a layer with W and Ω in closed form; nil otherwise
}

// drfPass is what one pass keeps of a layer.
type drfPass struct {
	h, dh     *device.Tensor // input [S,B,in]; dh is nil where nothing below learns
	out, dout *device.Tensor // [S,B,out]

	// Of a layer that integrates W and Ω. Where the moments themselves are wanted, out is the mean
	// and no draw of the output.
	variance, dvariance *device.Tensor // [S,B,out]
	moments             bool

	parts   []*device.Tensor
	dparts  []*device.Tensor
	widths  []int
	scratch device.Scratch
	noise   device.FeatureNoise
}

// drfBlocks reserves one layer's parameters.
func drfBlocks(p *Params, c *Config, layer, in, out int) (bind func(device.Device) *DRFLayer) {
	r, activation := c.Features, c.activation()
	columns := r * activation.Columns()
	name := func(s string) string { return fmt.Sprintf("drf.%d.%s", layer, s) }
	alpha := p.add(Kernel, name("log_alpha"), 1)
	length := p.add(Kernel, name("log_lengthscale"), in)
	meanOmega, logVarOmega := -1, -1
	if c.treatment() != PriorFixed {
		meanOmega = p.add(Spectra, name("mean_omega"), in, r)
		logVarOmega = p.add(Spectra, name("logvar_omega"), in, r)
	}
	mixing := -1
	if c.mixes() {
		mixing = p.add(Fixed, name("mixing"), r)
	}
	tau, rho := -1, -1
	if c.integrates() {
		tau, rho = p.add(Fixed, name("tau"), in, r), p.add(Kernel, name("log_rho"), 1)
	}
	meanW := p.add(Variational, name("mean_w"), columns, out)
	logVarW := p.add(Variational, name("logvar_w"), columns, out)

	return func(dev device.Device) *DRFLayer {
		l := &DRFLayer{dev: dev, in: in, r: r, out: out, hasSpectraQ: meanOmega >= 0}
		l.params.Activation = activation
		l.params.LogAlpha, l.grads.LogAlpha = p.real(alpha)
		l.params.LogL, l.grads.LogL = p.real(length)
		if l.hasSpectraQ {
			l.params.MeanOmega, l.grads.MeanOmega = p.real(meanOmega)
			l.params.LogVarOmega, l.grads.LogVarOmega = p.real(logVarOmega)
		}
		if mixing >= 0 {
			l.params.Mixing, _ = p.real(mixing)
		}
		l.params.MeanW, l.grads.MeanW = p.real(meanW)
		l.params.LogVarW, l.grads.LogVarW = p.real(logVarW)
		if rho >= 0 {
			l.integrated = newIntegrated(l)
			l.integrated.tau, _ = p.real(tau)
			l.integrated.logRho, l.integrated.dlogRho = p.real(rho)
		}
		return l
	}
}

// newPass makes the layer's activations. parts are what its input is joined of, dparts their
// gradients, nil for data. A single part is the input itself, unless another layer reads it too:
// then both add to its gradient.
func (l *DRFLayer) newPass(s *space, samples, batch int, parts, dparts []*device.Tensor, shared bool) *drfPass {
	real := func(shape ...int) *device.Tensor { return s.tensor(device.Real, shape...) }
	p := &drfPass{
		out: real(samples, batch, l.out), dout: real(samples, batch, l.out),
		scratch: s.features(samples, batch, l.in, l.r, l.out),
	}
	if l.integrated != nil {
		p.variance, p.dvariance = real(samples, batch, l.out), real(samples, batch, l.out)
	}
	if len(parts) == 1 && parts[0].Rank() == 3 && !shared {
		p.h, p.dh = parts[0], dparts[0]
		return p
	}
	p.parts, p.dparts = parts, dparts
	p.h = real(samples, batch, l.in)
	learns := false
	for i, part := range parts {
		p.widths = append(p.widths, part.Dim(part.Rank()-1))
		learns = learns || dparts[i] != nil
	}
	if learns {
		p.dh = real(samples, batch, l.in)
	}
	return p
}

// Forward is h' = Wᵀ φ(h; Ω) for S draws of W and Ω, or for S draws of the normal that has its
// moments over both.
func (l *DRFLayer) Forward(p *drfPass, rows *device.Tensor) {
	if p.parts != nil {
		l.dev.Concat(p.h, p.parts)
	}
	if l.integrated != nil {
		l.dev.FeatureMoments(p.out, p.variance, p.h, l.integrated.params, p.scratch)
		if !p.moments {
			l.dev.AddNoise(p.out, p.variance, rows, p.noise.Weights)
		}
	} else {
		l.dev.RandomFeatures(p.out, p.h, l.params, rows, p.noise, p.scratch)
	}
}

// Backward accumulates the layer's gradients and sends dout down to its inputs.
func (l *DRFLayer) Backward(p *drfPass, rows *device.Tensor) {
	if l.integrated != nil {
		if !p.moments {
			l.dev.AddNoiseBackward(p.dvariance, p.dout, p.variance, rows, p.noise.Weights)
		}
		l.dev.FeatureMomentsBackward(p.dh, l.integrated.grads, p.dout, p.dvariance, p.variance, p.h, l.integrated.params, p.scratch)
	} else {
		l.dev.RandomFeaturesBackward(p.dh, l.grads, p.dout, p.h, l.params, rows, p.noise, p.scratch)
	}
	if p.parts != nil && p.dh != nil {
		l.dev.ConcatBackward(p.dparts, p.widths, p.dh)
	}
}
