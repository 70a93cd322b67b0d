//go:build !cuda || !cgo

package nccl

import (
	"fmt"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/dist"
)

// Open returns an error in a program without CUDA.
func Open(device.Device, Job) (dist.Comm, error) {
	_, err := Find()
	return nil, err
}

// Find returns an error in a program without CUDA.
func Find() (string, error) {
	return "", fmt.Errorf("%w: this program was built without CUDA: make build adds both where there is "+
		"a C compiler", ErrAbsent)
}
