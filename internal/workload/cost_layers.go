package workload

import "github.com/gpdrf/gpdrf-gpu/device"

// layerShape is a random-feature layer as the formulas see it.
// columns of Φ for each frequency
type layerShape struct{ rows, d, r, columns, out, draws, weights float64 }

func shapeOf(h *device.Tensor, p device.FeatureParams, noise device.FeatureNoise) layerShape {
	s, b, d := dims3(h)
	columns := p.Activation.Columns()
	n := layerShape{rows: s * b, d: d, r: float64(p.MeanW.Dim(0) / columns), columns: float64(columns),
		out: float64(p.MeanW.Dim(1)), draws: s, weights: s}
	if noise.Draws > 0 {
		n.draws = min(s, float64(noise.Draws))
	}
	if noise.WDraws > 0 {
		n.weights = min(s, float64(noise.WDraws))
	}
	return n
}

// draw is what the draws of Ω and W cost: a normal, a product and a sum for each number. Under
// local reparameterisation the normals are those of the outputs.
func (n layerShape) draw(local bool) float64 {
	if local {
		return 3 * (n.draws*n.d*n.r + n.rows*n.out)
	}
	return 3 * (n.draws*n.d*n.r + n.weights*n.columns*n.r*n.out)
}

// products is how many there are with Φ: that with the means and, under local reparameterisation,
// that of the squares.
func products(local bool) float64 {
	if local {
		return 2
	}
	return 1
}

// randomFeatures: HΩ 2dR, its sines and cosines 2R, and 2·2R·d' for each product with Φ; for each
// of the S·B rows. Φ is never written. Arc-cosine features have R in place of 2R.
func (k counter) randomFeatures(out, h *device.Tensor, p device.FeatureParams, rows *device.Tensor,
	noise device.FeatureNoise) Cost {
	n := shapeOf(h, p, noise)
	return Cost{
		Real:  n.rows*n.r*(2*n.d+n.columns*(1+products(noise.Local)*2*n.out)) + n.draw(noise.Local),
		Bytes: k.bytes(h, rows, out) + k.features(p),
	}
}

// randomFeaturesBackward: Φ once more, since it was not written; dΦ and dW, each as much as the
// products of the forward pass; 4 for each phase; dH and dΩ 2dR each.
func (k counter) randomFeaturesBackward(dh *device.Tensor, dout, h *device.Tensor,
	p device.FeatureParams, rows *device.Tensor, noise device.FeatureNoise) Cost {
	n := shapeOf(h, p, noise)
	phase := 0.0
	if dh != nil {
		phase += 2 * n.d
	}
	if p.MeanOmega != nil {
		phase += 2 * n.d
	}
	return Cost{
		Real:  n.rows*n.r*(2*n.d+phase+n.columns*(1+2+2*products(noise.Local)*2*n.out)) + n.draw(noise.Local),
		Bytes: k.bytes(dout, h, rows, dh) + k.features(p) + 2*k.features(p),
	}
}

// featureMoments counts for each of the S·B rows and each frequency: 2d each for hη and h²β², a
// sine, a cosine and an exp, 11 for the six columns of Φ, and 6·2d' for their products. The exps of
// s² and β² and 7 for quad are added.
func (k counter) featureMoments(mean, variance, h *device.Tensor, p device.FeatureParams) Cost {
	n := shapeOf(h, p, device.FeatureNoise{})
	return Cost{
		Real:  n.rows*n.r*(4*n.d+3+11+12*n.out) + n.r*(n.d+9*n.out),
		Bytes: k.bytes(h, mean, variance) + k.features(p),
	}
}

// featureMomentsBackward: Φ once more; dΦ, dM and dquad as much as the products of the forward
// pass; 30 from dΦ to the phase's mean and variance; dη and dβ² 2d each, and for dh 2d from each of
// them; 20 for the gradients of W's moments.
func (k counter) featureMomentsBackward(dh, dmean, dvariance, variance, h *device.Tensor, p device.FeatureParams) Cost {
	n := shapeOf(h, p, device.FeatureNoise{})
	phase := 4 * n.d
	if dh != nil {
		phase += 4 * n.d
	}
	return Cost{
		Real:  n.rows*n.r*(4*n.d+3+11+30+phase+24*n.out) + n.r*(n.d+9*n.out) + 20*n.r*n.out,
		Bytes: k.bytes(dmean, dvariance, variance, h, dh) + k.features(p) + 2*k.features(p),
	}
}

// frequencies: a product, a sum and a quotient for η, a sum for log β².
func (k counter) frequencies(eta, logvar, tau, mean, logs2, logrho, logl *device.Tensor) Cost {
	return Cost{Real: 4 * float64(eta.Len()), Bytes: k.bytes(eta, logvar, tau, mean, logs2, logrho, logl)}
}

// frequenciesBackward: 10 for each frequency and input.
func (k counter) frequenciesBackward(dmean, dlogs2, dlogrho, dlogl, deta, dlogvar, tau, mean,
	logrho, logl *device.Tensor) Cost {
	return Cost{Real: 10 * float64(deta.Len()), Bytes: 2*k.bytes(dmean, dlogs2, dlogrho,
		dlogl) + k.bytes(deta, dlogvar, tau, mean, logrho, logl)}
}

// addNoise: a normal, a root, a product and a sum for each number.
func (k counter) addNoise(out, variance, rows *device.Tensor) Cost {
	return Cost{Real: 4 * float64(out.Len()), Bytes: k.bytes(variance, rows) + 2*k.bytes(out)}
}

// addNoiseBackward: a normal, a root, two products and a quotient for each number.
func (k counter) addNoiseBackward(dvariance, dout, variance, rows *device.Tensor) Cost {
	return Cost{Real: 5 * float64(dout.Len()), Bytes: k.bytes(dvariance, dout, variance, rows)}
}

// features is the size of a layer's parameters, or of their gradients.
func (k counter) features(p device.FeatureParams) float64 {
	return k.bytes(p.LogAlpha, p.LogL, p.MeanOmega, p.LogVarOmega, p.MeanW, p.LogVarW, p.Mixing)
}

// gaussian: 8 for each output.
func (k counter) gaussian(ell, dh, dlogvar, h, y, logvar *device.Tensor) Cost {
	return Cost{Real: 8 * float64(h.Len()), Bytes: k.bytes(h, y, logvar, dh, ell) + 2*k.bytes(dlogvar)}
}

// gaussianExpected: 10 for each output, in the precision of the moments.
func (k counter) gaussianExpected(ell, dmean, dvariance, dlogvar, mean, variance, y, logvar *device.Tensor) Cost {
	c := Cost{Bytes: k.bytes(mean, variance, y, logvar, dmean, dvariance, ell) + 2*k.bytes(dlogvar)}
	if n := 10 * float64(mean.Len()); mean.DType() == device.Double {
		c.Double = n
	} else {
		c.Real = n
	}
	return c
}

// softmax: the maximum, exp, sum, quotient, difference and scale of each output.
func (k counter) softmax(ell, dh, h, y *device.Tensor) Cost {
	return Cost{Real: 6 * float64(h.Len()), Bytes: k.bytes(h, y, dh, ell)}
}

// klDiag: 12 for each number.
func (k counter) klDiag(kl, dmean, dlogvar, dlogl, mean, logvar, logl *device.Tensor) Cost {
	return Cost{Real: 12 * float64(mean.Len()),
		Bytes: k.bytes(mean, logvar, logl, kl) + 2*k.bytes(dmean, dlogvar, dlogl)}
}

// klInducing: 4 for each number of m and of the triangle of s.
func (k counter) klInducing(kl, dm, ds, m, s *device.Tensor) Cost {
	numbers := float64(s.Len())
	if s.Rank() == 3 {
		numbers = float64(s.Dim(0)) * half(float64(s.Dim(1)))
	}
	return Cost{Double: 4 * (float64(m.Len()) + numbers), Bytes: k.bytes(m, s, kl) + 2*k.bytes(dm, ds)}
}

// adam: 14 for each parameter; it reads five vectors and writes three.
func (k counter) adam(p, g, m, v, rate *device.Tensor) Cost {
	return Cost{Real: 14 * float64(p.Len()), Bytes: k.bytes(p, g, m, v, rate) + k.bytes(p, m, v)}
}
