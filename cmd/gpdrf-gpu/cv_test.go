package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
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

// A part fails if a process that trains alone has the folder, and writes nothing there.
func TestPartBesideAnother(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no locks here")
	}
	out := filepath.Join(t.TempDir(), "cv")
	var said bytes.Buffer
	p := &program{ctx: t.Context(), console: console{out: &said, err: &said}}
	v := must.Get(p.find("train"))(t)
	c, err := newCall(v, strings.Fields("--data testdata/houses.csv --cv 2 --steps 3 --inducing 8 --features 8 "+
		"--device cpu --set part=0/2 --out "+out))
	must.OK(t, err)
	r := must.Get(p.parseTrain(c))(t)
	other, err := rundir.NewCV("2", nil, c.given()) // it begins while the part reads its rows
	must.OK(t, err)
	must.OK(t, other.Place(out))
	release := must.Get(other.Lock(false))(t)
	defer release()
	before, _ := os.ReadFile(filepath.Join(out, "cv.json"))
	if err := p.crossValidate(r); !errors.As(err, new(*usererror.Error)) ||
		!strings.Contains(err.Error(), "another process") {
		t.Errorf("%v", err)
	}
	if after, err := os.ReadFile(filepath.Join(out, "cv.json")); err != nil || !bytes.Equal(before, after) {
		t.Errorf("it wrote %s, %v", after, err)
	}
}

// The table of folds shows that a time limit has cut a test.
func TestTableOfACutTest(t *testing.T) {
	scores := fitted.ResultScores{TestScores: fitted.TestScores{Classification: &metrics.Classification{}}}
	cut := scores
	cut.Cut = &fitted.Cut{Rows: 16, Samples: 3}
	cv := &rundir.CV{Task: data.Classification, Folds: 2, Runs: []rundir.FoldRun{
		{Fold: 1, Standing: rundir.FoldFinished, NTest: 90, ResultScores: &cut},
		{Fold: 2, Standing: rundir.FoldFinished, NTest: 80, ResultScores: &scores},
	}}
	must.Contain(t, cvTable(cv), " 16 of 90 ", " 80 ")
}
