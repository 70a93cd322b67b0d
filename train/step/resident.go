package step

import "github.com/gpdrf/gpdrf-gpu/device"

// adder is a Comm that adds up tensors where they lie, as the device comes to it. So a Loop records
// the sum with the rest of a step.
type adder interface {
	// Sum makes each tensor the sum of those of all ranks.
	Sum(tensors ...*device.Tensor)
	// Wait calls do, which waits for a Sum. Where another rank is lost, it ends the process.
	Wait(do func())
}

// resident is a shared step whose gradient stays on the device.
type resident struct {
	adder
	loop *device.Loop
	sums []*device.Tensor // the gradient, and the tail
	ells []*device.Tensor // this rank's parts of ell
	tail *device.Tensor   // Double: the votes, and ell in parts
	host []float64        // the tail
}

// newResident makes the shared step of this rank, whose pass has one shard.
func (s *Step) newResident(a adder) *resident {
	o := &s.options
	r := &resident{adder: a, loop: device.NewLoop(s.dev, func(now device.Live) {
		s.draw(now.Step)
		s.gradientOf(0, now)
		s.add()
		s.update(now)
	})}
	r.sums, r.ells = s.Model.Unrounded(s.Pass, 0)
	// the parts of the rank that has most: all need the same tail
	rows := (o.Batch + o.Comm.Size() - 1) / o.Comm.Size()
	r.host = make([]float64, 2+(rows+o.AtOnce-1)/o.AtOnce)
	r.tail = s.dev.New(device.Double, len(r.host))
	r.sums = append(r.sums, r.tail)
	return r
}

// add puts the sum over all ranks on the device's queue.
func (s *Step) add() {
	r := s.ranks.resident
	for i, ell := range r.ells {
		s.dev.Copy(r.tail.View(2+i, 1), ell)
	}
	r.Sum(r.sums...)
}

// exchange calls work, which adds, and reads what all ranks have voted and what ell comes to.
func (s *Step) exchange(work func()) {
	r := s.ranks.resident
	clear(r.host)
	r.host[0], r.host[1] = s.Votes.Late, s.Votes.Interrupted
	s.dev.Upload(r.tail, r.host)
	r.Wait(func() {
		work()
		s.dev.Download(r.host, r.tail)
	})
	s.Votes = Votes{Late: r.host[0], Interrupted: r.host[1]}
	ell := 0.0
	for _, part := range r.host[2:] {
		ell += part
	}
	s.Pass.SetEll(ell)
}
