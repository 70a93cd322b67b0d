//go:build !cuda || !cgo

package conformance

import (
	"math"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/device/cpu"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

func open(t testing.TB, single bool) device.Device {
	if single {
		return divided[float32](t, 2)
	}
	return divided[float64](t, 2)
}

// divided opens a device with a number of workers that divides even the smallest work.
func divided[T cpu.Float](t testing.TB, workers int) *cpu.Device[T] {
	d := cpu.New[T](workers)
	d.InlineWork = 0
	t.Cleanup(func() { d.Close() })
	return d
}

// The same bits for one, two and five workers.
func TestDeterminism(t *testing.T) {
	one := results(divided[float32](t, 1))
	for _, workers := range []int{2, 5} {
		for name, got := range results(divided[float32](t, workers)) {
			for i, x := range got {
				for k, v := range x {
					if math.Float64bits(v) != math.Float64bits(one[name][i][k]) {
						t.Fatalf("%s, result %d: element %d is %g with %d workers, %g with one",
							name, i, k, v, workers, one[name][i][k])
					}
				}
			}
		}
	}
}

// results runs calls, and returns all that they wrote, by name. Two devices that must agree to the bit, such as one
// with another number of workers, are compared by it.
func results(dev device.Device) map[string][][]float64 {
	all := map[string][][]float64{}
	for _, call := range calls(dev) {
		call.run()
		for _, t := range call.results {
			if t != nil {
				all[call.name] = append(all[call.name], download(dev, t))
			}
		}
	}
	return all
}

// An operation allocates nothing after its first call. What Gather has gathered of labels is read on the host.
func TestNoAllocation(t *testing.T) {
	for _, op := range calls(divided[float32](t, 2)) {
		if n := must.AllocsPerRun(2, op.run); n != 0 && op.name != "Gather" {
			t.Errorf("%s: %g allocations", op.name, n)
		}
	}
}
