package model

import (
	"fmt"
	"math"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// DRFLayer is one random-feature layer, h' = Wᵀ φ(h; Ω) (rfdnn_lth_vec, rf_ard), with
// q(W) = Π N(m, s²) (inf_qW), or Π_c N(m_c, L_c L_cᵀ), and q(Ω) = Π N(η, β²) (inf_qOmega).
type DRFLayer struct {
	dev        device.Device
	params     device.FeatureParams
	grads      device.FeatureParams
	in, r, out int
	integrated *integrated // of a layer with W and Ω in closed form; nil otherwise
}

// drfPass is a layer's state in one pass.
type drfPass struct {
	h, dh     *device.Tensor // input [S,B,in]; dh is nil where no layer below learns
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
	r, columns := c.Features, c.Features*c.activation().Columns()
	name := func(s string) string { return fmt.Sprintf("drf.%d.%s", layer, s) }
	last := layer == c.Layers-1
	draws := func(dst []float64, _ *Init, normal func([]float64)) { normal(dst) }

	alpha := p.add(Kernel, name("log_alpha"), shape(1), func(dst []float64, _ *Init, _ func([]float64)) {
		if c.Skip && last {
			fill(dst, math.Log(initSkipAlpha))
		}
	})
	length := p.add(Kernel, name("log_lengthscale"), shape(in), func(dst []float64, v *Init, _ func([]float64)) {
		fill(dst, v.logLength(in))
		if c.Model == DRF && layer == 0 {
			for j, l := range v.Lengths {
				dst[j] = min(dst[j], math.Log(l))
			}
		}
	})
	var meanOmega, logVarOmega, mixing, tau, rho *block
	if c.treatment().Name != PriorFixed {
		meanOmega = p.add(Spectra, name("mean_omega"), shape(in, r), nil)
		start := func(dst []float64, v *Init, _ func([]float64)) {
			if !c.integrates() { // q(ζ) starts at its prior
				fill(dst, -2*v.logLength(in))
			}
		}
		logVarOmega = p.addSpread(Spectra, name("logvar_omega"), shape(in, r), start)
	}
	if c.mixes() {
		mixing = p.add(Fixed, name("mixing"), shape(r), c.mixing)
	}
	if c.integrates() {
		tau = p.add(Fixed, name("tau"), shape(in, r), draws)
		rho = p.add(Kernel, name("log_rho"), shape(1), constant(math.Log(initRho)))
	}
	startW, startVarW := draws, constant(math.Log(initHiddenVar))
	if last {
		startW, startVarW = nil, c.startLastVariances
	}
	meanW := p.add(Variational, name("mean_w"), shape(columns, out), startW)
	logVarW := p.addSpread(Variational, name("logvar_w"), shape(columns, out), startVarW)
	var lowerW *block
	if last && c.WCov == Full {
		lowerW = p.addSpread(Variational, name("lower_w"), shape(out, columns, columns), nil)
	}

	return func(dev device.Device) *DRFLayer {
		l := &DRFLayer{dev: dev, in: in, r: r, out: out}
		l.params.Activation = c.activation()
		l.params.LogAlpha, l.grads.LogAlpha = p.real(alpha)
		l.params.LogLength, l.grads.LogLength = p.real(length)
		l.params.MeanOmega, l.grads.MeanOmega = p.real(meanOmega)
		l.params.LogVarOmega, l.grads.LogVarOmega = p.real(logVarOmega)
		l.params.Mixing, _ = p.real(mixing)
		l.params.MeanW, l.grads.MeanW = p.real(meanW)
		l.params.LogVarW, l.grads.LogVarW = p.real(logVarW)
		l.params.LowerW, l.grads.LowerW = p.real(lowerW)
		if rho != nil {
			l.integrated = newIntegrated(l)
			l.integrated.tau, _ = p.real(tau)
			l.integrated.logRho, l.integrated.dlogRho = p.real(rho)
		}
		return l
	}
}

// logLength returns the initial log ℓ of a layer.
func (v *Init) logLength(inputs int) float64 {
	return math.Log(math.Sqrt(float64(inputs)) * v.DRFLengthscaleFactor)
}

// startLastVariances writes the initial log s² of the last layer, whose means start at 0.
func (c *Config) startLastVariances(dst []float64, _ *Init, _ func([]float64)) {
	fill(dst, math.Log(initLastLayerS2))
	for i := range dst {
		if i%c.Outputs >= c.targets() {
			dst[i] = math.Log(initLogVarS2)
		}
	}
}

// newPass makes the layer's activations. Its input is the concatenation of parts; dparts are their
// gradients, nil for data. A single part is the input itself, unless another layer reads it too:
// then both add to its gradient.
func (l *DRFLayer) newPass(s *arena, samples, batch int, parts, dparts []*device.Tensor, shared bool) *drfPass {
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

// Forward computes h' = Wᵀ φ(h; Ω) for S draws of W and Ω, or for S draws of the normal that has its
// moments over both.
func (l *DRFLayer) Forward(p *drfPass, rows *device.Tensor) {
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
func (l *DRFLayer) args(p *drfPass, rows *device.Tensor) device.FeatureArgs {
	a := device.FeatureArgs{Out: p.out, Variance: p.variance, H: p.h, Params: l.params,
		Scratch: p.scratch, Rows: rows, Noise: p.noise}
	if l.integrated != nil {
		a.Params = l.integrated.params
	}
	return a
}

// Backward accumulates the layer's gradients and sends dout down to its inputs.
func (l *DRFLayer) Backward(p *drfPass, rows *device.Tensor) {
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
