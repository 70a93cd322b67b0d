package step

import (
	"math"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// An abandoned step has drawn its batch. The bound after it is of the batch of the step before.
func TestBoundAfterAbandon(t *testing.T) {
	const n = 40
	x, y := make([]float64, 3*n), make([]float64, n)
	for i := range x {
		x[i] = math.Sin(float64(3 * i * i % 97))
	}
	for i := range y {
		y[i] = math.Cos(float64(i))
	}
	bound := func(abandoned bool) float64 {
		dev := must.Get(device.Open("cpu:f64"))(t)
		defer dev.Close()
		m, err := model.New(dev, model.Config{Model: model.DRF, Inputs: 3, Outputs: 1, Samples: 1,
			Likelihood: model.GaussianLikelihood, Layers: 1, Features: 5, Hidden: 1, Spectra: model.VarResampled})
		must.OK(t, err)
		m.Init(model.Init{Seed: 1, DRFLengthscaleFactor: 1, NoiseVariance: 0.1})
		s := New(dev, m, m.Upload(n, x, y, nil), NewReducer(nil, false),
			Options{Seed: 5, Samples: 1, Batch: 8, ChunkRows: 3, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8})
		if done, err := s.Do(device.StepScalars{Step: 1, LR: 1e-3, KLWeight: 1}); !done || err != nil {
			t.Fatalf("the step is done: %v, want true; %v", done, err)
		}
		s.Abandon = func() bool { return abandoned }
		if abandoned {
			if done, err := s.Do(device.StepScalars{Step: 2, LR: 1e-3, KLWeight: 1}); done || err != nil {
				t.Fatalf("the abandoned step is done: %v, want false; %v", done, err)
			}
		}
		must.OK(t, s.Bound(1, 1))
		e := must.Get(m.ReadELBO(1))(t)
		return e.Value
	}
	if plain, after := bound(false), bound(true); plain != after {
		t.Errorf("the bound is %v after an abandoned step, and %v without it", after, plain)
	}
}
