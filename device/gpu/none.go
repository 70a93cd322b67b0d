//go:build !cuda || !cgo

package gpu

import (
	"github.com/gpdrf/gpdrf-gpu/cuda"
	"github.com/gpdrf/gpdrf-gpu/device"
)

// openDevice returns the reason why this program has no GPU.
func openDevice(options string, _ device.Logger) (device.Device, error) {
	if _, _, err := parse(options); err != nil {
		return nil, err
	}
	_, err := cuda.Devices()
	return nil, &device.AbsentError{Name: nameOf(options), Err: err}
}
