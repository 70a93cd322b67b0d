package gpdrf_test

import (
	"slices"
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
