package model

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// drfLayer is one random-feature layer, h' = Wᵀ φ(h; Ω) (rfdnn_lth_vec, rf_ard), with q(W) = Π N(m, s²) (inf_qW), or
// Π_c N(m_c, L_c L_cᵀ), and q(Ω) = Π N(η, β²) (inf_qOmega).
type drfLayer struct {
	dev        device.Device
	params     device.FeatureParams
	grads      device.FeatureParams
	in, r, out int
	integrated *integrated // state of a layer with W and Ω in closed form; nil otherwise
}

// drfActivations is a layer's state in one pass.
type drfActivations struct {
	h, dh     *device.Tensor // input [S,B,in]; dh is nil where no layer below learns
	out, dout *device.Tensor // [S,B,out]

	// For a layer that integrates W and Ω: the variance of its output. If moments is true, out is the mean, and not a
	// draw of the output.
	variance, dvariance *device.Tensor // [S,B,out]
	moments             bool

	parts   []*device.Tensor
	dparts  []*device.Tensor
	widths  []int
	scratch device.Scratch
	noise   device.FeatureNoise
}

// drfBlocks are the parameters of a layer with these inputs and outputs.
type drfBlocks struct {
	in, out                                                                         int
	alpha, length, meanOmega, logVarOmega, mixing, tau, rho, meanW, logVarW, lowerW *block
}

// addDRF reserves one layer's parameters.
func (c *Config) addDRF(p *Params, layer int) *drfBlocks {
	in, out := c.layerInputs(layer), c.layerOutputs(layer)
	b := &drfBlocks{in: in, out: out}
	r, columns := c.Features, c.Features*c.activation().Columns()
	name := func(s string) string { return drfName(layer, s) }
	last := layer == c.Layers-1
	draws := func(s blockStart) { s.normal(s.dst) }

	b.alpha = p.add(Kernel, name("log_alpha"), shape(1), func(s blockStart) {
		if c.Skip && last {
			fill(s.dst, math.Log(initSkipAlpha))
		}
	})
	b.length = p.add(Kernel, DRFLogLength(layer), shape(in), func(s blockStart) {
		fill(s.dst, s.init.logLength(in))
		if c.Model == DRF && layer == 0 {
			for j, l := range s.init.LengthScales {
				s.dst[j] = min(s.dst[j], math.Log(l))
			}
		}
	})
	if c.treatment().Name != PriorFixed {
		b.meanOmega = p.add(Spectra, name(drfMeanOmega), shape(in, r), nil)
		start := func(s blockStart) {
			if !c.integrates() { // q(ζ) starts at its prior
				fill(s.dst, -2*s.init.logLength(in))
			}
		}
		b.logVarOmega = p.addSpread(Spectra, name(drfLogVarOmega), shape(in, r), start)
	}
	if c.mixes() {
		b.mixing = p.add(Fixed, name("mixing"), shape(r), c.mixing)
	}
	if c.integrates() {
		b.tau = p.add(Fixed, name("tau"), shape(in, r), draws)
		b.rho = p.add(Kernel, name("log_rho"), shape(1), constant(math.Log(initRho)))
	}
	startW, startVarW := draws, constant(math.Log(initHiddenVar))
	if last {
		startW, startVarW = nil, c.initLastVariances
	}
	b.meanW = p.add(Variational, name(drfMeanW), shape(columns, out), startW)
	b.logVarW = p.addSpread(Variational, name(drfLogVarW), shape(columns, out), startVarW)
	if last && c.WCov == Full {
		b.lowerW = p.addSpread(Variational, name(drfLowerW), shape(out, columns, columns), nil)
	}
	return b
}

// bind makes the layer.
func (b *drfBlocks) bind(dev device.Device, p *Params, c *Config) *drfLayer {
	l := &drfLayer{dev: dev, in: b.in, r: c.Features, out: b.out}
	l.params.Activation = c.activation()
	l.params.LogAlpha, l.grads.LogAlpha = p.real(b.alpha)
	l.params.LogLength, l.grads.LogLength = p.real(b.length)
	l.params.MeanOmega, l.grads.MeanOmega = p.real(b.meanOmega)
	l.params.LogVarOmega, l.grads.LogVarOmega = p.real(b.logVarOmega)
	l.params.Mixing, _ = p.real(b.mixing)
	l.params.MeanW, l.grads.MeanW = p.real(b.meanW)
	l.params.LogVarW, l.grads.LogVarW = p.real(b.logVarW)
	l.params.LowerW, l.grads.LowerW = p.real(b.lowerW)
	if b.rho != nil {
		l.integrated = newIntegrated(l)
		l.integrated.tau, _ = p.real(b.tau)
		l.integrated.logRho, l.integrated.dlogRho = p.real(b.rho)
	}
	return l
}

// logLength returns the initial log ℓ of a layer.
func (i *Init) logLength(inputs int) float64 {
	return math.Log(math.Sqrt(float64(inputs)) * i.DRFLengthscaleFactor)
}

// initLastVariances writes the initial log s² of the last layer, whose means start at 0.
func (c *Config) initLastVariances(s blockStart) {
	fill(s.dst, math.Log(initLastLayerS2))
	for i := range s.dst {
		if i%c.Outputs >= c.targets() {
			s.dst[i] = math.Log(initLogVarS2)
		}
	}
}

// newActivations makes the layer's activations. Its input is the concatenation of parts; dparts are their gradients,
// nil for data. A single part is the input itself, unless another layer reads it, too, so that both layers add to its
// gradient.
func (l *drfLayer) newActivations(s *arena, samples, batch int, parts, dparts []*device.Tensor,
	shared bool) *drfActivations {
	real := func(shape ...int) *device.Tensor { return s.tensor(device.Real, shape...) }
	p := &drfActivations{
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

// forward computes h' = Wᵀ φ(h; Ω) for S draws of W and Ω, or for S draws of the normal that has its moments over both.
func (l *drfLayer) forward(p *drfActivations, rows *device.Tensor) {
	if p.parts != nil {
		l.dev.Concat(p.h, p.parts)
	}
	if l.integrated == nil {
		l.dev.RandomFeatures(l.args(p, rows))
		return
	}
	l.dev.FeatureMoments(l.args(p, rows))
	if !p.moments {
		l.dev.AddNoise(p.out, p.variance, rows, p.noise.Weights)
	}
}

// args returns the arguments of the layer's operation.
func (l *drfLayer) args(p *drfActivations, rows *device.Tensor) device.FeatureArgs {
	a := device.FeatureArgs{Out: p.out, Variance: p.variance, H: p.h, Params: l.params,
		Scratch: p.scratch, Rows: rows, Noise: p.noise}
	if l.integrated != nil {
		a.Params = l.integrated.params
	}
	return a
}

// backward accumulates the layer's gradients and sends dout down to its inputs.
func (l *drfLayer) backward(p *drfActivations, rows *device.Tensor) {
	g := device.FeatureArgs{Out: p.dout, Variance: p.dvariance, H: p.dh, Params: l.grads}
	if l.integrated == nil {
		l.dev.RandomFeaturesBackward(g, l.args(p, rows))
	} else {
		if !p.moments {
			l.dev.AddNoiseBackward(p.dvariance, p.dout, p.variance, rows, p.noise.Weights)
		}
		g.Params = l.integrated.grads
		l.dev.FeatureMomentsBackward(g, l.args(p, rows))
	}
	if p.parts != nil && p.dh != nil {
		l.dev.ConcatBackward(p.dparts, p.widths, p.dh)
	}
}
