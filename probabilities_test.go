package gpdrf_test

import (
	"slices"
	"testing"

	gpdrf "github.com/gpdrf/gpdrf-gpu"
)

// What a program does to the probabilities of a row changes neither those of another nor a set.
func TestOwnProbabilities(t *testing.T) {
	rows := gpdrf.Rows{Inputs: wave().Inputs}
	for i := range rows.Inputs {
		rows.Classes = append(rows.Classes, []string{"low", "middle", "high"}[i*3/len(rows.Inputs)])
	}
	m, err := gpdrf.Train(t.Context(), rows, gpdrf.Options{Steps: 20, Device: "cpu", Conformal: true})
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.Predict(t.Context(), gpdrf.Rows{Inputs: rows.Inputs})
	if err != nil {
		t.Fatal(err)
	}
	second := slices.Clone(p.Probabilities[1])
	want, err := p.Set(0, 0.8)
	if err != nil {
		t.Fatal(err)
	}
	_ = append(p.Probabilities[0], 7)
	if !slices.Equal(p.Probabilities[1], second) {
		t.Errorf("row 1 became %v, it was %v", p.Probabilities[1], second)
	}
	slices.Reverse(p.Probabilities[0])
	if got, err := p.Set(0, 0.8); err != nil || !slices.Equal(got, want) {
		t.Errorf("the set became %q, it was %q: %v", got, want, err)
	}
}
