package gpdrf_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	gpdrf "github.com/gpdrf/gpdrf-gpu"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// A change to the probabilities of a row changes neither the probabilities of other rows nor a set.
func TestOwnProbabilities(t *testing.T) {
	rows := gpdrf.Rows{Inputs: wave().Inputs}
	for i := range rows.Inputs {
		rows.Classes = append(rows.Classes, []string{"low", "middle", "high"}[i*3/len(rows.Inputs)])
	}
	m := must.Get(gpdrf.Train(t.Context(), rows, gpdrf.Options{Steps: 20, Device: "cpu", Conformal: true}))(t)
	p := must.Get(m.Predict(t.Context(), gpdrf.Rows{Inputs: rows.Inputs}))(t)
	second := slices.Clone(p.Probabilities[1])
	want := must.Get(p.ConformalSets(0.8))(t)[0]
	_ = append(p.Probabilities[0], 7)
	if !slices.Equal(p.Probabilities[1], second) {
		t.Errorf("row 1 became %v, it was %v", p.Probabilities[1], second)
	}
	slices.Reverse(p.Probabilities[0])
	if got, err := p.ConformalSets(0.8); err != nil || !slices.Equal(got[0], want) {
		t.Errorf("the set became %q, it was %q: %v", got, want, err)
	}
}

// A quantile is an error in a classification, and at levels that are no probability.
func TestNoQuantile(t *testing.T) {
	inputs := [][]float64{{1}, {2}, {3}, {4}, {5}, {6}}
	o := gpdrf.Options{Model: gpdrf.ModelGP, Steps: 2, Device: "cpu"}
	predict := func(rows gpdrf.Rows) *gpdrf.Prediction {
		rows.Inputs = inputs
		m := must.Get(gpdrf.Train(context.Background(), rows, o))(t)
		p := must.Get(m.Predict(context.Background(), gpdrf.Rows{Inputs: inputs}))(t)
		return p
	}
	classes := predict(gpdrf.Rows{Classes: []string{"a", "b", "a", "b", "a", "b"}})
	if q, err := classes.Quantiles(0.5); err == nil {
		t.Errorf("%v of a classification", q)
	}
	for _, likelihood := range []gpdrf.Likelihood{gpdrf.LikelihoodGaussian, gpdrf.LikelihoodStudentT} {
		o.Likelihood = likelihood
		values := predict(gpdrf.Rows{Values: []float64{1, 2, 1, 3, 2, 4}})
		for _, level := range []float64{0, 1, -1, 2, math.NaN(), math.Inf(1)} {
			if q, err := values.Quantiles(0.5, level); err == nil || !strings.Contains(err.Error(), "must be above 0") {
				t.Errorf("%s: %v at the level %g, %v", likelihood, q, level, err)
			}
		}
		if q, err := values.Quantiles(0.5); err != nil || math.IsNaN(q[0][0]) {
			t.Errorf("%s: no median: %v", likelihood, err)
		}
	}
}
