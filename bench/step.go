package main

import (
	"math/rand/v2"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/device/cpu"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// shape is the size of a training step: D inputs, J latents with kernels of their own, M pseudo-inputs, R
// frequencies, a batch of B rows and S samples, and classes, or 0 for regression.
type shape struct{ d, j, m, r, b, s, classes int }

// shapes are the steps that are compared with other libraries. bench/peers/steps.py has the same.
var shapes = map[string]shape{
	"mnist":   {d: 784, j: 50, m: 200, r: 500, b: 200, s: 10, classes: 10},
	"protein": {d: 9, j: 16, m: 500, r: 500, b: 500, s: 10},
}

// step is a training step of the paper's model with one layer of random features on synthetic rows: each latent
// with its own length-scales, full covariance, sampled weights and frequencies.
type step struct {
	dev        device.Device
	model      *model.Model
	data       *model.Data
	pass       *model.Pass
	m, v, rate *device.Tensor
	number     int
}

func newStep(n shape, workers int) (*step, error) {
	c := model.Config{
		Model: model.GPDRF, Inputs: n.d, Outputs: 1, Likelihood: model.GaussianLikelihood,
		Latents: n.j, Inducing: n.m, Lengthscales: model.ARD, QCov: model.Full, Whiten: true, LearnInducing: true,
		Layers: 1, Features: n.r, Hidden: 1, Spectra: model.VarResampled, FixedNoise: model.FixAll, Samples: n.s,
	}
	r := rand.New(rand.NewPCG(1, 2))
	uniform := func(k int) []float64 {
		x := make([]float64, k)
		for i := range x {
			x[i] = r.Float64()
		}
		return x
	}
	y, labels := uniform(n.b), []int32(nil)
	if n.classes > 0 {
		c.Outputs, c.Likelihood = n.classes, model.SoftmaxLikelihood
		y, labels = nil, make([]int32, n.b)
		for i := range labels {
			labels[i] = int32(r.IntN(n.classes))
		}
	}
	s := &step{dev: cpu.New[float32](workers)}
	var err error
	if s.model, err = model.New(s.dev, c); err != nil {
		return nil, err
	}
	s.model.Init(model.Init{Seed: 1, PseudoInputs: uniform(n.m * n.d), GPLengthscaleFactor: 0.5, DRFLengthscaleFactor: 1, NoiseVariance: 0.1})
	s.data, s.pass = s.model.Upload(n.b, uniform(n.b*n.d), y, labels), s.model.NewPass(n.s, n.b)
	rows := make([]int32, n.b)
	for i := range rows {
		rows[i] = int32(i)
	}
	s.dev.UploadInts(s.pass.Rows(), rows)
	p := s.model.Params().Len()
	s.m, s.v, s.rate = s.dev.New(device.Real, p), s.dev.New(device.Real, p), s.dev.New(device.Real, p)
	s.dev.Upload(s.rate, s.model.Params().Rates(func(model.Role) float64 { return 1 }))
	return s, nil
}

// run is what the trainer does in one step.
func (s *step) run() {
	s.number++
	s.model.Gradient(s.pass, s.data, model.Step{Seed: 1, Number: uint32(s.number), KLWeight: 1})
	p := s.model.Params()
	s.dev.Adam(p.Value, p.Grad, s.m, s.v, s.rate, device.AdamStep{
		LR: 1e-3, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8, Scale: -1 / float64(s.data.N), Step: s.number,
	})
}
