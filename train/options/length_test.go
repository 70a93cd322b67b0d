package options

import (
	"context"
	"slices"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// A run whose length was chosen by rows has the planned number of evaluations.
func TestEvaluationsOfChosenLength(t *testing.T) {
	planned := mustResolve(t, nil, flags("--validation", "0.2", "--steps", "1000"))
	for every, want := range map[int]int{50: 13, 500: 125} {
		planned.EvalEvery = every
		if c, _ := planned.ForChosenSteps(250, 250); c.EvalEvery != want || c.Steps != 250 {
			t.Errorf("every %d of 1000 steps: every %d of %d", every, c.EvalEvery, c.Steps)
		}
	}
}

// More inducing points than rows are an error before the choice of a kernel, which may take its time.
func TestCheckRowsBeforeKernel(t *testing.T) {
	rows := data.Rows{Sequences: slices.Repeat([]string{"ACGT", "GGTA", "TTAC"}, 10), Values: make([]float64, 30)}
	rows.Values[0] = 1
	ds := must.Get(data.FromRows(rows))(t)
	ended, end := context.WithCancel(t.Context())
	end()
	_, _, err := mustResolve(t, nil, flags("--inducing", "31")).ResolveFor(ended, ds)
	if err == nil || err.Error() != "--inducing: 31 is more than the 30 training rows" {
		t.Error(err)
	}
}
