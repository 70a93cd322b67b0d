package metrics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// logMixtures returns mixtures of logarithms: weighted, with variances of their own, and with one variance.
func logMixtures() map[string]LogNormalMixture {
	own := completed(12, rand.New(rand.NewPCG(4, 4)))["weighted"]
	own.TailShare = 0
	one := completed(12, rand.New(rand.NewPCG(5, 5)))["one variance"]
	one.TailShare = 0
	return map[string]LogNormalMixture{"weighted": {own, 3, 0.7, 100}, "one variance": {one, -2, 1.1, 100}}
}

// The density of y has the integral 1, and the CDF, the moments and the CRPS of their definitions.
func TestLogMixture(t *testing.T) {
	for name, l := range logMixtures() {
		y := math.Exp(l.Centre + 0.4*l.Unit)
		total, mean, square, crps := 0.0, 0.0, 0.0, 0.0
		const step = 0.002
		for u := -25 + step/2; u < 25; u += step {
			at := math.Exp(l.Centre + u)
			width := at * step
			mass := math.Exp(l.LogDensity(0, at)) * width
			total, mean, square = total+mass, mean+at*mass, square+at*at*mass
			off := l.CDF(0, at)
			if at > y {
				off = l.survival(0, l.scaled(at))
			}
			crps += off * off * width
			if math.Abs(l.CDF(0, math.Exp(l.Centre+u+step/2))-total) > 1e-5 {
				t.Fatalf("%s: CDF(%g) is %g, not %g", name, at, l.CDF(0, at), total)
			}
		}
		got, variance := l.Moments(0)
		check(t, name+", integral", total, 1, 1e-9)
		check(t, name+", mean", got, mean, 1e-6)
		check(t, name+", variance", variance/(square-mean*mean), 1, 1e-5)
		check(t, name+", CRPS", l.CRPS(0, y)/crps, 1, 1e-3)
		if l.CDF(0, 0) != 0 || !math.IsInf(l.LogDensity(0, -1), -1) {
			t.Errorf("%s: something is at or below 0", name)
		}
	}
}

// The CRPS of logarithms that vary over many decades, whose means are far above all else, is ∫ (CDF(t) − 1[t ≥ y])² dt.
func TestLogMixtureWide(t *testing.T) {
	wide := map[string]LogNormalMixture{
		"one":         {Mixture{S: 1, N: 1, Mean: []float64{-30}, Var: []float64{400}}, 0, 1, 100},
		"one of many": {Mixture{S: 3, N: 1, Mean: []float64{1, -2, 0}, Var: []float64{0.1, 90, 2}}, -5, 2, 100},
		"narrow":      {Mixture{S: 2, N: 1, Mean: []float64{0, 1e-3}, Var: []float64{1e-6, 4e-6}}, 2, 1, 100},
	}
	for name, l := range wide {
		for _, at := range []float64{-2, 0, 3} {
			a, b := l.component(0, 0)
			y := math.Exp(a + at*b)
			step, crps := b/1000, 0.0
			s, f := 1.0, 1.0
			for u := math.Log(y) + step/2; s > 0 && u < 700; u += step {
				s = l.survival(0, (u-l.Centre)/l.Unit)
				crps += s * s * math.Exp(u) * step
			}
			for u := math.Log(y) - step/2; f > 0 && u > math.Log(y)-40; u -= step {
				f = l.CDF(0, math.Exp(u))
				crps += f * f * math.Exp(u) * step
			}
			check(t, fmt.Sprintf("%s at %g", name, at), l.CRPS(0, y)/crps, 1, 1e-3)
		}
	}
}

// Moments, and the part of the variance that is noise, agree with draws. Noise is half of each component's variance.
func TestLogMixtureDraws(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	for name, l := range logMixtures() {
		const draws, inner = 40000, 2
		mean, within, square := 0.0, 0.0, 0.0
		for range draws {
			s := l.SampleComponent(rng.Float64())
			half := l.scale(s, 0) * math.Sqrt(0.5)
			f := l.Mean[s] + half*rng.NormFloat64()
			a := math.Exp(l.Centre + l.Unit*(f+half*rng.NormFloat64()))
			b := math.Exp(l.Centre + l.Unit*(f+half*rng.NormFloat64()))
			mean += (a + b) / inner / draws
			square += (a*a + b*b) / inner / draws
			within += (a - b) * (a - b) / 2 / draws
		}
		got, variance := l.Moments(0)
		check(t, name+", mean", got/mean, 1, 0.03)
		check(t, name+", variance", variance/(square-mean*mean), 1, 0.3)
		check(t, name+", noise", l.NoiseVariance(0, l.MeanComponentVariance(0)/2)/within, 1, 0.3)
	}
}

// Components that differ leave some variance that is no noise, also where noise exceeds the variance of one of them.
func TestLogMixtureNoiseOfUnlikeComponents(t *testing.T) {
	l := LogNormalMixture{Mixture{S: 2, N: 1, Mean: []float64{5, 0}, Var: []float64{0.1, 4}}, 0, 1, 1000}
	_, variance := l.Moments(0)
	if noise := l.NoiseVariance(0, l.MeanComponentVariance(0)); !(noise > 0 && noise < 0.5*variance) {
		t.Errorf("noise has %g of the variance %g", noise, variance)
	}
}

// Far logarithms leave moments that are numbers, which end near the top, and a variance above 0.
func TestLogMixtureFar(t *testing.T) {
	for _, top := range []float64{10, 1000} {
		for _, far := range []float64{1, 1000, 1e200} {
			l := LogNormalMixture{Mixture{S: 2, N: 1, Mean: []float64{0, 1}, Var: []float64{1, far}}, 0, 5, top}
			mean, variance := l.Moments(0)
			most := math.Exp(min(top, maxLog)) * (1 + 1e-9)
			noise, crps := l.NoiseVariance(0, min(far, 1)), l.CRPS(0, 3)
			if !(mean <= most) {
				t.Errorf("top %g, far %g: mean %g is above the bound %g", top, far, mean, most)
			}
			if !(variance > 0 && math.Sqrt(variance) <= 2*most) {
				t.Errorf("top %g, far %g: variance %g is no square between 0 and %g", top, far, variance, 2*most)
			}
			if !(noise <= variance) {
				t.Errorf("top %g, far %g: noise %g exceeds the variance %g", top, far, noise, variance)
			}
			if !(crps >= 0) {
				t.Errorf("top %g, far %g: CRPS %g is negative", top, far, crps)
			}
		}
	}
}
