package step

import (
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// compute does the work of the device in every step: the batch, its gradient, the update.
func (s *Step) compute(now device.LiveScalars) {
	s.draw(now.Step)
	if s.done = s.gradient(now, s.Abandon); s.done {
		s.update(now)
	}
}

// draw draws the batch: rows uniformly at random with replacement, as in the paper. A batch of all rows is in order,
// and does not change.
func (s *Step) draw(number device.StepNumber) {
	if s.Workspace.B < s.Rows.N {
		s.dev.DrawRows(s.Workspace.Rows(), s.Rows.N, s.batchKey(number))
	}
}

// batchKey returns the key of a step's batch.
func (s *Step) batchKey(number device.StepNumber) device.Key {
	return device.Key{Seed: s.options.Seed, Step: number, Site: device.SiteBatch}
}

// gradient computes the gradient of the whole batch, on each rank. A batch that ranks share is never abandoned.
func (s *Step) gradient(now device.LiveScalars, abandon func() bool) (done bool) {
	args := model.GradientArgs{Seed: s.options.Seed, Step: now.Step, KLWeight: now.KLWeight,
		Predictive: s.options.Predictive, Abandon: abandon}
	if s.sum != nil {
		args.Abandon, args.Sum = nil, s.sum
	}
	if !s.hasFirstShard {
		args.KLWeight = device.Scalar{}
	}
	return s.Model.Gradient(s.Workspace, s.Rows, args)
}

// update moves the parameters along their gradient.
func (s *Step) update(now device.LiveScalars) {
	o := &s.options
	if o.Natural {
		s.Model.NaturalStep(now.Natural)
	}
	p := s.Model.Params()
	s.dev.Adam(p.Value, p.Grad, s.adam.m, s.adam.v, s.adam.rate, device.AdamStep{
		LR: now.LR, Beta1: o.Beta1, Beta2: o.Beta2, Eps: o.Eps, L2: o.L2, Scale: -1 / s.Rows.Total(), Step: now.Step,
	})
}
