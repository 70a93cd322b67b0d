// Package dist joins the processes of one training. A launcher starts them: mpirun, srun, torchrun or an operator of
// Kubernetes. Detect finds the rank of this process, a Comm adds up vectors over all of them, and Agree compares their
// tasks. Packages dist/mpi and dist/nccl have the engines.
//
// Ranks share a batch, and nothing else: each has all rows and all parameters. The likelihood's terms have the scale
// N/B of the whole batch, and one shard of all has the KL terms, so the sum of the shards' gradients is the gradient.
// Decisions by a clock are rank 0's, or are votes that travel with the gradient. On GPUs, NCCL adds up the tensors
// where they lie, as work on the device's own queue. A checkpoint knows nothing of ranks. A Tree adds up eight shards
// in one order, for the same bits on 1, 2, 4 and 8 ranks.
package dist

import "errors"

// Comm is a job of Size processes, of which this one is number Rank. All calls but Abort are collective: each rank
// makes the same calls in the same order, or all of them wait.
type Comm interface {
	// Rank returns the number of this process, from 0 to Size−1.
	Rank() int
	// Size returns the number of ranks.
	Size() int
	// AllReduce makes x the sum of the x of all ranks, which must have the same length. All ranks get the same bits;
	// the engine chooses the order of the sum.
	AllReduce(x []float64) error
	// Broadcast makes b the b of rank root on all ranks. All must have the same length.
	Broadcast(b []byte, root int) error
	// Barrier waits until all ranks have called it.
	Barrier() error
	// Abort ends the processes of all ranks with this exit code, as far as the engine can.
	Abort(code int)
	// Close leaves the job. It waits for the other ranks.
	Close() error
	// String names the engine and its version.
	String() string
}

// ErrAborted is the error of collective calls after another rank's Abort, if they return at all.
var ErrAborted = errors.New("another rank has ended the job")

// Alone returns a job of one process. It is always the same Comm, so that a step can call Alone without allocating.
func Alone() Comm { return alone }

var alone = Dry(0, 1)

// Dry returns a Comm for rank rank of size, whose calls do nothing. It serves measurements of memory, and the time
// before an engine exists.
func Dry(rank, size int) Comm { return dry{rank, size} }

type dry struct{ rank, size int }

func (d dry) Rank() int                 { return d.rank }
func (d dry) Size() int                 { return d.size }
func (dry) AllReduce([]float64) error   { return nil }
func (dry) Broadcast([]byte, int) error { return nil }
func (dry) Barrier() error              { return nil }
func (dry) Abort(int)                   {}
func (dry) Close() error                { return nil }
func (dry) String() string              { return "one process" }

// Share returns the part lo … hi−1 of n consecutive items that belongs to rank r of size. Parts differ by one item at
// most. If there are fewer items than ranks, some are empty.
func Share(n, r, size int) (lo, hi int) { return n * r / size, n * (r + 1) / size }
