package step

import (
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/dist"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// hostReducer is the Reducer that adds up in the memory of the host, with any dist.Comm.
type hostReducer struct {
	comm          dist.Comm
	deterministic bool
	tree          *dist.Tree // nil: sums in the order of the engine

	step     *Step
	gradient []*device.Tensor
	ells     []*device.Tensor // log-likelihoods of the chunks of each shard
	chunk    []float64        // log-likelihoods of the chunks of a shard, on the host
	flat     []float64        // gradient, log-likelihood, and both votes
	err      error            // error of the last sum
}

func (h *hostReducer) shards(batch int) ([]model.Shard, int, bool) {
	rank, size := h.comm.Rank(), h.comm.Size()
	if h.deterministic {
		lo, hi := dist.Share(dist.Shards, rank, size)
		return shardsOf(batch, lo, hi, dist.Shards)
	}
	return shardsOf(batch, rank, rank+1, size)
}

func (h *hostReducer) bind(s *Step) func(shard int) bool {
	own, _, _ := h.shards(s.options.Batch)
	h.step = s
	for i := range own {
		gradient, ells := s.Model.Summands(s.Workspace, i)
		h.gradient = gradient
		h.ells = append(h.ells, ells)
	}
	h.chunk = make([]float64, h.ells[0].Len())
	h.flat = make([]float64, s.Model.Params().Len()+3)
	if h.deterministic {
		h.tree = dist.NewTree(h.comm, len(h.flat))
	}
	return h.sum
}

func (h *hostReducer) replayable() bool { return false }

func (h *hostReducer) run(compute func(device.StepScalars), now device.StepScalars) error {
	compute(now)
	return h.err
}

// sum adds the gradient of a shard, and replaces the gradient by the sum over all ranks after the last shard.
func (h *hostReducer) sum(shard int) (ok bool) {
	rest := h.flat
	for _, t := range h.gradient {
		h.step.dev.Download(rest[:t.Len()], t)
		rest = rest[t.Len():]
	}
	h.step.dev.Download(h.chunk, h.ells[shard])
	clear(rest)
	for _, ell := range h.chunk {
		rest[0] += ell
	}
	if shard == 0 {
		rest[1], rest[2] = h.step.Votes.Late, h.step.Votes.Interrupted
	}
	last := shard == len(h.ells)-1
	switch {
	case h.tree == nil:
		h.err = h.comm.AllReduce(h.flat)
	case !last:
		h.tree.Add(h.flat)
		return true
	default:
		h.tree.Add(h.flat)
		h.err = h.tree.Sum(h.flat)
	}
	if h.err == nil {
		h.uploadSums()
	}
	return h.err == nil
}

// uploadSums replaces the gradient on the device by the sums, and sets the votes of the step.
func (h *hostReducer) uploadSums() {
	rest := h.flat
	for _, t := range h.gradient {
		h.step.dev.Upload(t, rest[:t.Len()])
		rest = rest[t.Len():]
	}
	for i, t := range h.ells {
		clear(h.chunk)
		if i == 0 {
			h.chunk[0] = rest[0]
		}
		h.step.dev.Upload(t, h.chunk)
	}
	h.step.Votes = Votes{Late: rest[1], Interrupted: rest[2]}
}
