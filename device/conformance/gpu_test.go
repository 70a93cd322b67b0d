//go:build cuda && cgo

package conformance

import (
	"testing"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/device/gpu"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// open opens the first GPU, or the driver test double; without either the test is skipped, and fails if REQUIRE_CUDA is
// set.
func open(t testing.TB, single bool) device.Device {
	t.Helper()
	d, err := gpu.New(0, single, func(string) {})
	must.OrSkip(t, err, "REQUIRE_CUDA")
	t.Cleanup(func() { must.OK(t, d.Close()) })
	return d
}

// At device.Medium only products of Real tensors differ. TF32 keeps 11 bits of each factor, which is off by 2⁻¹² on
// average, and a phase by some times that: squared, 1e-6, ten times that where few numbers are compared. Gradients are
// sums of such terms of both signs, which cancel to a hundredth there.
func TestTF32(t *testing.T) {
	d := open(t, true)
	if device.SetPrecision(d, device.Medium) != device.Medium {
		t.Skip("the GPU has no tensor cores for float32")
	}
	tol := tolerances{single: true, products: 2e-5, productGradients: 1e-2}
	for _, r := range table() {
		if r.products {
			r.run(t, d, tol)
		}
	}
	for _, p := range properties() {
		if p.products {
			t.Run(p.name, func(t *testing.T) { p.test(t, d, tol) })
		}
	}
}
