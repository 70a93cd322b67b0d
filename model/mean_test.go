package model

import (
	"slices"
	"testing"
)

// A linear mean is the identity on what two layers have in common, or the directions of inputs that
// are wider than the layer.
func TestLinearMean(t *testing.T) {
	dev := openDevice(t, "cpu:f64")
	base := Config{Inputs: 3, Outputs: 1, Likelihood: GaussianLikelihood, Samples: 1, Latents: 3, Inducing: 2, Lengthscales: ARD, QCov: Full, Whiten: true,
		Layers: 2, Features: 2, Hidden: 2, Spectra: VarFixed, FixedNoise: FixSpectra, FeedForward: true, Mean: LinearMean}
	directions := []float64{0.6, 0, 0.8, 0, 0, 1}
	for _, c := range []struct {
		model          string
		latents, width int
		want           []float64 // A of the first layer
	}{
		{GPDRF, 3, 2, []float64{1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0}},
		{GPDRF, 1, 2, []float64{1, 0, 0, 0, 0, 0, 0, 0}},
		{DRF, 0, 2, directions},
		{DRF, 0, 3, []float64{1, 0, 0, 0, 1, 0, 0, 0, 1}},
		{DRF, 0, 4, []float64{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}},
	} {
		cfg := base
		cfg.Model, cfg.Latents, cfg.Hidden = c.model, c.latents, c.width
		m, err := New(dev, cfg)
		if err != nil {
			t.Fatal(err)
		}
		m.Init(Init{Seed: 1, PseudoInputs: make([]float64, 6), Directions: directions, GPLengthscaleFactor: 1, DRFLengthscaleFactor: 1, NoiseVariance: 1})
		means := 0
		for _, n := range m.Export() {
			switch n.Name {
			case "drf.0.mean":
				if !slices.Equal(n.Data, c.want) {
					t.Errorf("%s, %d latents to %d: %v", c.model, c.latents, c.width, n.Data)
				}
				means++
			case "drf.1.mean":
				t.Errorf("%s: the last layer has a mean", c.model)
			}
		}
		if means != 1 {
			t.Errorf("%s: %d means", c.model, means)
		}
	}
}
