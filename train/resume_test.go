// These tests continue runs from their checkpoints.

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
	"github.com/gpdrf/gpdrf-gpu/internal/atomicfile"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// inPartsWithEvaluations is the resumed run that the race detector has.
const inPartsWithEvaluations = "model=gpdrf inducing=9 latents=3 features=7 batch=17 chunk=5 validation=0.3 " +
	"eval-every=4 early-stop=2 lr=0.5 warmup=0"

// resumes returns runs with different states between the steps.
func resumes(t *testing.T) []testRun {
	t.Helper()
	numbers, dna := table(t, 60, 1, wave), genes(t, 60, 1)
	return []testRun{
		{options: "model=gp columns=auto batch=17", rows: wideRows(t, 60, 1, true), onHost: true},
		{options: "model=gp columns=components batch=17", rows: alikeRows(t, 200, 1, false), onHost: true},
		{options: "model=gpdrf inducing=9 latents=3 features=7 layers=2 hidden=3 samples=2 spectra=var-resampled " +
			"freeze-omega=8 freeze-kernel=11 batch=17", rows: numbers},
		{options: inPartsWithEvaluations, rows: numbers},
		{options: "model=gp inducing=9 natgrad=0.3 validation=0.3 eval-every=7 restore=last batch=17", rows: numbers},
		{options: "model=drf features=7 layers=2 hidden=2 spectra=prior-fixed samples=3 batch=60 class-offsets=true",
			rows: table(t, 60, 3, rings)},
		{options: "model=gpdrf inducing=9 latents=3 features=7 kernel=spectrum:2/tfidf+double:1,2 " +
			"validation=0.3 eval-every=4 batch=17", rows: dna, onHost: true},
		{options: "model=gpdrf inducing=9 latents=3 features=7 kernel=spectrum:2/tfidf+double:1,2 " +
			"validation=0.3 eval-every=4 batch=17 chunk=9", rows: dna, place: distancesInSteps},
		{options: "model=drf features=7 kernel=spectrum:2 projection=16 batch=17", rows: dna, onHost: true},
		{options: "model=gp inducing=9 kernel=spectrum:1 codebook=5 batch=17", rows: sounds(t, 60, 1), onHost: true},
		{options: "model=gp inducing=9 validation=0.3 eval-every=7 batch=17", rows: townRows(t, 99, 1)},
	}
}

// A run that is killed after any of its checkpoints, and then resumed, ends with the files of a run without a stop.
// There are checkpoints at all distances from an evaluation.
func TestResume(t *testing.T) {
	const short = " steps=25 checkpoint-every=5 device=cpu:"
	for _, c := range resumes(t) {
		if testing.Short() && c.options != inPartsWithEvaluations {
			continue
		}
		t.Run(c.options, func(t *testing.T) { testResume(t, c, short+"f32") })
	}
	t.Run("double", func(t *testing.T) { testResume(t, resumes(t)[1], short+"f64") })
}

// Attempts are resumed, too.
func TestResumedAttempts(t *testing.T) {
	learns(t)
	const attempts = " objective=auto device=cpu:f32"
	for _, c := range []testRun{
		{options: "model=gp inducing=9 batch=17 steps=500 checkpoint-every=125", rows: table(t, 60, 1, wave)},
		{options: "model=drf features=7 batch=60 steps=500 checkpoint-every=125", rows: table(t, 60, 3, rings)},
	} {
		t.Run(c.options, func(t *testing.T) { testResume(t, c, attempts) })
	}
	onComponents := testRun{options: "model=gpdrf inducing=20 latents=2 features=9 batch=17 steps=2400 " +
		"checkpoint-every=1200", rows: alikeRows(t, 200, 1, false)}
	if testResume(t, onComponents, attempts).Projection == nil {
		t.Error("the inputs are columns")
	}
}

// testResume trains once, keeps the folder as it is at each checkpoint, and continues from each. It returns the model.
func testResume(t *testing.T, c testRun, options string) *fitted.Model {
	t.Helper()
	set, dir := c.rows, t.TempDir()
	whole := filepath.Join(dir, "whole")
	job := jobOf(t, c.options+options+" kl-warmup=0.5")
	job.place = c.place
	if strings.HasSuffix(job.Config.Device, "f64") { // a folder that is there is filled
		must.OK(t, os.Mkdir(whole, 0o777))
	}
	folder := must.Get(rundir.NewFolder(whole, "d", "gp", false))(t)
	var killed []string
	complete(t, job, set, folder, func() {
		at := filepath.Join(dir, fmt.Sprint("killed", len(killed)))
		must.OK(t, os.CopyFS(at, os.DirFS(whole)))
		killed = append(killed, at)
	})
	if len(killed) < 2 {
		t.Fatalf("%d checkpoints", len(killed))
	}
	for _, at := range killed {
		checkpoint := must.Get(rundir.ReadCheckpoint(at))(t)
		if r, err := rundir.OpenRun(at); checkpoint.Step == 0 {
			if err == nil || !strings.Contains(err.Error(), "--resume") {
				t.Errorf("a run that was killed before its first step can predict: %v", err)
			}
		} else if err != nil || set.Sequences != nil &&
			inducingOf(r.Trained) == nil && !isProjected(r.Trained) {
			t.Fatalf("a run that was killed cannot predict: %v", err)
		}
		appendTo(t, filepath.Join(at, rundir.MetricsFile), "lines after the checkpoi")
		goOn(t, at, set)
		sameRun(t, whole, at)
	}
	return must.Get(rundir.OpenRun(whole))(t).Trained
}

// killedAt20 returns the folder of a run of 30 steps that was killed after its checkpoint at step 20.
func killedAt20(t *testing.T, set *data.Dataset) string {
	t.Helper()
	dir := t.TempDir()
	folder := must.Get(rundir.NewFolder(filepath.Join(dir, "run"), "d", "gp", false))(t)
	at := filepath.Join(dir, "killed")
	complete(t, &Job{Config: config(t, "inducing=9 features=7 batch=17 steps=30 checkpoint-every=20")},
		set, folder, func() {
			must.OK(t, os.CopyFS(at, os.DirFS(filepath.Join(dir, "run"))))
		})
	return at
}

// reopen returns the Job and the folder of a resumed run.
func reopen(t *testing.T, at string) (*rundir.Checkpoint, *rundir.Folder) {
	t.Helper()
	from := must.Get(rundir.ReadCheckpoint(at))(t)
	folder := must.Get(from.Folder(at))(t)
	return from, folder
}

// goOn resumes the run in a folder, and finishes it.
func goOn(t *testing.T, at string, set *data.Dataset) {
	t.Helper()
	from, folder := reopen(t, at)
	complete(t, &Job{Config: from.Config, Checkpoint: from}, set, folder, func() {})
}

// complete runs a job, with rows held out if its options ask for it, and commits its folder.
func complete(t *testing.T, j *Job, set *data.Dataset, folder *rundir.Folder, saved func()) {
	t.Helper()
	dev := heldOut(t, j, set)
	defer dev.Close()
	j.Device, j.Test, j.Started, j.Reporter = dev, set, time.Now(), &logging{folder: folder}
	j.Save = func(c *rundir.Checkpoint) error {
		err := folder.Save(c)
		if err == nil {
			saved()
		}
		return err
	}
	out := must.Get(j.Run(context.Background()))(t)
	must.Get(folder.Commit(out.Config, out.Trained, NewResult(j, out)))(t)
}

// logging is a Reporter that writes the metrics.
type logging struct {
	quiet
	folder *rundir.Folder
}

func (l *logging) Step(p rundir.Progress) { l.folder.AppendReading(p) }

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(text)
	}
	must.OK(t, errors.Join(err, f.Close()))
}

var seconds = regexp.MustCompile(`"seconds": ?[-+.e0-9]+`)

// sameRun compares the files of two run folders, without times.
func sameRun(t *testing.T, want, got string) {
	t.Helper()
	if names := filesOf(t, got); names != filesOf(t, want) || exists(filepath.Join(got, rundir.CheckpointFile)) {
		t.Errorf("%s holds %s", got, names)
	}
	for _, name := range []string{rundir.ConfigFile, rundir.MetricsFile, rundir.ModelFile, rundir.ResultFile} {
		a, errA := os.ReadFile(filepath.Join(want, name))
		b, errB := os.ReadFile(filepath.Join(got, name))
		must.OK(t, errors.Join(errA, errB))
		if a, b = seconds.ReplaceAll(a, nil), seconds.ReplaceAll(b, nil); !bytes.Equal(a, b) {
			if name == rundir.ModelFile {
				a, b = nil, nil
			}
			t.Errorf("%s: %s is another\n%s\n%s", got, name, a, b)
		}
	}
}

func filesOf(t *testing.T, dir string) (names string) {
	t.Helper()
	all := must.Get(os.ReadDir(dir))(t)
	for _, e := range all {
		names += e.Name() + " "
	}
	return names
}

// The ELBO of a result is the ELBO of the parameters that are kept: the average, the best or the last.
func TestBoundOfWhatIsKept(t *testing.T) {
	set := table(t, 60, 1, wave)
	for _, options := range []string{"", "validation=0.3 eval-every=4 lr=0.3", "validation=0.3 restore=last"} {
		out, _ := fitHeldOut(t, "model=gpdrf inducing=9 latents=3 features=7 steps=25 warmup=0 batch=42 "+options, set)
		c := out.Config
		dev := mustOpen(t, c.Device)
		defer dev.Close()
		rest, _, _, err := c.HoldOut(set, data.ReadControl{})
		must.OK(t, err)
		run := prepared(t, &Job{Config: c, Device: dev, Train: rest, Reporter: &quiet{}})
		must.OK(t, run.step.Model.Import(out.Trained.Parameters))
		must.Get(run.step.Do(device.StepScalars{Step: 25, KLWeight: 1}))(t)
		if want, err := run.step.Model.ReadELBO(1); err != nil || out.Objective != want {
			t.Errorf("%q: %+v, expected %+v, %v", options, out.Objective, want, err)
		}
	}
}

// The time of a limit counts for all the commands together.
func TestResumeTimeLimit(t *testing.T) {
	set := table(t, 60, 1, wave)
	at := killedAt20(t, set)
	from := must.Get(rundir.ReadCheckpoint(at))(t)
	from.Used, from.Deadline = time.Hour, time.Hour
	folder := must.Get(from.Folder(at))(t)
	complete(t, &Job{Config: from.Config, Checkpoint: from}, set, folder, func() {})
	if r, err := rundir.OpenRun(at); err != nil || r.Result.Steps != 21 || r.Result.Interrupted || r.CanResume() {
		t.Errorf("%+v, %v", r, err)
	}
}

// What is damaged is refused with what to do, wherever the damage is, and a folder is only for one process at a time.
func TestCheckpointDamaged(t *testing.T) {
	at := killedAt20(t, table(t, 60, 1, wave))
	path := filepath.Join(at, rundir.CheckpointFile)
	whole := must.Get(os.ReadFile(path))(t)
	for _, size := range []int{0, 5, 100, len(whole) / 2, len(whole) - 1} {
		damaged(t, path, whole[:size])
	}
	for at := 20; at < len(whole); at += len(whole) / 97 {
		flipped := bytes.Clone(whole)
		flipped[at] ^= 1
		damaged(t, path, flipped)
	}
	must.OK(t, os.WriteFile(path, whole, 0o666))
	from, first := reopen(t, at)
	log := must.Get(os.OpenFile(filepath.Join(at, rundir.MetricsFile), os.O_WRONLY, 0))(t)
	defer log.Close()
	// where the file system has locks
	locks := errors.Is(atomicfile.Lock(log), atomicfile.ErrLocked)
	if second, err := from.Folder(at); locks && (err == nil || !strings.Contains(err.Error(), "another process")) {
		t.Errorf("opened twice: %v, %v", second, err)
	}
	first.Discard()
	must.OK(t, os.Truncate(filepath.Join(at, rundir.MetricsFile), 10))
	var usage *usererror.Error
	if _, err := from.Folder(at); !errors.As(err, &usage) || !strings.Contains(err.Error(), rundir.MetricsFile) {
		t.Errorf("without its log: %v", err)
	}
}

func damaged(t *testing.T, path string, content []byte) {
	t.Helper()
	must.OK(t, os.WriteFile(path, content, 0o666))
	var usage *usererror.Error
	if _, err := rundir.ReadCheckpoint(filepath.Dir(path)); !errors.As(err, &usage) ||
		!strings.Contains(err.Error(), "train --config") {
		t.Errorf("%d bytes: %v", len(content), err)
	}
}

// The next run removes the folders of runs that were killed before their first checkpoint, and no others.
func TestRemovalOfKilledRuns(t *testing.T) {
	t.Chdir(t.TempDir())
	begin := func(name string) string {
		dir := filepath.Join("runs", ".d-gp-n.tmp-"+name)
		must.OK(t, errors.Join(os.MkdirAll(dir, 0o777),
			os.WriteFile(filepath.Join(dir, rundir.MetricsFile), nil, 0o666)))
		return dir
	}
	killed, strange, busy, full := begin("9"), begin("2"), begin("3"), begin("4")
	f := must.Get(os.OpenFile(filepath.Join(busy, rundir.MetricsFile), os.O_WRONLY, 0))(t)
	defer f.Close()
	if err := atomicfile.Lock(f); errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	must.OK(t, errors.Join(os.WriteFile(filepath.Join(full, rundir.CheckpointFile), nil, 0o666),
		os.WriteFile(filepath.Join(strange, "letter"), nil, 0o666)))
	folder, err := rundir.NewFolder("", "d", "gp", false)
	must.OK(t, err)
	defer folder.Discard()
	if len(folder.Removed) != 1 || folder.Removed[0] != killed || exists(killed) {
		t.Errorf("removed %v", folder.Removed)
	}
	for _, dir := range []string{strange, busy, full} {
		if !exists(dir) {
			t.Errorf("%s is gone", dir)
		}
	}
	must.OK(t, errors.Join(os.Mkdir("into", 0o777), os.Rename(begin("5"), "into/.into.tmp-5")))
	if folder, err = rundir.NewFolder("into", "d", "gp", false); err != nil || len(folder.Removed) != 1 {
		t.Errorf("the folder of one: %v", err)
	} else if err := folder.Discard(); err != nil {
		t.Error(err)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
