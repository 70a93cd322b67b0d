package best

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// If a time limit leaves no time for the first round, only the default is trained, with one note.
func TestLimitBelowFirstRound(t *testing.T) {
	set := wave(t, 60, false)
	for _, c := range []struct {
		limit, used time.Duration
		jobs        int
		want        bool
	}{
		{0, time.Hour, 1, false}, {2 * time.Second, 0, 1, true}, {20 * time.Second, 0, 1, false},
		{20 * time.Second, 1200 * time.Millisecond, 1, true}, {6 * time.Second, 0, 2, true},
		{12 * time.Second, 0, 2, false},
	} {
		state := must.Get(New(set, settings("inducing=8 features=6"), 1))(t)
		state.Limit, state.Candidates = c.limit, state.Candidates[:minCandidates]
		s, notes := searching(t, state, set, nil, c.jobs), 0
		s.Started, s.Note = time.Now().Add(-c.used), func(string, ...any) { notes++ }
		if got := s.firstRoundTooShort(minCandidates); got != c.want {
			t.Errorf("%s of %s are over, %d at a time: %t", c.used, c.limit, c.jobs, got)
		}
		if !c.want {
			continue
		}
		must.OK(t, s.round(t.Context(), 1))
		if only := s.Candidates[0]; only.Weight != 1 || only.Trials != nil || notes != 1 {
			t.Errorf("%s: %d notes, %+v", c.limit, notes, only)
		}
	}
}

// Final models have the time after the rounds, at the pace of the default.
func TestFinalSteps(t *testing.T) {
	for _, c := range []struct {
		rows, models, jobs int
		limit              time.Duration
		trial              Trial
		want               int
	}{
		{60, 8, 2, 10 * time.Minute, Trial{Steps: 100, Seconds: 10}, 547}, // 4 models in .1825 of the time
		{60, 8, 2, time.Minute, Trial{Steps: 100, Seconds: 10}, 54},       // 3 models
		{60, 1, 2, time.Minute, Trial{Steps: 100, Seconds: 10}, 109},
		{3000, 8, 2, 10 * time.Minute, Trial{Steps: 100, Seconds: 10}, 1500}, // half of the time
		{60, 8, 2, time.Minute, Trial{Failure: "numbers ran away"}, 0},
	} {
		c.trial.Round, c.trial.Fold = 1, 1
		state := &State{Limit: c.limit, Steps: defaultSteps, Candidates: make([]Candidate, c.models)}
		state.Candidates[0].Trials = []Trial{c.trial}
		s := searching(t, state, wave(t, c.rows, false), nil, c.jobs)
		if got := s.finalSteps(); got != c.want {
			t.Errorf("%d rows, %d models in %s: %d steps, want %d", c.rows, c.models, c.limit, got, c.want)
		}
	}
}

// The default has the rest of a time limit in which the final models could take few steps.
func TestLimitBelowFinalModels(t *testing.T) {
	set := wave(t, 60, false)
	state := must.Get(New(set, settings("inducing=8 features=6"), 1))(t)
	state.Candidates, state.Limit, state.Steps = state.Candidates[:minCandidates], 6*time.Second, options.MaxSteps
	s := searching(t, state, set, map[int][]byte{}, 1)
	found(t, s)
	only := state.Candidates[0]
	if only.Weight != 1 || only.Refit == nil || only.trial(2, 1) != nil || state.Candidates[1].Weight != 0 {
		t.Errorf("%+v", only)
	}
}

// The error of a trial without time for a step names no limit that the user has not given.
func TestTrialWithoutTime(t *testing.T) {
	set := wave(t, 60, false)
	state := must.Get(New(set, settings("time-limit=20s inducing=8 features=6"), 1))(t)
	s := searching(t, state, set, nil, 1)
	trial := must.Get(s.tryCandidate(t.Context(), s.Devices[0], &s.Candidates[0], 1, 1,
		trainingLength{time: time.Millisecond}))(t)
	if !strings.HasPrefix(trial.Failure, "there was no time for a step: ") {
		t.Errorf("%+v", trial)
	}
}

// The time limit is shared so that every round ends in time, and threeFolds candidates are tried where it is short.
func TestPlan(t *testing.T) {
	for _, c := range []struct {
		rows  int
		limit time.Duration
		jobs  int
		want  int
	}{
		{100, 0, 1, 12}, {100, 50 * time.Second, 1, 6}, {100, time.Second, 2, minCandidates},
		{3000, 3 * time.Minute, 2, 8}, {3000, 63 * time.Second, 2, 3}, {3000, time.Minute, 2, 1},
	} {
		if n := triableCount(12, c.rows, c.limit, c.jobs); n != c.want {
			t.Errorf("%d rows, in %s, %d at a time: %d, expected %d", c.rows, c.limit, c.jobs, n, c.want)
		}
	}
	for rows, folds := range map[int]float64{60: 3, 3000: 1} {
		limit, used := 100*time.Second, time.Duration(0)
		s := &Search{State: &State{Limit: limit}, Rows: wave(t, rows, false)}
		for round := 1; round <= rounds; round++ {
			for left := 8; left > 0; left -= 2 { // two at a time
				used += trialTime(limit, used, s.endShare(round), left, 2)
			}
			if over := used - time.Duration(s.endShare(round)*float64(limit)); over.Abs() > time.Millisecond {
				t.Errorf("%d rows: round %d ends %s late", rows, round, over)
			}
		}
		trial, onAll := (s.endShare(rounds)-s.endShare(rounds-1))/folds, 1-s.endShare(rounds)
		if longer := onAll - trial; longer < -1e-9 || (longer > 0.1) != (rows >= threeFolds) {
			t.Errorf("%d rows: a trial of the last round takes %g of the limit, the models on "+
				"all rows %g", rows, trial, onAll)
		}
	}
}

// Where the time does not suffice to compare candidates on many rows, the default has all of it.
func TestNoTimeToCompare(t *testing.T) {
	set := wave(t, threeFolds, false)
	state := must.Get(New(set, settings("time-limit=4s inducing=5"), 1))(t)
	if len(state.Candidates) != 1 {
		t.Fatalf("candidates %+v", state.Candidates)
	}
	state.Limit, state.Steps = 0, 3 // the speed of this machine does not matter without a limit
	found(t, searching(t, state, set, map[int][]byte{}, 1))
	only := state.Candidates[0]
	if len(only.Trials) > 0 || only.Refit == nil || only.Refit.Steps != 3 {
		t.Errorf("%+v", only)
	}
}

// With many rows and a time limit, a model on all rows takes what time is left, unless it could memorise.
func TestLengthOfFinalModels(t *testing.T) {
	for _, c := range []struct {
		rows  int
		limit time.Duration
		given string
		want  bool
	}{
		{3000, time.Minute, "", true}, {3000, 0, "", false}, {60, time.Minute, "", false},
		{3000, time.Minute, "spectra=var-fixed", false}, {3000, time.Minute, "kl-weight=0.5", false},
		{3000, time.Minute, "objective=predictive", false}, {3000, time.Minute, "model=gp", true},
	} {
		s := &Search{State: &State{Limit: c.limit, Given: settings(c.given)}, Rows: wave(t, c.rows, false)}
		if got := s.mayTrainLonger(&Candidate{}); got != c.want {
			t.Errorf("%d rows in %s, %q: %t", c.rows, c.limit, c.given, got)
		}
	}
}

// A model on all rows takes no more steps than its trials did, and no more time than it has.
func TestLengths(t *testing.T) {
	set := wave(t, 60, false)
	state := must.Get(New(set, settings("time-limit=20s inducing=8 features=6"), 1))(t)
	s := searching(t, state, set, map[int][]byte{}, 1)
	for _, steps := range []int{3, options.MaxSteps} {
		out := must.Get(s.trainCandidate(t.Context(), s.Devices[0], &s.Candidates[0], set, set,
			trainingLength{steps: steps, time: 3 * time.Second}))(t)
		if steps == 3 && out.Steps != 3 || steps > 3 && out.Steps == steps {
			t.Errorf("at most %d steps and three seconds: %d steps", steps, out.Steps)
		}
	}
}

// An ensemble's members train for as long as one model would: a length of the user's, or their own.
func TestSeedsLength(t *testing.T) {
	set := wave(t, 60, false)
	for given, want := range map[string]int{"epochs=2": 4, "steps=9": 9} {
		state := must.Get(New(set, settings("ensemble=2 batch=30 inducing=9 model=gp "+given), 1))(t)
		must.Get(searching(t, state, set, map[int][]byte{}, 1).Run(context.Background()))(t)
		for _, c := range state.Candidates {
			if c.Refit.Steps != want {
				t.Errorf("%s: %s took %d steps, want %d", given, c.Name, c.Refit.Steps, want)
			}
		}
	}
}

// A candidate that did worse after more steps takes no more of them, neither in the last round nor on all rows.
func TestStepsOfWorseCandidate(t *testing.T) {
	set := wave(t, 60, false)
	for worse, want := range map[bool]int{true: 7, false: 30} {
		state := must.Get(New(set, settings("steps=30 model=gp inducing=9"), 1))(t)
		state.Candidates = state.Candidates[:1]
		c := &state.Candidates[0]
		c.Trials = []Trial{{Round: 1, Fold: 1, Steps: 7, LogDensity: 1}, {Round: 2, Fold: 1, Steps: 10, LogDensity: 2}}
		if worse {
			c.Trials[1].LogDensity = 0.5
		}
		s := searching(t, state, set, map[int][]byte{}, 1)
		must.OK(t, s.round(context.Background(), rounds))
		c.Weight = 1
		must.Get(s.refit(context.Background()))(t)
		if got := c.trial(rounds, 1).Steps; got != want || c.Refit.Steps != want {
			t.Errorf("worse %v: %d steps in the last round and %d on all rows, want %d", worse, got, c.Refit.Steps,
				want)
		}
	}
}

// Rows that are too few for folds train the default.
func TestRowsBelowFolds(t *testing.T) {
	set := wave(t, splits-1, false)
	state := must.Get(New(set, settings("steps=3 inducing=2"), 1))(t)
	found(t, searching(t, state, set, map[int][]byte{}, 1))
	if c := state.Candidates[0]; c.Weight != 1 || len(c.Trials) > 0 || c.Refit.Steps != 3 {
		t.Errorf("%+v", c)
	}
}
