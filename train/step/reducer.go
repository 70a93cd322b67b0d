package step

import (
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/dist"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// A batch may be shared by several ranks, or cut into the shards of a sum in a fixed order. Each rank draws the row
// numbers of the whole batch, and computes the rows of its own shards. Then a Reducer gives each rank the gradient of
// the batch. Ranks never send parameters: all do the same update.

// Reducer adds up the gradients of a batch's shards over all ranks: localReducer, hostReducer or deviceReducer.
type Reducer interface {
	// shards returns this rank's shards of a batch, and the number that all ranks have. first is true if this rank has
	// the first of all, which has the KL terms.
	shards(batch int) (own []model.Shard, all int, first bool)
	// bind allocates the memory of sums over the shards of a step; sum is nil if there is nothing to add up.
	bind(s *Step) (sum func(shard int) (ok bool))
	// replayable reports whether a loop can replay the step: sums on the host interrupt the device.
	replayable() bool
	// run calls compute, which calls sum. The error tells that a rank is lost.
	run(compute func(device.StepScalars), now device.StepScalars) error
}

// Votes are the votes of the ranks to end the run: before a step the votes of this rank, and after it the sums over all
// ranks. So the clock of one rank ends the run on all of them.
type Votes struct {
	Late        float64 // votes since the time limit is over
	Interrupted float64 // votes since the context has ended
}

// NewReducer returns the Reducer for the ranks of c; nil is one rank. Deterministic sums have the same bits for 1, 2, 4
// and 8 ranks. Ranks on GPUs add up there if c can.
func NewReducer(c dist.Comm, deterministic bool) Reducer {
	if c == nil {
		c = dist.Alone()
	}
	a, onDevice := c.(deviceComm)
	switch {
	case deterministic:
		return &hostReducer{comm: c, deterministic: true}
	case c.Size() == 1:
		return localReducer{}
	case onDevice:
		return &deviceReducer{onDevice: a, comm: c}
	}
	return &hostReducer{comm: c}
}

// shardsOf returns the shards lo … hi−1 of n, and n.
func shardsOf(batch, lo, hi, n int) (own []model.Shard, all int, first bool) {
	for i := lo; i < hi; i++ {
		from, to := dist.Share(batch, i, n)
		own = append(own, model.Shard{Lo: from, Hi: to})
	}
	return own, n, lo == 0
}

// chunksOf returns the number of chunks of each of n shards of a batch, with at most the given number of rows in each.
// It does not depend on the rank, so that sums in a fixed order have the same bits. No chunk is empty: if a shard has
// fewer rows than chunks, two rows are one chunk.
func chunksOf(batch, n, most int) int {
	longest := (batch + n - 1) / n
	return max(1, min((longest+most-1)/most, batch/n))
}
