// Package nccl is a dist.Comm between GPUs, over an NCCL library that is found when the program
// runs. Its sums of tensors never leave the GPUs, and are part of the record of a step. It is built
// with the tag cuda and cgo; otherwise Open is an error.
package nccl

import (
	"errors"
	"time"

	"github.com/gpdrf/gpdrf-gpu/dist"
)

// LibraryVariable is a variable of the environment: the path of the NCCL library, in place of
// libnccl.so.2; or none, for sums by MPI alone.
const LibraryVariable = "GPDRF_NCCL"

// ErrAbsent says that there is no NCCL library, or that the program was built without this package.
var ErrAbsent = errors.New("no NCCL")

// Job is the knowledge of a rank before NCCL joins it with the others.
type Job struct {
	Rank, Size int
	Exchange   dist.Exchange // tells the ranks of each other before there is NCCL
	Over       dist.Comm     // MPI, which ends the job; nil where the ranks have none
	Limit      time.Duration // how long a call may wait for other ranks; 0 is any time
	// Lost hears that a call waits for longer, or why NCCL has given up. It ends the process.
	Lost func(call string, err error)
}
