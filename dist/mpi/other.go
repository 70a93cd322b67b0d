//go:build !mpi || !linux || !(amd64 || arm64)

package mpi

import (
	"fmt"

	"github.com/gpdrf/gpdrf-gpu/dist"
)

// Open returns an error in a program without MPI.
func Open(dist.ProcessRank) (dist.Comm, error) {
	return nil, fmt.Errorf("%w: this program was built without it: make build, on Linux, builds it with MPI",
		ErrAbsent)
}

// Find returns an error in a program without MPI.
func Find(dist.ProcessRank) (string, error) {
	_, err := Open(dist.ProcessRank{})
	return "", err
}
