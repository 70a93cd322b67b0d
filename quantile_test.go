package gpdrf_test

import (
	"math"
	"testing"

	"github.com/gpdrf/gpdrf-gpu"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// Every likelihood has quantiles at all levels that float64 has, and they rise with the level. One that is too large is
// an error.
func TestQuantileAtAnyLevel(t *testing.T) {
	rows := gpdrf.Rows{}
	for i := range 40 {
		rows.Inputs = append(rows.Inputs, []float64{float64(i)})
		rows.Values = append(rows.Values, float64(1+i%7))
	}
	for _, likelihood := range []string{"gaussian", "heteroscedastic", "student-t", "lognormal", "poisson",
		"negative-binomial"} {
		for _, kind := range []gpdrf.Kind{gpdrf.GP, gpdrf.GPDRF} {
			m := must.Get(gpdrf.Train(t.Context(), rows, gpdrf.Options{Kind: kind, Likelihood: likelihood, Steps: 5,
				Inducing: 9, Device: "cpu"}))(t)
			p := must.Get(m.Predict(t.Context(), gpdrf.Rows{Inputs: rows.Inputs[:1]}))(t)
			before := math.Inf(-1)
			for _, level := range []float64{5e-324, 1e-300, 1e-20, 1e-16, 0.5, 1 - 1e-16} {
				q, err := p.Quantile(0, level)
				if err != nil || !(q >= before) || math.IsInf(q, 0) {
					t.Errorf("%s %s: the quantile at %g is %g after %g, %v", kind, likelihood, level, q, before, err)
				}
				before = q
			}
		}
	}
	for i := range rows.Values {
		rows.Values[i] = math.Exp(150 * math.Sin(float64(i)))
	}
	m := must.Get(gpdrf.Train(t.Context(), rows, gpdrf.Options{Kind: gpdrf.GP, Likelihood: "lognormal", Steps: 5,
		Inducing: 9, Device: "cpu"}))(t)
	p := must.Get(m.Predict(t.Context(), gpdrf.Rows{Inputs: [][]float64{{1e3}}}))(t)
	if q, err := p.Quantile(0, 1-1e-16); err == nil || q != 0 {
		t.Errorf("a quantile beyond float64: %g, %v", q, err)
	}
}
