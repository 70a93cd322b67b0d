package fitted

import (
	"math"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/scaling"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// As many components as columns have ranges of their own: a row is far by those of the form that it has.
func TestFarComponents(t *testing.T) {
	rows := data.Rows{Inputs: [][]float64{{0, 100}, {1, 101}, {3, 100}, {2, 103}}, Values: []float64{0, 1, 2, 3}}
	ds := must.Get(data.FromRows(rows))(t)
	scaler := must.Get(scaling.FitScaler("standard", ds))(t)
	p, _, err := scaling.FitComponents(t.Context(), ds, scaler)
	must.OK(t, err)
	projected := p.Apply(ds)
	if projected.D() != ds.D() {
		t.Fatalf("%d components", projected.D())
	}
	m := &Model{Projection: p, Scaler: must.Get(scaling.FitScaler("none", projected))(t)}
	for name, set := range map[string]*data.Dataset{"columns": ds, "components": projected} {
		var far scaling.FarRows
		if m.AddFar(&far, set); far.Rows > 0 {
			t.Errorf("training rows as %s are far: %s", name, far.Describe())
		}
		outlier := set.Slice(0, 1)
		outlier.Row(0)[1] = math.Copysign(1e6, outlier.Row(0)[1])
		if m.AddFar(&far, outlier); far.Rows != 1 {
			t.Errorf("an outlier as %s is not far", name)
		}
	}
}
