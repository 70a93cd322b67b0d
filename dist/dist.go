// Package dist joins the processes of one training. Someone else starts them: mpirun, srun,
// torchrun or an operator of Kubernetes. Detect finds out which of them this one is, a Comm adds up
// vectors over all of them, and Agree compares their tasks. Packages dist/mpi and
// dist/nccl have the engines.
package dist

import "errors"

// Comm is a job of Size processes, of which this one is number Rank. All calls but Abort are
// collective: each rank makes the same calls in the same order, or all of them wait.
type Comm interface {
	// Rank is from 0 to Size−1.
	Rank() int
	Size() int
	// AllReduce makes x the sum of the x of all ranks, which have the same length. All get the same
	// bits; the order of the sum is the engine's own.
	AllReduce(x []float64) error
	// Broadcast makes b that of rank root on all ranks. All have the same length.
	Broadcast(b []byte, root int) error
	// Barrier waits until all ranks are there.
	Barrier() error
	// Abort ends the processes of all ranks with this exit code, as far as the engine can.
	Abort(code int)
	// Close leaves the job. It waits for the other ranks.
	Close() error
	// String names the engine and its version.
	String() string
}

// ErrAborted is the error of collective calls after another rank's Abort, where they answer at all.
var ErrAborted = errors.New("another rank has ended the job")

// Alone is a job of one process. Each call gives the same Comm, so that a step may ask for it without allocating.
func Alone() Comm { return alone }

var alone = Dry(0, 1)

// Dry is rank rank of size, and its calls do nothing: for measures of memory, and until there is an
// engine.
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

// Share is the part lo … hi−1 of n consecutive items that belongs to rank r of size. Parts differ
// by one item at most, and some are empty where there are fewer items than ranks.
func Share(n, r, size int) (lo, hi int) { return n * r / size, n * (r + 1) / size }
