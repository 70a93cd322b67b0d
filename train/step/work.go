package step

import (
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// work is what the device does in every step.
func (s *Step) work(now device.Live) {
	s.draw(now.Step)
	s.finished = s.Model.Gradient(s.Pass, s.Rows, model.Step{Seed: s.options.Seed, Number: now.Step,
		KLWeight: now.KLWeight, Leave: s.Leave})
	if s.finished {
		s.move(now)
	}
}

// update is what follows the sum over all ranks.
func (s *Step) update(now device.Live) {
	s.Model.Narrow()
	s.move(now)
}

// move moves the parameters along their gradient.
func (s *Step) move(now device.Live) {
	o := &s.options
	if o.Natural {
		s.Model.NaturalStep(now.Natural)
	}
	p := s.Model.Params()
	s.dev.Adam(p.Value, p.Grad, s.adam.m, s.adam.v, s.adam.rate, device.AdamStep{
		LR: now.LR, Beta1: o.Beta1, Beta2: o.Beta2, Eps: o.Eps, L2: o.L2, Scale: -1 / float64(s.Rows.N), Step: now.Step,
	})
}

// draw picks the batch: rows uniformly at random with replacement, as the paper does. Where the
// batch is the whole set, its rows are there in order since the start.
func (s *Step) draw(number device.Count) {
	if s.Pass.B < s.Rows.N {
		s.dev.DrawRows(s.Pass.Rows(), s.Rows.N, s.batch(number))
	}
}

// batch is the key of a step's batch.
func (s *Step) batch(number device.Count) device.Key {
	return device.Key{Seed: s.options.Seed, Step: number, Site: device.SiteBatch}
}

// send begins to bring the batch of a step, where rows stay on the host. The device computes
// meanwhile.
func (s *Step) send(number uint32) {
	if s.Rows.Streams() {
		s.Rows.Send(s.batch(device.Count{N: number}))
		s.sent = number
	}
}

// arrive brings the batch of a step, if it was not sent before.
func (s *Step) arrive(number uint32) {
	if s.Rows.Streams() {
		if s.sent != number {
			s.send(number)
		}
		s.Rows.Arrive()
	}
}
