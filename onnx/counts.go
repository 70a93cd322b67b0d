package onnx

import (
	"cmp"
	"math"

	"github.com/gpdrf/gpdrf-gpu/model"
)

// maxLogRate is the largest log rate, as in metrics.CountMixture.
const maxLogRate = 300

// counts returns mean and variance of counts with log rates h [S,B,C], which are normal if there is a variance:
//
//	mean E λ,   variance E λ + (1 + δ) E λ² − (E λ)²,   λ = exp(h + b + √v x)
//
// over samples and, for normal log rates, over the nodes x of Gauss–Hermite.
func (g graph) counts(s *model.Snapshot, h, variance value) (p part) {
	h = g.add(h, g.Doubles(s.LogRate, len(s.LogRate)))
	nodes, weights := []float64{0}, []float64{1}
	if s.TakesMoments {
		nodes, weights = s.Nodes, s.Weights
	}
	var mean, square value
	for q, x := range nodes {
		at := h
		if s.TakesMoments {
			at = g.add(h, g.times(x, g.Op("Sqrt", variance)))
		}
		rate := g.Op("Exp", g.Op("Min", at, g.Scalar(maxLogRate)))
		first, second := g.times(weights[q], g.mean(rate)), g.times(weights[q], g.mean(g.square(rate)))
		if q > 0 {
			first, second = g.add(mean, first), g.add(square, second)
		}
		mean, square = first, second
	}
	p.mean = mean
	p.variance = g.add(mean, g.sub(g.times(1+s.Dispersion, square), g.square(mean)))
	return p
}

// levels returns the probabilities of an ordinal likelihood, Φ(κ_k+1 − h) − Φ(κ_k − h), averaged over samples.
func (g graph) levels(s *model.Snapshot, h value) value {
	below := g.normal(g.sub(g.Doubles(s.Cuts, len(s.Cuts)), h)) // [S,B,K−1]
	none := g.sub(h, h)
	one := g.add(none, g.Scalar(1))
	p := g.sub(g.concat(2, []value{below, one}), g.concat(2, []value{none, below}))
	if t := cmp.Or(s.Temperature, 1); t != 1 {
		const least = 1e-12 // this is below the error of normal
		p = g.Op("Exp", g.times(1/t, g.Op("Log", g.max(p, least))))
		p = g.div(p, g.sum(p, 2))
	}
	return g.mean(p)
}

// normal returns Φ(z) to 1e-7, by the rational approximation 7.1.26 of Abramowitz and Stegun, since runtimes have Erf
// in single precision only.
func (g graph) normal(z value) value {
	x := g.times(1/math.Sqrt2, g.Op("Abs", z))
	t := g.div(g.Scalar(1), g.add(g.Scalar(1), g.times(0.3275911, x)))
	series := g.Scalar(1.061405429)
	for _, a := range []float64{-1.453152027, 1.421413741, -0.284496736, 0.254829592} {
		series = g.add(g.Scalar(a), g.mul(t, series))
	}
	tail := g.times(0.5, g.mul(g.mul(t, series), g.Op("Exp", g.times(-1, g.square(x)))))
	return g.Op("Where", g.Op("Greater", z, g.Scalar(0)), g.sub(g.Scalar(1), tail), tail)
}
