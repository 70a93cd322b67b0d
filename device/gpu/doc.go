// Package gpu is the CUDA backend: "cuda:0:f32", "cuda:0:f64". Its files have the same names as the files of
// device/cpu, operation by operation. Each operation checks its shapes and launches its kernels, which stand in
// cuda/kernels under the same name.
//
// The package exists twice, as package cuda does: with the build tag "cuda" and cgo it runs kernels, without them
// opening a device is an error that gives the reason.
package gpu

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/cuda"
	"github.com/gpdrf/gpdrf-gpu/device"
)

func init() { device.Register("cuda", device.Backend{Open: openDevice, List: list}) }

// list lists the GPUs that the driver shows.
func list() ([]device.Info, error) {
	infos, err := cuda.Devices()
	if err != nil {
		return nil, err
	}
	found := make([]device.Info, len(infos))
	for i, info := range infos {
		found[i] = device.Info{Name: fmt.Sprintf("cuda:%d", info.Ordinal), About: info.String()}
	}
	return found, nil
}

// parse reads the options after "cuda:": a GPU's number, a precision, both or neither.
func parse(options string) (ordinal int, single bool, err error) {
	number, precision, both := strings.Cut(options, ":")
	if !both && (number == "f32" || number == "f64") {
		number, precision = "", number
	}
	if number != "" {
		if ordinal, err = strconv.Atoi(number); err != nil || ordinal < 0 {
			return 0, false, unknown(options)
		}
	}
	switch precision {
	case "", "f32":
		return ordinal, true, nil
	case "f64":
		return ordinal, false, nil
	}
	return 0, false, unknown(options)
}

func unknown(options string) error {
	return fmt.Errorf("device %q is not known: use cuda, cuda:N, cuda:N:f32 or cuda:N:f64, where N is the number "+
		"of a GPU", nameOf(options))
}

// nameOf returns the name that a user gave; options may be empty.
func nameOf(options string) string { return strings.TrimSuffix("cuda:"+options, ":") }
