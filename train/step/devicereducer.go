package step

import (
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/dist"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// deviceComm is a Comm that adds up tensors on the device, in the order of its queue. So a loop records the sum with
// the rest of a step.
type deviceComm interface {
	// Sum replaces each tensor by the sum of the tensors of all ranks.
	Sum(tensors ...*device.Tensor)
	// Wait calls do, which waits for a Sum. It ends the process if another rank is lost.
	Wait(do func())
}

// deviceReducer is the Reducer that adds up on the device, in the order of its queue.
type deviceReducer struct {
	onDevice deviceComm
	comm     dist.Comm

	step      *Step
	sums      []*device.Tensor // tensors to add up: the gradient, and numbers
	ells      []*device.Tensor // views of chunkElls, one for each chunk
	chunkElls *device.Tensor   // log-likelihoods of this rank's chunks
	numbers   *device.Tensor   // votes and log-likelihoods of the chunks, in double
	host      []float64        // copy of numbers on the host
}

func (r *deviceReducer) shards(batch int) ([]model.Shard, int, bool) {
	rank := r.comm.Rank()
	return shardsOf(batch, rank, rank+1, r.comm.Size())
}

func (r *deviceReducer) bind(s *Step) func(shard int) bool {
	r.step = s
	r.sums, r.chunkElls = s.Model.Summands(s.Workspace, 0)
	for i := range r.chunkElls.Len() {
		r.ells = append(r.ells, r.chunkElls.View(i, 1))
	}
	r.host = make([]float64, 2+r.chunkElls.Len()) // all ranks have the same number of chunks
	r.numbers = s.dev.New(device.Double, len(r.host))
	r.sums = append(r.sums, r.numbers)
	return r.sum
}

func (r *deviceReducer) replayable() bool { return true }

// sum puts the sum over all ranks on the device's queue.
func (r *deviceReducer) sum(int) bool {
	for i, ell := range r.ells {
		r.step.dev.Copy(r.numbers.View(2+i, 1), ell)
	}
	r.onDevice.Sum(r.sums...)
	return true
}

// run adds up the votes of all ranks, and the log-likelihoods for Model.ReadELBO.
func (r *deviceReducer) run(compute func(device.StepScalars), now device.StepScalars) error {
	s := r.step
	clear(r.host)
	r.host[0], r.host[1] = s.Votes.Late, s.Votes.Interrupted
	s.dev.Upload(r.numbers, r.host)
	r.onDevice.Wait(func() {
		compute(now)
		s.dev.Download(r.host, r.numbers)
	})
	s.Votes = Votes{Late: r.host[0], Interrupted: r.host[1]}
	ell := 0.0
	for _, chunk := range r.host[2:] {
		ell += chunk
	}
	chunks := r.host[:r.chunkElls.Len()]
	clear(chunks)
	chunks[0] = ell
	s.dev.Upload(r.chunkElls, chunks)
	return nil
}
