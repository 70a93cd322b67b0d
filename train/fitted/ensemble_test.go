package fitted

import (
	"reflect"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/model"
)

// A mixture of counts has each member's components, dispersions and weights.
func TestMixOfCounts(t *testing.T) {
	trained := &Model{Members: []Member{{Weight: 0.25}, {Weight: 0.75}}}
	p := trained.mix([]*model.Prediction{
		{S: 2, N: 1, C: 1, H: []float64{1, 2}, Dispersion: []float64{0.5, 0.5}},
		{S: 2, N: 1, C: 1, H: []float64{3, 4}, Dispersion: []float64{0, 0}, Weight: []float64{0.25, 0.75}},
	})
	want := &model.Prediction{S: 4, N: 1, C: 1, H: []float64{1, 2, 3, 4}, Dispersion: []float64{0.5, 0.5, 0, 0},
		Weight: []float64{0.125, 0.125, 0.1875, 0.5625}}
	if !reflect.DeepEqual(p, want) {
		t.Errorf("the mixture is %+v, want %+v", p, want)
	}
}
