package model

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// count computes log p of a count with log rate f of target t.
func (v *naive) count(y, f float64, variance []float64, t int) float64 {
	if v.cfg.Likelihood == NegativeBinomialLikelihood {
		r := 1 / (device.DispersionFloor + math.Exp(v.params["likelihood.log_dispersion"][0]))
		rate := math.Exp(f)
		return lgamma(y+r) - lgamma(r) - lgamma(y+1) + r*math.Log(r/(r+rate)) + y*math.Log(rate/(r+rate))
	}
	if v.cfg.takesMoments() {
		return y*f - tangentExp(f+variance[t]/2) - lgamma(y+1)
	}
	return y*f - tangentExp(f) - lgamma(y+1)
}

// tangentExp returns exp u, and its tangent from LogRateMax on.
func tangentExp(u float64) float64 {
	return math.Exp(min(u, device.LogRateMax)) * (1 + max(0, u-device.LogRateMax))
}

func lgamma(x float64) float64 {
	v, _ := math.Lgamma(x)
	return v
}

// ordinal computes log p of level y.
func (v *naive) ordinal(h float64, y int) float64 {
	lower, upper := math.Inf(-1), math.Inf(1)
	for k, at := range device.CutPoints(v.params["likelihood.cuts"]) {
		if k == y-1 {
			lower = at
		}
		if k == y {
			upper = at
		}
	}
	lower, upper = lower-h, upper-h
	if lower > 0 {
		lower, upper = -upper, -lower
	}
	return math.Log(math.Erfc(-upper/math.Sqrt2)/2 - math.Erfc(-lower/math.Sqrt2)/2)
}
