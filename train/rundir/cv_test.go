package rundir

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/atomicfile"
	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

func settings(pairs ...string) (list []options.Setting) {
	for _, p := range pairs {
		key, text, _ := strings.Cut(p, "=")
		list = append(list, options.Setting{Key: key, Text: text, From: "--" + key})
	}
	return list
}

// The configuration of a fold is that of the same options with the fold; a time limit is shared.
func TestCVConfig(t *testing.T) {
	file := settings("data=x.csv", "steps=7", "stop-after=3", "planned-for=1 epochs", "folds=9", "fold=2", "batch=5")
	cv := must.Get(NewCV("4", file, settings("epochs=2", "batch=6")))(t)
	c := must.Get(cv.Begin(3, nil))(t)
	want := resolve(t, settings("data=x.csv", "batch=6", "epochs=2", "folds=4", "fold=3")...)
	if string(c.YAML()) != string(want.YAML()) || c.StopAfter != 0 || c.PlannedFor != "" {
		t.Errorf("got\n%s\nwant\n%s", c.YAML(), want.YAML())
	}
	cv = must.Get(NewCV("4", nil, settings("time-limit=10m")))(t)
	if c, err := cv.Begin(1, nil); err != nil || c.TimeLimit != 150*time.Second {
		t.Errorf("%v of time, %v", c.TimeLimit, err)
	}
	cv.TimeLimit = "1ns" // a share of 0 would be no limit
	if c, err := cv.Begin(1, nil); err != nil || c.TimeLimit != 1 {
		t.Errorf("%v of time, %v", c.TimeLimit, err)
	}
	if cv = must.Get(NewCV(own, nil, settings("data=concrete")))(t); cv.Folds != 3 {
		t.Fatalf("%+v", cv)
	}
	if c, err := cv.Begin(2, nil); err != nil || c.Folds != 0 || c.Fold != 2 {
		t.Errorf("folds %d, fold %d, %v", c.Folds, c.Fold, err)
	}
	for _, asked := range []string{"0", "1", "101", "-3", "", "2.5", own} {
		if _, err := NewCV(asked, nil, settings("data=mnist")); err == nil {
			t.Errorf("--cv %q is taken", asked)
		}
	}
}

// Means, standard errors and pooled scores are those of sums by hand.
func TestCVSummary(t *testing.T) {
	cv := &CV{Task: data.Regression, Complete: true}
	rmse, nlpd, rows := []float64{1, 2, 4}, []float64{0.5, 0.25, 0}, []int{10, 20, 10}
	for i := range rmse {
		raw := metrics.Regression{RMSE: 10 * rmse[i], NLPD: nlpd[i]}
		cv.Runs = append(cv.Runs, FoldRun{Fold: i + 1, Status: FoldFinished, NTest: rows[i],
			ResultScores: &fitted.ResultScores{TestScores: fitted.TestScores{
				Regression: &metrics.Regression{RMSE: rmse[i],
					NLPD: nlpd[i]}}, Raw: &raw}})
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-12*math.Abs(want) {
			t.Errorf("%s is %v, want %v", what, got, want)
		}
	}
	cv.summarise()
	mean := 7.0 / 3
	sd := math.Sqrt(((1-mean)*(1-mean) + (2-mean)*(2-mean) + (4-mean)*(4-mean)) / 2)
	near("mean RMSE", cv.Test["rmse"].Mean, mean)
	near("its error", *cv.Test["rmse"].SE, sd/math.Sqrt(3))
	near("mean raw RMSE", cv.Raw["rmse"].Mean, 10*mean)
	near("RMSE of all rows", cv.Pooled.Scores["rmse"], math.Sqrt((10*100+20*400+10*1600)/40.0))
	near("NLPD of all rows", cv.Pooled.Scores["nlpd"], (10*0.5+20*0.25)/40)
	if cv.Pooled.Rows != 40 {
		t.Errorf("%d rows", cv.Pooled.Rows)
	}
	cv.Runs[0].Cut = &fitted.Cut{Rows: 5, Samples: 100}
	if cv.summarise(); cv.Pooled != nil {
		t.Errorf("pooled %v, though not all rows are tested", cv.Pooled)
	}
	cv.Runs[0].Cut = nil

	cv.Runs[1].Status, cv.Complete = FoldFailed, false
	cv.summarise()
	near("mean RMSE of two", cv.Test["rmse"].Mean, 2.5)
	if cv.Finished != 2 || cv.Pooled != nil {
		t.Errorf("%d folds, pooled %v", cv.Finished, cv.Pooled)
	}
	cv.Runs[0].Status = FoldInterrupted
	if cv.summarise(); cv.Test["rmse"].SE != nil {
		t.Error("an error of one fold")
	}
	cv.Runs[2].Status = FoldWaiting
	if cv.summarise(); cv.Test != nil || cv.Finished != 0 {
		t.Error("scores of no fold")
	}
}

// The folder of a cross-validation belongs to one process. The next fold removes temporary folders of a killed one.
func TestCVFolder(t *testing.T) {
	out := filepath.Join(t.TempDir(), "cv")
	cv := must.Get(NewCV("2", nil, nil))(t)
	err := cv.Place(out)
	must.OK(t, err)
	if entries, err := os.ReadDir(out); err != nil || len(entries) != 1 || entries[0].Name() != cvFile || !IsCV(out) {
		t.Fatalf("%v, %v", entries, err)
	}
	left, kept := filepath.Join(out, ".fold-1.tmp-7"), filepath.Join(out, ".fold-2.tmp-8")
	for _, dir := range []string{left, kept} {
		must.OK(t, errors.Join(os.Mkdir(dir, 0o777), os.WriteFile(filepath.Join(dir, MetricsFile), nil, 0o666)))
	}
	must.OK(t, os.WriteFile(filepath.Join(kept, ResultFile), nil, 0o666))
	release := must.Get(cv.Lock())(t)
	must.OK(t, must.Get(cv.NewFolder(1))(t).Discard())
	if _, err := os.Stat(left); err == nil {
		t.Skip("no locks here")
	}
	if _, err := os.Stat(kept); err != nil {
		t.Errorf("a run that has ended is gone: %v", err)
	}
	other := must.Get(OpenCV(out))(t)
	if _, err := other.Lock(); err == nil || !strings.Contains(err.Error(), "another process") {
		t.Errorf("locked twice: %v", err)
	}
	release()
	if again, err := other.Lock(); err != nil {
		t.Error(err)
	} else {
		again()
	}

	must.Equal(t, commit(t, cv.FoldPath(1), "d"), cv.FoldPath(1))
	must.OK(t, cv.Update(2, os.ErrClosed))
	if other, err = OpenCV(out); err != nil || other.Runs[0].Status != FoldFinished ||
		other.Runs[1].Failure == "" || other.IsPending(1) || !other.IsPending(2) {
		t.Errorf("%+v, %v", other, err)
	}
	killed := smallResult()
	killed.Failure = Untested
	must.OK(t, atomicfile.WriteFile(filepath.Join(cv.FoldPath(1), ResultFile), atomicfile.JSON(killed)))
	if other, err = OpenCV(out); err != nil || other.Runs[0].Status != FoldUnfinished || !other.IsPending(1) {
		t.Errorf("killed in its test: %+v, %v", other, err)
	}
	if again, err := other.NewFolder(1); err != nil {
		t.Errorf("a fold that was killed in its test does not begin again: %v", err)
	} else if err := again.Discard(); err != nil {
		t.Error(err)
	}
	if err := cv.Prune(); err != nil || !IsCV(out) {
		t.Errorf("pruned with a fold in it: %v", err)
	}
	if _, err := OpenRun(out); err == nil || !strings.Contains(err.Error(), "fold-1") {
		t.Errorf("opened as a run: %v", err)
	}
	must.OK(t, os.RemoveAll(cv.FoldPath(1)))
	must.OK(t, os.RemoveAll(kept))
	if err := cv.Prune(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("nothing was in it, and it is there")
	}
}

func TestMeanOfEqual(t *testing.T) {
	for n := 1; n <= 12; n++ {
		if a := meanOf(slices.Repeat([]float64{0.9}, n)); a.Mean != 0.9 || (a.SE != nil && *a.SE != 0) {
			t.Errorf("%d folds of level 0.9: %v", n, a)
		}
	}
	if a := meanOf([]float64{1, 2, 6}); math.Abs(a.Mean-3) > 1e-15 || math.Abs(*a.SE-math.Sqrt(7.0/3)) > 1e-15 {
		t.Errorf("%v", a)
	}
}
