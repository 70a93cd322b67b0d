// Package conformance tests every operation of a backend: one table of operations with naive scalar loops as the truth,
// and identities of the model. It tests the CPU, and with the tag cuda the GPU.
//
// Each rung trusts the one below. The naive loops are written from the paper's formulas, one element at a time in
// float64, with factors and solutions by gonum; their gradients come from central differences, never from the code
// under test. To add an operation, add its row: a method of device.Device without one fails.
package conformance

import (
	"reflect"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/device"
)

func TestF64(t *testing.T) { test(t, open(t, false), tolerances{}) }

func TestF32(t *testing.T) { test(t, open(t, true), tolerances{single: true}) }

// tolerances are the largest errors of a device against the naive loops, beside valueError and gradientError.
type tolerances struct {
	// single is set where Real is float32: operations on Real tensors are then held to the normalised mean square error
	// of their row.
	single bool
	// products and productGradients are the normalised mean square errors that products of Real tensors may have in
	// addition, where a device multiplies with less than float32: see device.Precision.
	products, productGradients float64
}

// The largest errors of float64, relative to the largest element. Forward passes differ from the naive loops by
// rounding; gradients also by the error of central differences.
const (
	valueError    = 1e-10 // error of the results of an operation
	gradientError = 1e-6  // error of the results of a Backward
)

// test tests every operation of a device.
func test(t *testing.T, dev device.Device, tol tolerances) {
	t.Run("rows", testRows)
	t.Run("Feed", func(t *testing.T) { testFeed(t, dev) })
	for _, r := range table() {
		r.run(t, dev, tol)
	}
	for _, p := range properties() {
		t.Run(p.name, func(t *testing.T) { p.test(t, dev, tol) })
	}
}

// run tests an operation at all its sizes.
func (r row) run(t *testing.T, dev device.Device, tol tolerances) {
	t.Run(r.name(), func(t *testing.T) {
		for _, size := range r.sizes {
			t.Run(label(size), func(t *testing.T) { r.test(t, dev, tol, size) })
		}
	})
}

// table returns every operation, in the order of device.Device.
func table() []row {
	var rows []row
	for _, family := range [][]row{movementRows(), ardRows(), sparseRows(), factorRows(), momentRows(),
		featureRows(), frequencyRows(), featureMomentRows(), addNoiseRows(), likelihoodRows(),
		divergenceRows(), optimiserRows()} {
		rows = append(rows, family...)
	}
	return rows
}

// testRows fails if a method of the operation interfaces has no row.
func testRows(t *testing.T) {
	covered := map[string]bool{"FeatureScratch": true} // part of RandomFeatures' row
	for _, r := range table() {
		for _, op := range r.ops {
			covered[op] = true
		}
	}
	for _, family := range []reflect.Type{
		reflect.TypeFor[device.Movement](), reflect.TypeFor[device.GP](),
		reflect.TypeFor[device.Sequences](), reflect.TypeFor[device.Features](),
		reflect.TypeFor[device.Likelihoods](), reflect.TypeFor[device.Divergences](),
		reflect.TypeFor[device.Optimiser](),
	} {
		for i := range family.NumMethod() {
			if op := family.Method(i).Name; !covered[op] {
				t.Errorf("%s.%s has no row in the table", family.Name(), op)
			}
		}
	}
}
