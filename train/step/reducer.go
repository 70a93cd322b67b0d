package step

import (
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/dist"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// A batch may be shared by several ranks, or cut into the shards of a sum in a fixed order. Each
// rank draws the row numbers of the whole batch, and goes through the rows of its own shards. Then a
// Reducer gives each rank the gradient of the batch. Parameters never travel: all ranks do the same
// update.

// Reducer adds up the gradients of a batch's shards over all ranks: local, host or nccl.
type Reducer interface {
	// shards are this rank's own of a batch, how many all ranks have, and whether the first of them is
	// the first of all, which has the KL terms.
	shards(batch int) (own []model.Shard, all int, first bool)
	// bind makes the memory of sums over the shards of a step; sum is nil where nothing is added up.
	bind(s *Step) (sum func(shard int) (ok bool))
	// replayable is false where sums interrupt the device.
	replayable() bool
	// run calls compute, which calls sum. An error is that of another rank.
	run(compute func(device.StepScalars), now device.StepScalars) error
}

// Votes are what each rank wants to tell the others with a step: its own before, and the sums over
// all ranks after it. So what a rank decides on its own clock, all ranks decide.
type Votes struct {
	Late        float64 // the time limit is over
	Interrupted float64
}

// NewReducer is the Reducer of some ranks; nil is one. Deterministic sums have the same bits for 1,
// 2, 4 and 8 ranks. Ranks on GPUs add up there if they can.
func NewReducer(c dist.Comm, deterministic bool) Reducer {
	if c == nil {
		c = dist.Alone()
	}
	a, onDevice := c.(adder)
	switch {
	case deterministic:
		return &host{comm: c, deterministic: true}
	case c.Size() == 1:
		return local{}
	case onDevice:
		return &nccl{adder: a, comm: c}
	}
	return &host{comm: c}
}

// shardsOf are the shards lo … hi−1 of n, and n.
func shardsOf(batch, lo, hi, n int) (own []model.Shard, all int, first bool) {
	for i := lo; i < hi; i++ {
		from, to := dist.Share(batch, i, n)
		own = append(own, model.Shard{Lo: from, Hi: to})
	}
	return own, n, lo == 0
}

// partsOf is how many parts each of n shards of a batch has. A shard has the same parts on any rank, whatever
// others that rank has, so that sums in a fixed order have the same bits. No part is empty: where a shard has
// fewer rows than parts, two rows go at once.
func partsOf(batch, n, most int) int {
	longest := (batch + n - 1) / n
	return max(1, min((longest+most-1)/most, batch/n))
}
