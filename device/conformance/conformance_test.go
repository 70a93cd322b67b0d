// Package conformance tests every operation of a backend: one table of operations with naive scalar loops as the
// truth, and identities of the model. It tests the CPU, and with the tag cuda the GPU.
//
// Each rung trusts the one below. The naive loops are written from the paper's
// formulas, one element at a time in float64, with factors and solutions by gonum; their
// gradients come from central differences, never from the code under test. To add an operation, add its row:
// a method of device.Device without one fails.
package conformance

import (
	"os"
	"reflect"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// truth is the result of the naive loops, for all devices of these tests.
var truth = Truth{}

func TestMain(m *testing.M) { os.Exit(truth.Main(m)) }

func TestF64(t *testing.T) { Run(t, open(t, false), Double(), truth) }

func TestF32(t *testing.T) { Run(t, open(t, true), Single(), truth) }

// A dry device foresees the memory of operations.
func TestDry(t *testing.T) {
	t.Setenv("EMU_IDLE", "1") // the kernels of the driver test double do nothing
	open(t, true)             // a GPU stays open between the rows
	for _, single := range []bool{true, false} {
		Dry(t, func(t *testing.T) device.Device { return open(t, single) })
	}
}

// Tolerances are the largest errors of a device against the naive loops, relative to
// the largest element.
type Tolerances struct {
	Value    float64 // error of the results of an operation
	Gradient float64 // error of the results of a Backward
	// Single is set where Real is float32: operations on Real tensors are then held to the
	// normalised mean square error of their row.
	Single bool
	// Products and ProductGradients are the normalised mean square errors that products of Real
	// tensors may have in addition, where a device multiplies with less than float32: see
	// device.Precision.
	Products, ProductGradients float64
}

// Double returns the tolerances for devices whose Real is float64. Forward passes differ from the naive
// loops by rounding; gradients also by the error of central differences.
func Double() Tolerances { return Tolerances{Value: 1e-10, Gradient: 1e-6} }

// Single returns the tolerances for devices whose Real is float32.
func Single() Tolerances { return Tolerances{Value: 1e-10, Gradient: 1e-6, Single: true} }

// Run tests every operation of a device.
func Run(t *testing.T, dev device.Device, tol Tolerances, truth Truth) {
	t.Run("rows", testRows)
	t.Run("Feed", func(t *testing.T) { testFeed(t, dev) })
	for _, r := range table() {
		r.run(t, dev, tol, truth)
	}
	for _, p := range properties() {
		t.Run(p.name, func(t *testing.T) { p.test(t, dev, tol) })
	}
}

// run tests an operation at all its sizes.
func (r row) run(t *testing.T, dev device.Device, tol Tolerances, truth Truth) {
	t.Run(r.name(), func(t *testing.T) {
		for _, size := range r.sizes {
			t.Run(label(size), func(t *testing.T) { r.test(t, dev, tol, truth, size) })
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
