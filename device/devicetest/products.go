//go:build cuda

package devicetest

import (
	"testing"

	"github.com/gpdrf/gpdrf-gpu/device"
)

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
