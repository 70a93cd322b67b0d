// These tests interrupt a run in the middle of a step.

package train

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// cancelling is a device that interrupts the run in the middle of a step, after some gatherings of rows.
type cancelling struct {
	device.Device
	gathers int
	cancel  context.CancelFunc
}

func (d *cancelling) Gather(dst, src, rows *device.Tensor) {
	if d.gathers--; d.gathers == 0 {
		d.cancel()
	}
	d.Device.Gather(dst, src, rows)
}

// A batch of partedRun goes through the model in chunks, with two gatherings each: x and y.
const (
	partedRun = "model=gp inducing=9 batch=20 chunk=4 steps=30 checkpoint-every=0 device=cpu:f64"
	gathers   = 5 * 2 // number of gatherings in a step
)

// interruptIn runs a job of partedRun, and interrupts it in the second part of a step.
func interruptIn(t *testing.T, j *Job, set *data.Dataset, folder *rundir.Folder, step int) (*Outcome, error) {
	t.Helper()
	dev := heldOut(t, j, set)
	defer dev.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	j.Device = &cancelling{dev, gathers*(step-1) + 3, cancel}
	j.Test, j.Started, j.Reporter, j.Save = set, time.Now(), &logging{folder: folder}, folder.Save
	out, err := j.Run(ctx)
	if err == nil {
		_, err = folder.Commit(out.Config, out.Trained, NewResult(j, out))
	}
	return out, err
}

// A step in chunks ends between two of them when the run is interrupted. The model of the step before is kept, and the
// config of the run repeats it. A resumed run ends with the files of a run without an interrupt.
func TestInterruptedBetweenParts(t *testing.T) {
	set := table(t, 60, 1, wave)
	for _, more := range []string{"", " validation=0.2 eval-every=7",
		" validation=0.2 eval-every=7 restore=last natgrad=0.3"} {
		if more == "" && testing.Short() {
			continue // the race detector has the evaluations
		}
		t.Run(strings.TrimSpace(more), func(t *testing.T) {
			options, dir := partedRun+more, t.TempDir()
			begin := func(name string) *rundir.Folder {
				return must.Get(rundir.NewFolder(filepath.Join(dir, name), "d", "gp", false))(t)
			}
			complete(t, &Job{Config: config(t, options)}, set, begin("whole"), func() {})
			// after the first, an evaluation, a reading, neither; the last
			for _, step := range []int{2, 8, 11, 15, 30} {
				name := fmt.Sprint("left", step)
				out, err := interruptIn(t, &Job{Config: config(t, options)}, set, begin(name), step)
				if err != nil || out.StopReason != Interrupted || out.Steps != step-1 ||
					out.Config.StopAfter != step-1 {
					t.Fatalf("interrupted in step %d: %+v, %v", step, out, err)
				}
				again, _ := fitHeldOut(t, fmt.Sprint(options, " stop-after=", step-1), set)
				same(t, name, out.Trained.Parameters, again.Trained.Parameters)
				if v, w := out.Validation, again.Validation; v != nil && (v.Step != w.Step || *v.NLPD != *w.NLPD) {
					t.Errorf("%s: %+v, repeated %+v", name, v, w)
				}
				at := filepath.Join(dir, name)
				leaveAtOnce(t, at, set)
				goOn(t, at, set)
				sameRun(t, filepath.Join(dir, "whole"), at)
			}
			if _, err := interruptIn(t, &Job{Config: config(t, options)}, set, begin("none"),
				1); !errors.Is(err, context.Canceled) {
				t.Errorf("interrupted in the first step: %v", err)
			}
		})
	}
}

// leaveAtOnce continues with a run and interrupts its first step, which changes nothing.
func leaveAtOnce(t *testing.T, at string, set *data.Dataset) {
	t.Helper()
	before := must.Get(os.ReadFile(filepath.Join(at, rundir.CheckpointFile)))(t)
	from, folder := reopen(t, at)
	if _, err := interruptIn(t, &Job{Config: from.Config, Checkpoint: from}, set, folder,
		1); !errors.Is(err, context.Canceled) {
		t.Errorf("%s: interrupted in the first step: %v", at, err)
	}
	after, err := os.ReadFile(filepath.Join(at, rundir.CheckpointFile))
	if err := errors.Join(err, folder.Discard()); err != nil || string(after) != string(before) {
		t.Errorf("%s: the checkpoint is another, %v", at, err)
	}
}

// The ELBO of a run that was interrupted is the reading of its last step: the steps of such a run are long, and each is
// read.
func TestInterruptedELBO(t *testing.T) {
	set := table(t, 60, 1, wave)
	folder := must.Get(rundir.NewFolder(filepath.Join(t.TempDir(), "run"), "d", "gp", false))(t)
	out := must.Get(interruptIn(t, &Job{Config: config(t, partedRun)}, set, folder, 15))(t)
	dev := mustOpen(t, "cpu:f64")
	defer dev.Close()
	told := &readings{}
	c := config(t, partedRun+" stop-after=14")
	must.Get((&Job{Config: c, Device: dev, Train: set, Started: time.Now(), Reporter: told}).Run(t.Context()))(t)
	if last := told.all[len(told.all)-1]; last.Step != 14 || last.Objective != out.Objective.Value {
		t.Errorf("%+v, expected %+v", out.Objective, last)
	}
}

// recording is a cancelling device that can record steps, of which no part can be left out.
type recording struct{ *cancelling }

func (recording) Record(work func(device.LiveScalars)) func(device.StepScalars) {
	return func(now device.StepScalars) { work(now.Live()) }
}

// A step that may be recorded is whole.
func TestInterruptedRecord(t *testing.T) {
	dev := mustOpen(t, "cpu:f64")
	defer dev.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	watched := recording{&cancelling{dev, 2*gathers + 3, cancel}} // cancelled in part 2 of step 3
	out, err := (&Job{Config: config(t, partedRun), Device: watched, Train: table(t, 60, 1, wave),
		Started: time.Now(), Reporter: &quiet{}}).Run(ctx)
	if err != nil || out.StopReason != Interrupted || out.Steps != 3 {
		t.Errorf("%+v, %v", out, err)
	}
}
