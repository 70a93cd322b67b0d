package model

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// Ordinal is p(y = k | h) = Φ(κ_k+1 − h) − Φ(κ_k − h) of K levels in order; the cut points κ are its parameters.
type Ordinal struct {
	dev         device.Device
	cuts, dcuts *device.Tensor // [K−1]: κ_1, then logarithms of gaps
}

// LogLik computes (1/S) Σ_s log p(y | h⁽ˢ⁾).
func (o *Ordinal) LogLik(ell *device.Tensor, g, a device.LikelihoodArgs, scale float64) {
	g.Cuts, a.Cuts = o.dcuts, o.cuts
	o.dev.OrdinalLogLik(ell, g, a, scale)
}

// Predictive makes log probabilities of the K levels, which are logits of a softmax.
func (o *Ordinal) Predictive(p *Prediction) {
	cuts := o.cutPoints()
	levels := make([]float64, 0, len(p.H)*(len(cuts)+1))
	for _, h := range p.H {
		lower := math.Inf(-1)
		for _, upper := range append(cuts, math.Inf(1)) {
			levels = append(levels, device.LogProbit(lower-h, upper-h))
			lower = upper
		}
	}
	p.H, p.C = levels, len(cuts)+1
}

// cutPoints returns κ_1 … κ_K−1, read from the device.
func (o *Ordinal) cutPoints() []float64 { return device.CutPoints(numbers(o.dev, o.cuts)) }

// ordinalBlocks reserves the cut points.
func ordinalBlocks(p *Params, c *Config) (bind func(device.Device) Likelihood) {
	at := p.add(Kernel, "likelihood.cuts", shape(c.Levels-1),
		func(dst []float64, v *Init, _ func([]float64)) { initCuts(dst, v.ClassRows) })
	return func(dev device.Device) Likelihood {
		o := &Ordinal{dev: dev}
		o.cuts, o.dcuts = p.real(at)
		return o
	}
}

// initCuts starts cut points at the quantiles of the levels' rows under N(0, 2): a latent function and the
// noise of 1. Half a row is added to each level.
func initCuts(cuts []float64, rows []int) {
	total := 0.5 * float64(len(rows))
	for _, n := range rows {
		total += float64(n)
	}
	below, last := 0.0, 0.0
	for k := range cuts {
		below += (float64(rows[k]) + 0.5) / total
		at := 2 * math.Erfinv(2*below-1)
		if cuts[k] = at; k > 0 {
			cuts[k] = math.Log(max(at-last, initLeastGap))
		}
		last = at
	}
}
