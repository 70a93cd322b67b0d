package train

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/device"
)

// resumes are options that each keep something else between the steps.
var resumes = []string{
	"model=gpdrf inducing=9 latents=3 features=7 layers=2 hidden=3 samples=2 antithetic=true spectra=var-resampled freeze-omega=8 freeze-kernel=11",
	"model=gpdrf inducing=9 latents=3 features=7 ema=0.9 chunk=5 validation=0.3 eval-every=4 early-stop=2 lr=0.5 warmup=0",
	"model=gp inducing=9 validation=0.3 eval-every=7 restore=last ema=0.8",
	"model=drf features=7 layers=2 hidden=3 spectra=prior-fixed batch=60",
}

// A run that is killed after any of its checkpoints, and then goes on, ends with the files of the run that was not.
func TestResume(t *testing.T) {
	for _, options := range resumes {
		t.Run(options, func(t *testing.T) { testResume(t, options+" device=cpu:f32") })
	}
	t.Run("double", func(t *testing.T) { testResume(t, resumes[1]+" device=cpu:f64") })
}

// testResume trains once, keeps the folder as it is at each checkpoint, and goes on from each.
func testResume(t *testing.T, options string) {
	t.Helper()
	set := table(t, 60, 1, wave)
	if strings.Contains(options, "batch=60") {
		set = table(t, 60, 3, rings)
	} else {
		options += " batch=17"
	}
	dir := t.TempDir()
	c := config(t, options+" steps=25 checkpoint-every=3 kl-warmup=0.5")
	folder, err := NewFolder(filepath.Join(dir, "whole"), "d", "gp")
	if err != nil {
		t.Fatal(err)
	}
	var killed []string
	complete(t, &Job{Config: c}, set, folder, func() {
		at := filepath.Join(dir, fmt.Sprint("killed", len(killed)))
		if err := os.CopyFS(at, os.DirFS(filepath.Join(dir, "whole"))); err != nil {
			t.Fatal(err)
		}
		killed = append(killed, at)
	})
	if len(killed) < 3 {
		t.Fatalf("%d checkpoints", len(killed))
	}
	for _, at := range killed {
		appendTo(t, filepath.Join(at, MetricsFile), "lines after the checkpoi")
		goOn(t, at, set)
		sameRun(t, filepath.Join(dir, "whole"), at)
	}
}

// goOn finishes the run in a folder.
func goOn(t *testing.T, at string, set *data.Dataset) {
	t.Helper()
	from, err := ReadCheckpoint(at)
	if err != nil {
		t.Fatal(err)
	}
	folder, err := from.Folder(at)
	if err != nil {
		t.Fatal(err)
	}
	complete(t, &Job{Config: from.Config, From: from}, set, folder, func() {})
}

// complete runs a job, with rows held out where it says so, and commits its folder.
func complete(t *testing.T, j *Job, set *data.Dataset, folder *Folder, saved func()) {
	t.Helper()
	dev, err := device.Open(j.Config.Device)
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	if j.Train, j.Validation, _, err = j.Config.HoldOut(set); err != nil {
		t.Fatal(err)
	}
	j.Device, j.Test, j.Started, j.Reporter = dev, set, time.Now(), &logging{folder: folder}
	j.Save = func(c *Checkpoint) error {
		err := folder.Save(c)
		if err == nil {
			saved()
		}
		return err
	}
	out, err := j.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := folder.Commit(j.Config, out.Trained, NewResult(j, out, nil)); err != nil {
		t.Fatal(err)
	}
}

// logging is a Reporter that writes the metrics.
type logging struct {
	quiet
	folder *Folder
}

func (l *logging) Step(p Progress) { l.folder.Step(p) }

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(text)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

var seconds = regexp.MustCompile(`"seconds": ?[-+.e0-9]+`)

// sameRun compares the files of two run folders, but for times.
func sameRun(t *testing.T, want, got string) {
	t.Helper()
	if names := filesOf(t, got); names != filesOf(t, want) || isIn(got, CheckpointFile) {
		t.Errorf("%s holds %s", got, names)
	}
	for _, name := range []string{ConfigFile, MetricsFile, ModelFile, ResultFile} {
		a, errA := os.ReadFile(filepath.Join(want, name))
		b, errB := os.ReadFile(filepath.Join(got, name))
		if err := errors.Join(errA, errB); err != nil {
			t.Fatal(err)
		}
		if a, b = seconds.ReplaceAll(a, nil), seconds.ReplaceAll(b, nil); !bytes.Equal(a, b) {
			if name == ModelFile {
				a, b = nil, nil
			}
			t.Errorf("%s: %s is another\n%s\n%s", got, name, a, b)
		}
	}
}

func filesOf(t *testing.T, dir string) (names string) {
	t.Helper()
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		names += e.Name() + " "
	}
	return names
}
