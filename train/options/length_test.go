package options

import "testing"

// A run whose length rows have chosen has as many evaluations as were planned before, few or many.
func TestEvaluationsOfChosenLength(t *testing.T) {
	planned := mustResolve(t, nil, flags("--validation", "0.2", "--steps", "1000"))
	for every, want := range map[int]int{50: 13, 500: 125} {
		if c, _ := planned.With("eval-every", every).ForChosenSteps(250, 250); c.EvalEvery != want || c.Steps != 250 {
			t.Errorf("every %d of 1000 steps: every %d of %d", every, c.EvalEvery, c.Steps)
		}
	}
}
