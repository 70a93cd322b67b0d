//go:build !cuda || !cgo

package nccl

import (
	"fmt"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/dist"
)

// Open is an error here.
func Open(device.Device, Job) (dist.Comm, error) {
	_, err := Find()
	return nil, err
}

// Find is an error here.
func Find() (string, error) {
	return "", fmt.Errorf("%w: this program was built without CUDA: make build adds both where there is "+
		"a C compiler", ErrAbsent)
}
