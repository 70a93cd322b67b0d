//go:build cuda && cgo

package conformance

import (
	"os"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/device/gpu"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// open opens the first GPU, or the driver test double; without either the test is skipped, and
// fails if REQUIRE_CUDA is set.
func open(t testing.TB, single bool) device.Device {
	t.Helper()
	d, err := gpu.New(0, single, func(string) {})
	if err != nil {
		if os.Getenv("REQUIRE_CUDA") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	t.Cleanup(func() { must.OK(t, d.Close()) })
	return d
}

func TestTF32(t *testing.T) {
	d := open(t, true)
	if device.SetPrecision(d, device.Medium) != device.Medium {
		t.Skip("the GPU has no tensor cores for float32")
	}
	RunProducts(t, d, Medium(), truth)
}

// Medium returns the tolerances for devices at device.Medium. TF32 keeps 11 bits of each factor, which is off by 2⁻¹²
// on average, and a phase by some times that: squared, 1e-6, ten times that where few numbers are
// compared. Gradients are sums of such terms of both signs, which cancel to a hundredth there.
func Medium() Tolerances {
	tol := Single()
	tol.Products, tol.ProductGradients = 2e-5, 1e-2
	return tol
}

// RunProducts tests the operations that are mostly products of Real tensors, and their properties:
// these are the tests in which a device at another device.Precision differs.
func RunProducts(t *testing.T, dev device.Device, tol Tolerances, truth Truth) {
	for _, r := range table() {
		if r.products {
			r.run(t, dev, tol, truth)
		}
	}
	for _, p := range properties() {
		if p.products {
			t.Run(p.name, func(t *testing.T) { p.test(t, dev, tol) })
		}
	}
}
