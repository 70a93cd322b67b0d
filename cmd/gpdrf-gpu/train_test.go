package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/train"
	"github.com/gpdrf/gpdrf-gpu/train/options"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// occupied is a device whose memory another program takes after a number of allocations.
type occupied struct {
	device.Device
	after, asked int
}

func (d *occupied) Free() (int64, bool) {
	if d.asked++; d.asked <= d.after {
		return 1 << 40, true
	}
	return 1, true
}

// occupiedJob returns a short run on an occupied device.
func occupiedJob(t *testing.T, after int) *train.Job {
	t.Helper()
	c, err := options.Resolve(nil, []options.Setting{{Key: "data", Text: "testdata/houses.csv"},
		{Key: "steps", Text: "3"}, {Key: "inducing", Text: "8"}})
	must.OK(t, err)
	dev := must.Get(device.Open("cpu:f32"))(t)
	t.Cleanup(func() { dev.Close() })
	job := &train.Job{Config: c, Device: &occupied{Device: dev, after: after}}
	job.Config, job.Train, job.Test, _, err = c.Load(nil, data.ReadControl{})
	must.OK(t, err)
	return job
}

// A model that cannot be scored is saved: the error says so, and it can be scored later.
func TestEvaluationFails(t *testing.T) {
	job := occupiedJob(t, 1)
	out := filepath.Join(t.TempDir(), "run")
	folder := must.Get(rundir.NewFolder(out, "houses", "gpdrf", false))(t)
	var said bytes.Buffer
	p := &program{ctx: context.Background(), console: console{out: &said, err: &said}, reports: true}
	m := &modelTraining{p: p, job: job, folder: folder, guard: p.newExitGuard(p.ctx, nil)}
	if _, _, err := m.trainAndScore(); err == nil ||
		!strings.Contains(err.Error(), "is trained and saved in "+out+", but its evaluation failed: ") {
		t.Fatalf("%v", err)
	}
	must.OK(t, folder.Discard())
	for words, want := range map[string]string{
		"info " + out: "evaluation failed: ",
		"eval " + out: "RMSE",
		"predict " + out + " --data testdata/houses.csv --out -": "mean,",
		"train --resume " + out:                                  "\nwarning: " + out + " has no scores: ",
	} {
		said.Reset()
		if code := p.run(strings.Fields("gpdrf-gpu " + words)); code != exitOK ||
			!strings.Contains(said.String(), want) {
			t.Errorf("%s: exit code %d, %s", words, code, said.String())
		}
	}
	if !isFile(filepath.Join(out, rundir.ReportFile)) {
		t.Error("the run that was resumed has no report")
	}
}

// After Ctrl-C in the test that follows the last step, there is nothing to resume if there is no checkpoint.
func TestNothingToResume(t *testing.T) {
	folder := must.Get(rundir.NewFolder(filepath.Join(t.TempDir(), "run"), "houses", "gpdrf", false))(t)
	defer folder.Discard()
	var said bytes.Buffer
	p := &program{ctx: context.Background(), console: console{out: &said, err: &said}}
	o := &runOutput{p: p, folder: folder, out: &train.Outcome{StopReason: train.Interrupted}, path: "run"}
	if err := o.leave(); !errors.Is(err, errInterrupted) || strings.Contains(said.String(), "to resume") {
		t.Errorf("%v, %s", err, said.String())
	}
}

// A lifted time limit ends no command, but Ctrl-C still does. A time limit that is over cannot be lifted.
func TestLiftLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, interrupt := context.WithCancel(t.Context())
		p := &program{ctx: ctx, quit: make(chan error, 1), console: console{out: io.Discard, err: io.Discard}}
		limited, over := context.WithCancel(ctx)
		leave := func() error { return errInterrupted }
		guard := p.newExitGuard(limited, leave)
		must.OK(t, guard.liftLimit(ctx))
		over()
		synctest.Wait()
		if guard.endedOr(nil) != nil || len(p.quit) > 0 {
			t.Error("the limit still ends the command")
		}
		if err := p.newExitGuard(limited, leave).liftLimit(ctx); !hasEnded(err) {
			t.Errorf("a limit that is over: %v", err)
		}
		<-p.quit
		interrupt()
		if err := <-p.quit; !hasEnded(err) {
			t.Errorf("Ctrl-C: %v", err)
		}
	})
}

// If only the comparison of training rows with test rows fails, the run succeeds with a note.
func TestComparisonFails(t *testing.T) {
	for after := 2; ; after++ { // it ends when the memory is enough for all work before the comparison
		folder := must.Get(rundir.NewFolder(filepath.Join(t.TempDir(), "run"), "houses", "gpdrf", false))(t)
		var said bytes.Buffer
		p := &program{ctx: context.Background(), console: console{out: &said, err: &said}}
		m := &modelTraining{p: p, job: occupiedJob(t, after), folder: folder, guard: p.newExitGuard(p.ctx, nil)}
		r, path, err := m.trainAndScore()
		if err != nil && after < 20 {
			continue
		}
		if err != nil || r.Generalisation != nil || r.TestScores.Regression == nil ||
			!strings.Contains(said.String(), "warning: the check for memorised rows was left out: ") {
			t.Fatalf("%v, %+v, %s", err, r, said.String())
		}
		if run, err := rundir.OpenRun(path); err != nil || run.Result.Generalisation != nil {
			t.Errorf("%v", err)
		}
		return
	}
}

// Train has few flags: an option that is seldom typed is a key.
func TestTrainFlags(t *testing.T) {
	if v, err := (&program{}).find("train"); err != nil || len(v.flags) > 37 {
		t.Errorf("train has the flags %q, %v", flagNames(v.flags), err)
	}
}
