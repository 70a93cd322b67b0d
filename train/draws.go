package train

import (
	"context"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/internal/philox"
)

// Draws replaces each row's mixture by the normal of the moments that the paper estimates from T
// draws of it: for t = 1 … T choose s uniformly, then y⁽ᵗ⁾ of component s, and
//
//	ȳ = (1/T) Σ y⁽ᵗ⁾,   V = (1/(T−1)) Σ (y⁽ᵗ⁾ − ȳ)²
//
// (the moments below pred_ys_mc). The mixture's own Moments are the limit T → ∞. T is at least 2.
// Each target, by its number, has draws of its own; rows share them, as they share the noise of the
// mixture.
func Draws(m metrics.Mixture, target, draws int, seed uint64) metrics.Mixture {
	if draws < 2 {
		panic("train: a variance needs two draws")
	}
	key, c1, c2, c3 := device.Key{Seed: seed, Step: uint32(target), Site: device.SitePredict}.Words(0, 0)
	component, normal := make([]int, draws), make([]float64, draws)
	for t := range draws {
		w := philox.Block(key, [4]uint32{uint32(t), c1, c2, c3})
		component[t], normal[t] = int(uint64(w[3])*uint64(m.S)>>32), philox.Normals(w)[0]
	}
	out := metrics.Mixture{S: 1, N: m.N, Mean: make([]float64, m.N), Var: make([]float64, m.N)}
	y := make([]float64, draws)
	for n := range m.N {
		sum := 0.0
		for t, s := range component {
			y[t] = m.At(s, n, normal[t])
			sum += y[t]
		}
		mean := sum / float64(draws)
		squares := 0.0
		for _, v := range y {
			squares += (v - mean) * (v - mean)
		}
		out.Mean[n], out.Var[n] = mean, squares/float64(draws-1)
	}
	return out
}

// EvaluateDraws is Evaluate with the moments of Draws, or without them where draws is 0. A
// classification has its class probabilities without draws, so to ask for them is a *UsageError.
// progress is as for Predict.
func (t *Trained) EvaluateDraws(ctx context.Context, dev device.Device, ds *data.Dataset, samples, draws int, progress ...func(done int)) (*Scores, error) {
	if draws > 0 && t.Schema.Task != data.Regression {
		return nil, usagef("draws of the output are for regression: a classification has its class probabilities without them")
	}
	p, err := t.Predict(ctx, dev, ds, samples, progress...)
	if err != nil {
		return nil, err
	}
	s := t.score(p, ds, draws)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	sample, rows := ds.Sample(comparedRows, t.Seed)
	s.compared = t.densities(pickPrediction(p, rows), sample, draws)
	return s, nil
}
