package fitted

import (
	"math"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/scaling"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// A row far from all components scores no worse than by the normal of the mixture's moments, on every path to a score;
// a single normal stays one.
func TestTailsOfFarRow(t *testing.T) {
	trained := &Model{Schema: data.Schema{Task: data.Regression, Target: "y"},
		Targets: []scaling.TargetScale{{Mean: 0, SD: 1}}}
	ds := &data.Dataset{Task: data.Regression, Target: "y", Y: []float64{100, 0.5}}
	many := &model.Prediction{S: 3, N: 2, C: 1, H: []float64{-1, 0, 1, 1, 3, 2}, Var: []float64{0.01, 0.01},
		Noise: []float64{0.01, 0.01}}
	weighted := *many
	weighted.Weight, weighted.DoF = []float64{0.5, 0.25, 0.25}, []float64{0, 4, 4}
	for name, p := range map[string]*model.Prediction{"draws": many, "an ensemble": &weighted} {
		m := trained.Mixture(p, 0)
		mean, variance := m.Moments(0)
		z := (100 - mean) / math.Sqrt(variance)
		least := -0.5*z*z - 0.5*math.Log(2*math.Pi*variance)
		far := trained.LogDensities(p, ds, 0).Log
		if !(far[0] > least && far[0] > -30) {
			t.Errorf("%s: log density %g, of the normal %g", name, far[0], least)
		}
		if s := trained.Score(p, ds, 0); math.Abs(s.Regression.NLPD+(far[0]+far[1])/2) > 1e-12 {
			t.Errorf("%s: NLPD %g of the log densities %v", name, s.Regression.NLPD, far)
		}
	}
	one := &model.Prediction{S: 1, N: 2, C: 1, H: []float64{0, 0}, Var: []float64{4, 4}}
	if got, want := trained.Mixture(one, 0).LogDensity(0, 100), -0.5*2500-0.5*math.Log(8*math.Pi); got != want &&
		math.Abs(got-want) > 1e-12*math.Abs(want) {
		t.Errorf("a single normal has the log density %g, not %g", got, want)
	}
}
