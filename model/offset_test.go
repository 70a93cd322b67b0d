package model

import (
	"math"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// Where nothing is known yet, a classifier predicts the shares of the classes; one without rows too has a share.
func TestOffsetsStartAtShares(t *testing.T) {
	for _, likelihood := range []string{SoftmaxLikelihood, BernoulliLikelihood} {
		rows := []int{30, 10, 0}
		if likelihood == BernoulliLikelihood {
			rows = rows[:2]
		}
		c := Config{Model: GP, Inputs: 3, Likelihood: likelihood,
			Outputs: OutputsFor(likelihood, len(rows)), ClassOffsets: true, Samples: 1,
			Inducing: 5, Lengthscales: Shared, QCov: Diagonal, Whiten: true}
		c.Latents = c.Outputs
		f := newFixture(t, openDevice(t, "cpu:f64"), c)
		f.m.Init(Init{Seed: 1, ClassRows: rows, GPLengthscaleFactor: 1, InducingPoints: make([]float64, 15)})
		at := findBlock(f.m, "likelihood.offset")
		b := f.m.Export()[len(f.m.params.blocks)-1].Data
		if likelihood == BernoulliLikelihood {
			b = []float64{0, b[0]}
		}
		total, norm := float64(len(rows))/2, 0.0
		for i, n := range rows {
			total += float64(n)
			norm += math.Exp(b[i])
		}
		for i, n := range rows {
			if got, want := math.Exp(b[i])/norm, (float64(n)+0.5)/total; math.Abs(got-want) > 1e-12 {
				t.Errorf("%s: %s gives class %d a share of %g, not %g", likelihood, at.Name, i, got, want)
			}
		}
	}
}

// A prediction has the offsets, once: its logits differ by them from the logits of the same model without offsets.
func TestOffsetsArePredicted(t *testing.T) {
	for _, likelihood := range []string{SoftmaxLikelihood, BernoulliLikelihood} {
		for _, c := range []Config{
			{Model: GP, Inducing: 5, Lengthscales: Shared, QCov: Diagonal, Whiten: true, LearnInducing: true},
			{Model: DRF, Layers: 1, Features: 4, Hidden: 2, Spectra: VarFixed + EachSample, LocalReparam: true},
		} {
			c.Inputs, c.Likelihood, c.Outputs, c.ClassOffsets, c.Samples = 3, likelihood,
				OutputsFor(likelihood, 2), true, 2
			if c.Model == GP {
				c.Latents = c.Outputs
			}
			f := newFixture(t, openDevice(t, "cpu:f64"), c)
			logits := func(b ...float64) []float64 {
				flat := append([]float64(nil), f.flat...)
				copy(flat[findBlock(f.m, "likelihood.offset").offset:], b)
				f.m.dev.Upload(f.m.params.Value, flat)
				p := must.Get(f.m.Predict(f.data, 3, 5))(t)
				return p.H
			}
			without, with := logits(0, 0), logits(1.5, -0.25)
			shift := []float64{1.5, -0.25}
			if likelihood == BernoulliLikelihood {
				without, with, shift = logits(0), logits(1.5), []float64{0, 1.5}
			}
			for i := range with {
				if math.Abs(with[i]-without[i]-shift[i%2]) > 1e-12 {
					t.Fatalf("%s %s: logit %d moves by %g, not %g", c.Model, likelihood, i,
						with[i]-without[i], shift[i%2])
				}
			}
		}
	}
}
