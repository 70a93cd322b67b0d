package best

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

func density(w []float64, logs [][]float64) (sum float64) {
	for i := range logs[0] {
		p := 0.0
		for k := range w {
			p += w[k] * math.Exp(logs[k][i])
		}
		sum += math.Log(p)
	}
	return sum
}

// The weights are the best on the simplex: no move from one model to another improves them. A model that only spoils
// gets none.
func TestStack(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n = 400
	logs := make([][]float64, 4)
	for k := range logs {
		logs[k] = make([]float64, n)
		for i := range logs[k] {
			logs[k][i] = rng.NormFloat64() - []float64{0, 0.2, 0.1, 30}[k]
		}
	}
	logs[1][7] = math.Inf(-1)
	w := stack(logs, nil)
	total, best := 0.0, density(w, logs)
	for k := range w {
		total += w[k]
		for j := range w {
			const step = 0.01
			moved := append([]float64(nil), w...)
			moved[k], moved[j] = moved[k]-step, moved[j]+step
			if k != j && moved[k] >= 0 && density(moved, logs) > best+1e-6 {
				t.Errorf("weights %v: moving %g from %d to %d is better by %g", w, step, k, j,
					density(moved, logs)-best)
			}
		}
	}
	if math.Abs(total-1) > 1e-12 || w[3] != 0 {
		t.Errorf("weights %v", w)
	}
	if w := stack(logs[:1], nil); w[0] != 1 {
		t.Errorf("a single model has the weight %g", w[0])
	}
}

// No weight is below the least, also where the steps after a cut lead there.
func TestRepeatedCutsOfStack(t *testing.T) {
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 3))
		logs := make([][]float64, 4)
		for k := range logs {
			for range 30 {
				logs[k] = append(logs[k], 0.5*rng.NormFloat64())
			}
		}
		for _, w := range stack(logs, nil) {
			if w != 0 && w < minWeight {
				t.Errorf("seed %d: a model has the weight %g", seed, w)
			}
		}
	}
}

// The same model twice is as good as once.
func TestStackOfEqualModels(t *testing.T) {
	logs := [][]float64{{-1, -2, -0.5}, {-1, -2, -0.5}}
	if w := stack(logs, nil); math.Abs(w[0]-0.5) > 1e-9 {
		t.Errorf("weights %v", w)
	}
}

// A model whose means are much worse than the default's has no weight, whatever its density.
func TestWeightOfPoorMeans(t *testing.T) {
	set := wave(t, 60, false)
	for rmse, want := range map[float64]bool{0.13: false, 0.11: true} {
		state := &State{Candidates: []Candidate{{Name: "default"}, {Name: "sharp"}}}
		for fold := 1; fold <= 3; fold++ {
			for k, mean := range []float64{0, 1} {
				rows := []float64{mean, mean}
				state.Candidates[k].Trials = append(state.Candidates[k].Trials,
					Trial{Round: 1, Fold: fold}, Trial{Round: 2, Fold: fold},
					Trial{Round: rounds, Fold: fold, LogDensity: mean, RMSE: []float64{0.1, rmse}[k], Rows: rows})
			}
		}
		s := searching(t, state, set, nil, 1)
		must.OK(t, s.fitWeights())
		if has := state.Candidates[1].Weight > 0; has != want || !want && state.Candidates[0].Weight != 1 {
			t.Errorf("RMSE %g beside 0.1: weights %g and %g",
				rmse, state.Candidates[0].Weight, state.Candidates[1].Weight)
		}
	}
}

// The default is alone where the lead of the others is within the error of the rows.
func TestWeightOfSmallLead(t *testing.T) {
	for lead, want := range map[float64]float64{0.01: 1, 1: 0} {
		state := &State{Candidates: []Candidate{{Name: "default"}, {Name: "other"}}}
		for fold := 1; fold <= 3; fold++ {
			for k, rows := range [][]float64{{0, -2, -4}, {lead - 0.5, lead - 2, lead - 3.5}} {
				state.Candidates[k].Trials = append(state.Candidates[k].Trials, Trial{Round: 1, Fold: fold},
					Trial{Round: 2, Fold: fold}, Trial{Round: rounds, Fold: fold, RMSE: 0.1, LogDensity: float64(k),
						Rows: rows})
			}
		}
		must.OK(t, searching(t, state, wave(t, 60, false), nil, 1).fitWeights())
		if got := state.Candidates[0].Weight; (got == 1) != (want == 1) {
			t.Errorf("a lead of %g: the default has weight %g", lead, got)
		}
	}
}

// A default that has failed in a fold does not judge the others.
func TestWeightBesideFailedDefault(t *testing.T) {
	state := &State{Candidates: []Candidate{{Name: "default"}, {Name: "other"}}}
	for fold := 1; fold <= 3; fold++ {
		for k := range state.Candidates {
			last := Trial{Round: rounds, Fold: fold, RMSE: 0.1, Rows: []float64{0, 0}}
			if k == 0 && fold == 3 {
				last = Trial{Round: rounds, Fold: fold, Failure: "numbers ran away"}
			}
			state.Candidates[k].Trials = append(state.Candidates[k].Trials,
				Trial{Round: 1, Fold: fold}, Trial{Round: 2, Fold: fold}, last)
		}
	}
	err := searching(t, state, wave(t, 60, false), nil, 1).fitWeights()
	if err != nil || state.Candidates[1].Weight != 1 {
		t.Errorf("%v, weights %g and %g", err, state.Candidates[0].Weight, state.Candidates[1].Weight)
	}
}
