package main

import (
	"testing"
	"time"

	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// Folds share a time limit: one that is late takes the time of those after it, one that is early keeps
// the rest, and a tenth is for what follows them.
func TestClockOfFolds(t *testing.T) {
	began := time.Now()
	v := &crossValidation{p: &program{ctx: t.Context()},
		req: &trainRequest{started: began, cv: &rundir.CV{Folds: 4, TimeLimit: "40s"}}}
	for k, c := range []struct{ now, end time.Duration }{{1, 9}, {9, 18}, {15, 24}, {30, 36}} {
		l := v.clock(began.Add(c.now * time.Second))
		if end := l.Began.Add(l.Time).Sub(began); end != c.end*time.Second || l.Time != 10*time.Second {
			t.Errorf("fold %d begins at %d s with %s, and ends at %s, expected %d s", k+1, c.now, l.Time, end, c.end)
		}
	}
	ctx, cancel := v.late()
	defer cancel()
	if end, _ := ctx.Deadline(); end.Sub(began) != 42*time.Second+lastTest {
		t.Errorf("all ends after %s", end.Sub(began))
	}
	v.req.cv.TimeLimit = ""
	if l := v.clock(began.Add(time.Hour)); l.Time != 0 || l.Began != began.Add(time.Hour) {
		t.Errorf("%+v without a limit", l)
	}
}
