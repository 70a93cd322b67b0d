package step

import (
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/dist"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// adder is a Comm that adds up tensors where they lie, as the device comes to it. So a Loop records
// the sum with the rest of a step.
type adder interface {
	// Sum makes each tensor the sum of those of all ranks.
	Sum(tensors ...*device.Tensor)
	// Wait calls do, which waits for a Sum. Where another rank is lost, it ends the process.
	Wait(do func())
}

// nccl adds up on the device, in the order of its queue.
type nccl struct {
	adder adder
	comm  dist.Comm

	step    *Step
	sums    []*device.Tensor // the gradient, and numbers
	ells    []*device.Tensor // of this rank's parts, one each
	all     *device.Tensor   // the same in one
	numbers *device.Tensor   // Double: the votes, and ell in parts
	host    []float64        // the same
}

func (r *nccl) shards(batch int) ([]model.Shard, int, bool) {
	rank := r.comm.Rank()
	return shardsOf(batch, rank, rank+1, r.comm.Size())
}

func (r *nccl) bind(s *Step) func(shard int) bool {
	r.step = s
	r.sums, r.all = s.Model.Summands(s.Pass, 0)
	for i := range r.all.Len() {
		r.ells = append(r.ells, r.all.View(i, 1))
	}
	r.host = make([]float64, 2+r.all.Len()) // all ranks have as many parts
	r.numbers = s.dev.New(device.Double, len(r.host))
	r.sums = append(r.sums, r.numbers)
	return r.sum
}

func (r *nccl) replayable() bool { return true }

// sum puts the sum over all ranks on the device's queue.
func (r *nccl) sum(int) bool {
	for i, ell := range r.ells {
		r.step.dev.Copy(r.numbers.View(2+i, 1), ell)
	}
	r.adder.Sum(r.sums...)
	return true
}

// run reads the votes of all ranks, and the sum of ell for Model.Report.
func (r *nccl) run(compute func(device.StepScalars), now device.StepScalars) error {
	s := r.step
	clear(r.host)
	r.host[0], r.host[1] = s.Votes.Late, s.Votes.Interrupted
	s.dev.Upload(r.numbers, r.host)
	r.adder.Wait(func() {
		compute(now)
		s.dev.Download(r.host, r.numbers)
	})
	s.Votes = Votes{Late: r.host[0], Interrupted: r.host[1]}
	ell := 0.0
	for _, part := range r.host[2:] {
		ell += part
	}
	parts := r.host[:r.all.Len()]
	clear(parts)
	parts[0] = ell
	s.dev.Upload(r.all, parts)
	return nil
}
