package workload

import (
	"fmt"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// The operations of the random-feature layers and of the likelihoods, in Real.

// layer is a random-feature layer as the formulas see it.
type layer struct {
	name          string  // with its widths
	rows, d, r    float64 // S·B rows, inputs, frequencies
	columns, out  float64 // columns of Φ for each frequency, outputs
	params, draws float64 // bytes of the parameters, or of their gradients; the cost of the draws
	// with Φ: one by the means and, under local reparameterisation, one by the squares
	products float64
}

// A draw of Ω or W has a normal, a product and a sum for each number. Under local
// reparameterisation there are normals for the outputs only.
func (m *meter) layer(name string, a device.FeatureArgs) layer {
	s, b, d := dims3(a.H)
	p, noise := &a.Params, &a.Noise
	columns, out := p.Activation.Columns(), p.MeanW.Dim(1)
	l := layer{name: fmt.Sprintf("%s %d→%d", name, p.LogL.Len(), out), rows: s * b, d: d,
		r: float64(p.MeanW.Dim(0) / columns), columns: float64(columns), out: float64(out), products: 1,
		params: m.bytes(p.LogAlpha, p.LogL, p.MeanOmega, p.LogVarOmega, p.MeanW, p.LogVarW, p.Mixing)}
	draws := func(most int) float64 {
		if most > 0 {
			return min(s, float64(most))
		}
		return s
	}
	l.draws = 3 * draws(noise.Draws) * l.d * l.r
	if noise.Local {
		l.products = 2
		l.draws += 3 * l.rows * l.out
	} else {
		l.draws += 3 * draws(noise.WDraws) * l.columns * l.r * l.out
	}
	return l
}

// RandomFeatures has HΩ 2dR, its sines and cosines 2R, and 2·2R·d' for each product with Φ; for
// each of the S·B rows. Φ is never written. Arc-cosine features have R in place of 2R.
func (m *meter) RandomFeatures(a device.FeatureArgs) {
	l := m.layer("RandomFeatures", a)
	m.time(l.name, Cost{Real: l.rows*l.r*(2*l.d+l.columns*(1+l.products*2*l.out)) + l.draws,
		Bytes: m.bytes(a.H, a.Rows, a.Out) + l.params},
		func() { m.Device.RandomFeatures(a) })
}

// RandomFeaturesBackward has Φ once more, since it was not written; dΦ and dW, each as much as the
// products of the forward pass; 4 for each phase; dH and dΩ 2dR each.
func (m *meter) RandomFeaturesBackward(g, a device.FeatureArgs) {
	l := m.layer("RandomFeaturesBackward", a)
	phase := 0.0
	if g.H != nil {
		phase += 2 * l.d
	}
	if a.Params.MeanOmega != nil {
		phase += 2 * l.d
	}
	m.time(l.name, Cost{Real: l.rows*l.r*(2*l.d+phase+l.columns*(3+2*l.products*2*l.out)) + l.draws,
		Bytes: m.bytes(g.Out, a.H, a.Rows, g.H) + 2*l.params},
		func() { m.Device.RandomFeaturesBackward(g, a) })
}

// FeatureMoments counts for each of the S·B rows and each frequency: 2d each for hη and h²β², a
// sine, a cosine and an exp, 11 for the six columns of Φ, and 6·2d' for their products. The exps of
// s² and β² and 7 for quad are added.
func (m *meter) FeatureMoments(a device.FeatureArgs) {
	l := m.layer("FeatureMoments", a)
	m.time(l.name, Cost{Real: l.rows*l.r*(4*l.d+3+11+12*l.out) + l.r*(l.d+9*l.out),
		Bytes: m.bytes(a.H, a.Out, a.Variance) + l.params},
		func() { m.Device.FeatureMoments(a) })
}

// FeatureMomentsBackward has Φ once more; dΦ, dM and dquad as much as the products of the forward
// pass; 30 from dΦ to the phase's mean and variance; dη and dβ² 2d each, and for dh 2d from each of
// them; 20 for the gradients of W's moments.
func (m *meter) FeatureMomentsBackward(g, a device.FeatureArgs) {
	l := m.layer("FeatureMomentsBackward", a)
	phase := 4 * l.d
	if g.H != nil {
		phase += 4 * l.d
	}
	m.time(l.name, Cost{
		Real:  l.rows*l.r*(4*l.d+3+11+30+phase+24*l.out) + l.r*(l.d+9*l.out) + 20*l.r*l.out,
		Bytes: m.bytes(g.Out, g.Variance, a.Variance, a.H, g.H) + 2*l.params},
		func() { m.Device.FeatureMomentsBackward(g, a) })
}

func (m *meter) Frequencies(a device.FrequencyArgs) {
	m.time("Frequencies", m.moved(a.Eta, a.LogVar, a.Tau, a.Mean, a.LogS2, a.LogRho, a.LogL),
		func() { m.Device.Frequencies(a) })
}

func (m *meter) FrequenciesBackward(g, a device.FrequencyArgs) {
	m.time("FrequenciesBackward", m.moved(g.Eta, g.LogVar, g.Mean, g.LogS2, g.LogRho, g.LogL,
		a.Tau, a.Mean, a.LogRho, a.LogL), func() { m.Device.FrequenciesBackward(g, a) })
}

func (m *meter) AddNoise(out, variance, rows *device.Tensor, key device.Key) {
	m.time("AddNoise", m.moved(out, variance, rows), func() { m.Device.AddNoise(out, variance, rows, key) })
}

func (m *meter) AddNoiseBackward(dvariance, dout, variance, rows *device.Tensor, key device.Key) {
	m.time("AddNoiseBackward", m.moved(dvariance, dout, variance, rows),
		func() { m.Device.AddNoiseBackward(dvariance, dout, variance, rows, key) })
}

func (m *meter) GaussianLogLik(ell *device.Tensor, g, a device.LikelihoodArgs, scale float64) {
	m.time("GaussianLogLik", m.moved(ell, g.H, g.LogVar, a.H, a.Y, a.LogVar),
		func() { m.Device.GaussianLogLik(ell, g, a, scale) })
}

func (m *meter) GaussianExpected(ell *device.Tensor, g, a device.LikelihoodArgs, scale float64) {
	m.time("GaussianExpected", m.moved(ell, g.H, g.Variance, g.LogVar, a.H, a.Variance, a.Y, a.LogVar),
		func() { m.Device.GaussianExpected(ell, g, a, scale) })
}

func (m *meter) SoftmaxLogLik(ell *device.Tensor, g, a device.LikelihoodArgs, scale float64) {
	m.time("SoftmaxLogLik", m.moved(ell, g.H, a.H, a.Y), func() { m.Device.SoftmaxLogLik(ell, g, a, scale) })
}

func (m *meter) KLDiag(kl *device.Tensor, g, a device.DiagArgs, weight device.Scalar) {
	m.time("KLDiag", m.moved(kl, g.Mean, g.LogVar, g.LogL, a.Mean, a.LogVar, a.LogL),
		func() { m.Device.KLDiag(kl, g, a, weight) })
}
