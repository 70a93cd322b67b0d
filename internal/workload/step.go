package workload

import (
	"math/rand/v2"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// Step is a training step on synthetic rows, the same on every device.
type Step struct {
	Shape      Shape
	dev        device.Device
	model      *model.Model
	data       *model.Data
	pass       *model.Pass
	m, v, rate *device.Tensor
	loop       *device.Loop
	number     uint32
}

// NewStep makes a step on a device, which stays the caller's.
func NewStep(dev device.Device, n Shape) (*Step, error) {
	r := rand.New(rand.NewPCG(1, 2))
	uniform := func(k int) []float64 {
		x := make([]float64, k)
		for i := range x {
			x[i] = r.Float64()
		}
		return x
	}
	y, labels := uniform(n.B), []int32(nil)
	if n.Classes > 0 {
		y, labels = nil, make([]int32, n.B)
		for i := range labels {
			labels[i] = int32(r.IntN(n.Classes))
		}
	}
	s := &Step{Shape: n, dev: dev}
	var err error
	if s.model, err = model.New(dev, n.config()); err != nil {
		return nil, err
	}
	s.model.Init(model.Init{Seed: 1, PseudoInputs: uniform(n.M * n.D), Sigma: []float64{1}, GPLengthscaleFactor: 0.5, DRFLengthscaleFactor: 1, NoiseVariance: 0.1})
	if n.I > 0 {
		s.data = n.uploadSequences(s.model, r, y, labels)
	} else {
		s.data = s.model.Upload(n.B, uniform(n.B*n.D), y, labels)
	}
	s.pass = s.model.NewPass(n.S, n.B)
	rows := make([]int32, n.B)
	for i := range rows {
		rows[i] = int32(i)
	}
	dev.UploadInts(s.pass.Rows(), rows)
	p := s.model.Params().Len()
	s.m, s.v, s.rate = dev.New(device.Real, p), dev.New(device.Real, p), dev.New(device.Real, p)
	dev.Upload(s.rate, s.model.Params().Rates(func(model.Role) float64 { return 1 }))
	s.loop = device.NewLoop(dev, s.work)
	return s, nil
}

// Run is what the trainer does in one step. A device may still be at it when Run returns.
func (s *Step) Run() {
	s.number++
	s.loop.Run(device.Now{Step: s.number, LR: 1e-3, KLWeight: 1})
}

func (s *Step) work(now device.Now) {
	s.model.Gradient(s.pass, s.data, model.Step{Seed: 1, Number: now.Step, KLWeight: now.KLWeight})
	p := s.model.Params()
	s.dev.Adam(p.Value, p.Grad, s.m, s.v, s.rate, device.AdamStep{
		LR: now.LR, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8, Scale: -1 / float64(s.data.N), Step: int(now.Step),
	})
}

// Wait waits for the steps that were run, and is the bound of the last one.
func (s *Step) Wait() (model.ELBO, error) { return s.model.Report(1) }
