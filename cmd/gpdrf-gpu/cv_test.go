package main

import (
	"testing"
	"time"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// Folds share a time limit: a late fold takes the time of the following ones, an early fold leaves them its rest. A
// tenth is kept for the work after the folds.
func TestClockOfFolds(t *testing.T) {
	began := time.Now()
	v := &crossValidation{p: &program{ctx: t.Context()},
		req: &trainRequest{started: began}, cv: &rundir.CV{Folds: 4, TimeLimit: "40s"}}
	for k, c := range []struct{ now, end time.Duration }{{1, 9}, {9, 18}, {15, 24}, {30, 36}} {
		l := v.clock(began.Add(c.now * time.Second))
		if end := l.Began.Add(l.Time).Sub(began); end != c.end*time.Second || l.Time != 10*time.Second {
			t.Errorf("fold %d begins at %d s with %s, and ends at %s, expected %d s", k+1, c.now, l.Time, end, c.end)
		}
	}
	ctx, cancel := v.extrasContext()
	defer cancel()
	if end, _ := ctx.Deadline(); end.Sub(began) != 42*time.Second+lastTest {
		t.Errorf("all ends after %s", end.Sub(began))
	}
	v.cv.TimeLimit = ""
	if l := v.clock(began.Add(time.Hour)); l.Time != 0 || l.Began != began.Add(time.Hour) {
		t.Errorf("%+v without a limit", l)
	}
}

// The table of folds shows that a time limit has cut a test.
func TestTableOfACutTest(t *testing.T) {
	scores := fitted.ResultScores{TestScores: fitted.TestScores{Classification: &metrics.Classification{}}}
	cut := scores
	cut.Cut = &fitted.Cut{Rows: 16, Samples: 3}
	cv := &rundir.CV{Task: data.Classification, Folds: 2, Runs: []rundir.FoldRun{
		{Fold: 1, Status: rundir.FoldFinished, NTest: 90, ResultScores: &cut},
		{Fold: 2, Status: rundir.FoldFinished, NTest: 80, ResultScores: &scores},
	}}
	must.Contain(t, cvTable(cv), " 16 of 90 ", " 80 ")
}
