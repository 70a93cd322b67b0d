package model

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// ofMoments computes E log N(y; f, noise) for f ~ N(mean, variance), or the predictive objective's counterpart.
func (v *naive) ofMoments(y, mean, variance, noise float64) float64 {
	expected := logNormal(y, mean, noise) - variance/(2*noise)
	if v.step.Predictive {
		return (1-device.BoundShare)*logNormal(y, mean, noise+variance) + device.BoundShare*expected
	}
	return expected
}

// factor returns L of column j of W.
func (v *naive) factor(l, j int) [][]float64 {
	columns, out := 2*v.cfg.Features, v.cfg.layerOutputs(l)
	factor := make([][]float64, columns)
	for i := range factor {
		factor[i] = make([]float64, columns)
		if v.cfg.WCov == Full && l == v.cfg.Layers-1 {
			copy(factor[i][:i], v.layer(l, "lower_w")[(j*columns+i)*columns:])
		}
		factor[i][i] = math.Exp(v.layer(l, "logvar_w")[i*out+j] / 2)
	}
	return factor
}

// featureMoments computes E and Var over q(W) q(Ω) of one row's outputs of a layer. Frequencies are independent. E f²
// of each is the mean of a product of independent variables, by E cos kθ = exp(−k²v/2) cos kt and E sin kθ =
// exp(−k²v/2) sin kt.
func (v *naive) featureMoments(l int, in []float64) (mean, variance []float64) {
	c := &v.cfg
	r, out := c.Features, c.layerOutputs(l)
	mean, variance = make([]float64, out), make([]float64, out)
	share, rho := math.Exp(v.layer(l, "log_alpha")[0])/float64(r), math.Exp(v.layer(l, "log_rho")[0])
	phi := make([]float64, 2*r)
	for k := range r {
		t, w := 0.0, 0.0
		for i, h := range in {
			if kernel, _ := kernelOf(c.FeatureKernel); kernel != device.RBF {
				h *= v.layer(l, "mixing")[k]
			}
			h /= math.Exp(v.layer(l, "log_lengthscale")[i]) // ω = (τ + ρζ)/ℓ
			t += h * (v.layer(l, "tau")[i*r+k] + rho*v.layer(l, "mean_omega")[i*r+k])
			w += h * h * rho * rho * math.Exp(v.layer(l, "logvar_omega")[i*r+k])
		}
		cos, sin := math.Exp(-w/2)*math.Cos(t), math.Exp(-w/2)*math.Sin(t)
		cosCos, sinSin := (1+math.Exp(-2*w)*math.Cos(2*t))/2, (1-math.Exp(-2*w)*math.Cos(2*t))/2
		cosSin := math.Exp(-2*w) * math.Sin(2*t) / 2
		phi[k], phi[r+k] = cos, sin
		for j := range out {
			factor := v.factor(l, j)
			mc, ms := v.layer(l, "mean_w")[k*out+j], v.layer(l, "mean_w")[(r+k)*out+j]
			vc, vs, both := dot(factor[k], factor[k]), dot(factor[r+k], factor[r+k]), dot(factor[k], factor[r+k])
			first := mc*cos + ms*sin
			mean[j] += math.Sqrt(share) * first
			variance[j] += share * ((mc*mc+vc)*cosCos + (ms*ms+vs)*sinSin + 2*(mc*ms+both)*cosSin - first*first)
		}
	}
	for j := range out {
		factor := v.factor(l, j)
		for a := range phi {
			for b := range phi {
				if a%r != b%r {
					variance[j] += share * dot(factor[a], factor[b]) * phi[a] * phi[b]
				}
			}
		}
	}
	return mean, variance
}
