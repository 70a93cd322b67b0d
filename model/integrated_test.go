package model

import (
	"math"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// A prediction with W and Ω integrated has the layer's own mean and variance: one Gaussian a row where nothing is
// drawn, otherwise one for each draw of F.
func TestPredictIntegrated(t *testing.T) {
	dev := openDevice(t, "cpu:f64")
	for _, c := range []Config{
		{Model: DRF, Inputs: 3, Outputs: 2, Likelihood: GaussianLikelihood, Samples: 2, Layers: 1,
			Features: 6, Hidden: 3, Spectra: VarIntegrated},
		{Model: GPDRF, Inputs: 3, Outputs: 2, Likelihood: GaussianLikelihood, Samples: 2, Latents: 4,
			Inducing: 5, Lengthscales: ARD, QCov: Full, Whiten: true,
			Layers: 1, Features: 6, Hidden: 3, Spectra: VarIntegrated, FeedForward: true, Skip: true},
	} {
		f := newFixture(t, dev, c)
		const n = 300 // two batches
		x := make([]float64, n*3)
		for i := range x {
			x[i] = math.Sin(float64(i))
		}
		p := must.Get(f.m.Predict(f.m.Upload(n, x, nil, nil), 70, 9))(t)
		samples := 70
		if c.Model == DRF {
			samples = 1
		}
		if p.S != samples || len(p.H) != samples*n*2 || len(p.Var) != samples*n*2 {
			t.Fatalf("%s: %d samples, %d means, %d variances", c.Model, p.S, len(p.H), len(p.Var))
		}
		noise := make([]float64, 2)
		for i, v := range f.naive.params["likelihood.log_variance"] {
			noise[i] = math.Exp(v)
		}
		if c.Model == DRF {
			for _, row := range []int{0, 255, 256, 299} {
				mean, variance := f.naive.featureMoments(0, x[row*3:][:3])
				for j := range 2 {
					if at := row*2 + j; math.Abs(p.H[at]-mean[j]) > 1e-10 ||
						math.Abs(p.Var[at]-variance[j]-noise[j]) > 1e-10 {
						t.Errorf("row %d, output %d: mean %g and variance %g, want %g and %g", row, j, p.H[at],
							p.Var[at], mean[j], variance[j]+noise[j])
					}
				}
			}
			continue
		}
		for i, v := range p.Var {
			if v <= noise[i%2] {
				t.Fatalf("component %d: variance %g of noise %g alone", i, v, noise[i%2])
			}
		}
	}
}
