package tfevents

import (
	"math"
	"testing"
)

// Any values have a finite histogram; values without a number have no histogram.
func TestHistogram(t *testing.T) {
	nan, inf, most := math.NaN(), math.Inf(1), math.MaxFloat64
	for _, values := range [][]float64{{3.7}, {3.7, 3.7}, {3.7, math.Nextafter(3.7, 4)}, {0, 5e-324}, {1e-300, 3e-300},
		{-most, 0, most}, {-1e300, 1e300, nan}, {inf, 1, -inf, 2}} {
		if Histogram("h", values) == nil {
			t.Errorf("%g: none", values)
		}
	}
	if h := Histogram("h", []float64{nan, inf}); h != nil {
		t.Errorf("%v", h)
	}
}
