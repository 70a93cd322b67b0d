package best

import (
	"strings"
	"testing"
	"time"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
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
		{20 * time.Second, 1200 * time.Millisecond, 1, true}, {6 * time.Second, 0, 2, true}, {12 * time.Second, 0, 2, false},
	} {
		state := must.Get(New(set, settings("inducing=8 features=6"), 1))(t)
		state.Limit, state.Candidates = c.limit, state.Candidates[:leastCandidates]
		s, notes := searching(t, state, set, nil, c.atOnce), 0
		s.Started, s.Note = time.Now().Add(-c.used), func(string, ...any) { notes++ }
		if got := s.firstRoundTooShort(leastCandidates); got != c.want {
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

// The error of a trial without time for a step names no limit that the user has not given.
func TestTrialWithoutTime(t *testing.T) {
	set := wave(t, 60, false)
	state := must.Get(New(set, settings("time-limit=20s inducing=8 features=6"), 1))(t)
	s := searching(t, state, set, nil, 1)
	trial := must.Get(s.tryCandidate(t.Context(), s.Devices[0], &s.Candidates[0], 1, 1, length{time: time.Millisecond}))(t)
	if !strings.HasPrefix(trial.Failure, "there was no time for a step: ") {
		t.Errorf("%+v", trial)
	}
}
