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

// A part of one row has the noise of its row, as parts of several rows have.
func TestJoinedPartOfOneRow(t *testing.T) {
	part := func(n int, from float64) *model.Prediction {
		p := &model.Prediction{N: n, C: 1, S: 1}
		for i := range n {
			v := from + float64(i)
			p.H, p.Var, p.Noise = append(p.H, v), append(p.Var, v+10), append(p.Noise, v+20)
		}
		return p
	}
	for _, sizes := range [][]int{{3, 1}, {2, 1, 1}} {
		var parts []*model.Prediction
		at := 0.0
		for _, n := range sizes {
			parts = append(parts, part(n, at))
			at += float64(n)
		}
		if got, want := Joined(parts), part(4, 0); !reflect.DeepEqual(got, want) {
			t.Errorf("parts of %d rows: %+v, want %+v", sizes, got, want)
		}
	}
}
