package predict

import (
	"fmt"
	"slices"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/acquisition"
	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/matrix"
	"github.com/gpdrf/gpdrf-gpu/data/scaling"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
)

// What all rows have in common is made once, and not for each row.
func TestOnceForAllRows(t *testing.T) {
	const n = 200
	picks, candidates := make([]acquisition.Pick, n), make([]int, n)
	for i := range picks {
		picks[i].Row, candidates[i] = i, i
	}
	classes := &fitted.Model{Schema: data.Schema{Task: data.Classification, Classes: []string{"no", "yes"}}}
	numbers := &fitted.Model{Schema: data.Schema{Task: data.Regression}, Targets: []scaling.TargetScale{{SD: 1}}}
	ones := make([]float64, n)
	for i := range ones {
		ones[i] = 1
	}
	for _, c := range []struct {
		trained *fitted.Model
		p       *model.Prediction
	}{
		{classes, &model.Prediction{S: 1, N: n, C: 2, H: make([]float64, 2*n)}},
		{numbers, &model.Prediction{S: 1, N: n, C: 1, H: make([]float64, n), Var: ones}},
	} {
		s := &Suggester{Trained: c.trained}
		if made := testing.AllocsPerRun(1, func() { s.describe(picks, candidates, c.p) }); made > n/2 {
			t.Errorf("%s: describe allocates %g times for %d rows", c.trained.Schema.Task, made, n)
		}
		if made := testing.AllocsPerRun(1, func() { feasible(c.trained, c.p) }); made > n/2 {
			t.Errorf("%s: feasible allocates %g times for %d rows", c.trained.Schema.Task, made, n)
		}
		if got := feasible(c.trained, c.p)[n-1]; got != 0.5 {
			t.Errorf("%s: feasible with probability %g", c.trained.Schema.Task, got)
		}
	}
}

// Functions have numbers of 16 bits.
func TestTooManySamples(t *testing.T) {
	s := &Suggester{Trained: &fitted.Model{Schema: data.Schema{Task: data.Regression}}, Acquisition: Variance, Batch: 1,
		Samples: 65536}
	must.Contain(t, fmt.Sprint(s.Check()), "2 to 65535 samples")
}

// A measured row that is not feasible is not the best so far.
func TestBestIsFeasible(t *testing.T) {
	for _, c := range []struct {
		feasible       []float64
		measured, want []int
	}{
		{nil, []int{0, 2}, []int{0, 2}},
		{[]float64{0.9, 1, 0.4, 0.5}, []int{0, 2, 3}, []int{0, 3}},
		{[]float64{0.2, 1, 0.4}, []int{0, 2}, []int{0, 2}},
		{[]float64{0.2}, nil, nil},
	} {
		s := &Suggester{Feasible: c.feasible}
		if got := s.feasibleRows(c.measured); !slices.Equal(got, c.want) {
			t.Errorf("feasible %v: of %v it takes %v, expected %v", c.feasible, c.measured, got, c.want)
		}
	}
}

// The error names both reasons why rows are no candidates.
func TestTooFewCandidates(t *testing.T) {
	ds := &data.Dataset{Path: "t.csv", X: matrix.New(3, 1, make([]float64, 3)), Labels: []int32{0, -1, -1}}
	s := &Suggester{Acquisition: UCB, Batch: 2, Feasible: []float64{1, 0.9, 0.1}}
	_, _, err := s.candidates(ds)
	must.Contain(t, fmt.Sprint(err), "1 of 3 rows are candidates, others are infeasible", "others have their target",
		"give batch 1")
	s.Batch = 0 // the default takes what there is
	candidates, _, err := s.candidates(ds)
	must.OK(t, err)
	must.Equal(t, len(candidates), s.Batch)
}
