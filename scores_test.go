package gpdrf_test

import (
	"math"
	"testing"

	gpdrf "github.com/gpdrf/gpdrf-gpu"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// Evaluate scores each target in its own units, without the rows of weight 0.
func TestEvaluateRegression(t *testing.T) {
	rows := gpdrf.Rows{Inputs: wave().Inputs, TargetNames: []string{"sine", "tenfold"}}
	for i, y := range wave().Values {
		rows.Targets = append(rows.Targets, []float64{y, 10*y + float64(i%3)})
	}
	m := must.Get(gpdrf.Train(t.Context(), rows, gpdrf.Options{Steps: 50, Device: "cpu", Conformal: true}))(t)
	p := must.Get(m.Predict(t.Context(), gpdrf.Rows{Inputs: rows.Inputs}))(t)
	rows.Weights = make([]float64, len(rows.Inputs))
	lower, upper, err := p.Targets[1].ConformalIntervals(0.9)
	must.OK(t, err)
	n, squares, inside := 0, 0.0, 0.0
	for i := range rows.Weights {
		if i%2 == 0 {
			continue
		}
		y := rows.Targets[i][1]
		n, squares, rows.Weights[i] = n+1, squares+math.Pow(y-p.Targets[1].Mean[i], 2), 1
		if lower[i] <= y && y <= upper[i] {
			inside++
		}
	}
	s := must.Get(m.Evaluate(t.Context(), rows))(t)
	tenfold := s.Targets[1]
	if want := math.Sqrt(squares / float64(n)); s.Rows != n || tenfold.Name != "tenfold" || s.Classification != nil ||
		math.Abs(tenfold.RMSE/want-1) > 1e-9 || tenfold.Conformal.Coverage != inside/float64(n) {
		t.Errorf("%+v, expected an RMSE of %g and a coverage of %g", s, want, inside/float64(n))
	}
	if mean := (s.Targets[0].Coverage90 + tenfold.Coverage90) / 2; math.Abs(s.Regression.Coverage90-mean) > 1e-12 {
		t.Errorf("%+v, expected a mean coverage of %g", s.Regression, mean)
	}
}

// Rows to score may lack classes of the model, whose scores are NaN.
func TestEvaluateClassification(t *testing.T) {
	rows := gpdrf.Rows{Inputs: wave().Inputs}
	for _, x := range rows.Inputs {
		rows.Classes = append(rows.Classes, map[bool]string{true: "right", false: "left"}[x[0] > 0])
	}
	m := must.Get(gpdrf.Train(t.Context(), rows, gpdrf.Options{Model: gpdrf.ModelGP, Steps: 50, Device: "cpu"}))(t)
	given := gpdrf.Rows{Inputs: [][]float64{{1}, {2}, {-2}}, Classes: []string{"right", "right", "right"}}
	c := must.Get(m.Evaluate(t.Context(), given))(t).Classification
	if c.ErrorRate != 1.0/3 || !math.IsNaN(c.AUC) || !math.IsNaN(c.Classes[0].Recall) || c.Conformal != nil ||
		c.Classes[1].Class != "right" || c.Classes[1].Support != 3 || c.Classes[1].Recall != 2.0/3 {
		t.Errorf("%+v", c)
	}
}
