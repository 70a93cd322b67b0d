//go:build cuda && cgo

package gpu

import (
	"math"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

func quiet(string) {}

// open opens the first GPU, or the driver test double; without either the test is skipped, and fails if REQUIRE_CUDA is
// set.
func open(t testing.TB, single bool) *Device {
	t.Helper()
	d, err := New(0, single, quiet)
	must.OrSkip(t, err, "REQUIRE_CUDA")
	t.Cleanup(func() { must.OK(t, d.Close()) })
	return d
}

// openDouble opens the driver test double, and skips the test where the driver is a real one.
func openDouble(t testing.TB) *Device {
	t.Helper()
	d := open(t, true)
	if d.context.Info().Name != "driver test double" {
		t.Skip("only the driver test double can be told to fail")
	}
	return d
}

// filled makes a Real tensor with the same numbers on every device.
func filled(d device.Device, scale, mean float64, shape ...int) *device.Tensor {
	x := d.New(device.Real, shape...)
	values := make([]float64, x.Len())
	for i := range values {
		values[i] = mean + scale*math.Sin(float64(i*i%1009+len(shape)))
	}
	d.Upload(x, values)
	return x
}

// download returns the numbers of a tensor; none of nil.
func download(d device.Device, x *device.Tensor) []float64 {
	if x == nil {
		return nil
	}
	values := make([]float64, x.Len())
	d.Download(values, x)
	return values
}
