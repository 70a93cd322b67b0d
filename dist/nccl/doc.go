// Package nccl is a dist.Comm between GPUs, over an NCCL library that is loaded when the program runs. Its sums of
// tensors never leave the GPUs, and are part of the record of a step. It is built with the tag cuda and cgo; otherwise
// Open is an error.
package nccl

import (
	"errors"
	"time"

	"github.com/gpdrf/gpdrf-gpu/dist"
)

// LibraryVariable is the environment variable with the path of the NCCL library, in place of libnccl.so.2. The value
// none is for sums by MPI alone.
const LibraryVariable = "GPDRF_NCCL"

// ErrAbsent is the error if there is no NCCL library, or if the program was built without this package.
var ErrAbsent = errors.New("no NCCL")

// Job holds the facts that a rank must know before NCCL joins it with the others.
type Job struct {
	Rank, Size int
	Exchange   dist.Exchange // the way to send texts before NCCL has joined the ranks
	Over       dist.Comm     // the MPI of the ranks, which can end the job; nil without MPI
	Limit      time.Duration // longest wait of a call for other ranks; 0 is no limit
	// Lost is called if a call waits for longer than Limit, or with the error of NCCL. It ends the process.
	Lost func(call string, err error)
}
