package best

import (
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
		atOnce      int
		want        bool
	}{
		{0, time.Hour, 1, false}, {2 * time.Second, 0, 1, true}, {20 * time.Second, 0, 1, false},
		{20 * time.Second, 1200 * time.Millisecond, 1, true}, {6 * time.Second, 0, 2, true},
		{12 * time.Second, 0, 2, false},
	} {
		state := must.Get(New(set, settings("inducing=8 features=6"), 1))(t)
		state.Limit, state.Candidates = c.limit, state.Candidates[:minCandidates]
		s, notes := searching(t, state, set, nil, c.atOnce), 0
		s.Started, s.Note = time.Now().Add(-c.used), func(string, ...any) { notes++ }
		if got := s.firstRoundTooShort(minCandidates); got != c.want {
			t.Errorf("%s of %s are over, %d at a time: %t", c.used, c.limit, c.atOnce, got)
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
		rows, models, atOnce int
		limit                time.Duration
		trial                Trial
		want                 int
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
		s := searching(t, state, wave(t, c.rows, false), nil, c.atOnce)
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
		length{time: time.Millisecond}))(t)
	if !strings.HasPrefix(trial.Failure, "there was no time for a step: ") {
		t.Errorf("%+v", trial)
	}
}
