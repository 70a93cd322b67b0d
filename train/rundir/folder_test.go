package rundir

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/scaling"
	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/internal/version"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

func smallResult() *Result {
	auc := 0.75
	return &Result{
		Version: version.Number, Data: "d", Task: data.Classification, Model: "gpdrf", Preset: "default",
		Device: "cpu:f32", Seed: 1,
		NTrain: 10, NTest: 2, Steps: 3, Seconds: 0.5, Objective: "ELBO", KLWeight: 1, ELBO: -12, Parameters: 9,
		Fingerprint: Fingerprint{"a", "b"},
		ResultScores: fitted.ResultScores{
			TestScores: fitted.TestScores{Classification: &metrics.Classification{Error: 0.5, AUC: &auc}},
		},
	}
}

// resolve returns the options of a run.
func resolve(t *testing.T, settings ...options.Setting) options.Config {
	t.Helper()
	return must.Get(options.Resolve(nil, settings))(t)
}

// smallTrained returns a regression model that was never trained.
func smallTrained() *fitted.Model {
	t := &fitted.Model{
		Config: model.Config{
			Model: model.GP, Inputs: 1, Outputs: 1, Likelihood: model.GaussianLikelihood, Latents: 1, Inducing: 2,
			Lengthscales: model.Shared, QCov: model.Diagonal, Whiten: true, Samples: 1,
		},
		Schema: data.Schema{Columns: []string{"a"}, Target: "y", TargetAt: 1, Task: data.Regression},
		Scaler: scaling.Scaler{Kind: "standard", Center: []float64{0.1}, Scale: []float64{1},
			Min: []float64{-1}, Max: []float64{1}},
		Targets:  []scaling.TargetScale{{Mean: 450, SD: 17.05}},
		KLWeight: 0.5, EvalSamples: 100,
	}
	t.Parameters = t.Config.Layout()
	for i := range t.Parameters {
		t.Parameters[i].Data = make([]float64, t.Parameters[i].Len())
	}
	return t
}

// commit makes a complete run folder.
func commit(t *testing.T, out, name string) string {
	t.Helper()
	f := must.Get(NewFolder(out, name, "gpdrf", false))(t)
	f.AppendReading(Progress{Step: 1, Total: 3, Objective: -20, ELL: -15, KL: 5, LR: 0.01, Elapsed: time.Second})
	f.AppendReading(Progress{Step: 3, Total: 3, Objective: -12, ELL: -7, KL: 5, LR: 0.01, Elapsed: 2 * time.Second})
	path := must.Get(f.Commit(resolve(t), smallTrained(), smallResult()))(t)
	f.Release() // as a process that ends
	return path
}

func TestRunFolder(t *testing.T) {
	out := filepath.Join(t.TempDir(), "deep", "run")
	if path := commit(t, out, "d"); path != out {
		t.Errorf("committed to %s", path)
	}
	run := must.Get(OpenRun(out))(t)
	if !reflect.DeepEqual(run.Result, smallResult()) || !reflect.DeepEqual(run.Trained, smallTrained()) {
		t.Errorf("came back as %+v", run.Result)
	}
	if run.Config.Text("inducing") != "200" {
		t.Error("the config did not come back")
	}
	f := must.Get(os.Open(filepath.Join(out, MetricsFile)))(t)
	defer f.Close()
	lines := 0
	for s := bufio.NewScanner(f); s.Scan(); lines++ {
		var line map[string]float64
		if err := json.Unmarshal(s.Bytes(), &line); err != nil || len(line) != 6 {
			t.Errorf("%s: %v", s.Text(), err)
		}
	}
	if lines != 2 {
		t.Errorf("%d lines of metrics", lines)
	}
}

// Runs that end at the same moment get different numbers.
func TestRunNumbers(t *testing.T) {
	t.Chdir(t.TempDir())
	must.OK(t, os.MkdirAll(filepath.Join("runs", "a_b-gpdrf-2", "x"), 0o777))
	var wg sync.WaitGroup
	for range 5 {
		wg.Go(func() { commit(t, "", "a/b") })
	}
	wg.Wait()
	for _, n := range []string{"1", "3", "4", "5", "6"} {
		if _, err := OpenRun(filepath.Join("runs", "a_b-gpdrf-"+n)); err != nil {
			t.Error(err)
		}
	}
	if all, _ := os.ReadDir("runs"); len(all) != 6 {
		t.Errorf("%d entries in runs", len(all))
	}
}

func TestRunFolderTaken(t *testing.T) {
	t.Chdir(t.TempDir())
	must.OK(t, os.WriteFile("file", nil, 0o666))
	must.OK(t, os.MkdirAll("full/x", 0o777))
	var usage *usererror.Error
	for _, out := range []string{"file", "full", ".", "file/run"} {
		if _, err := NewFolder(out, "d", "gp", false); !errors.As(err, &usage) {
			t.Errorf("--out %s: %v", out, err)
		}
	}
	// The empty folder behind a link is taken, the link stays; a link to nothing is no place.
	if err := errors.Join(os.Mkdir("empty", 0o777), os.Symlink("empty", "link"),
		os.Symlink("nothing", "dangling")); err != nil {
		t.Skip("no links here")
	}
	if _, err := NewFolder("dangling", "d", "gp", false); !errors.As(err, &usage) {
		t.Errorf("--out dangling: %v", err)
	}
	commit(t, "link", "d")
	if _, err := OpenRun("empty"); err != nil {
		t.Error(err)
	}
	if info, err := os.Lstat("link"); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link is gone")
	}
}

// The temporary folder of a process that was killed is no run.
func TestUnfinishedIsNoRun(t *testing.T) {
	dir := t.TempDir()
	f := must.Get(NewFolder(filepath.Join(dir, "run"), "d", "gp", false))(t)
	f.AppendReading(Progress{Step: 1})
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 || !strings.HasPrefix(left[0].Name(), ".run.tmp-") {
		t.Fatalf("%v, %v", left, err)
	}
	if _, err := OpenRun(filepath.Join(dir, left[0].Name())); err == nil {
		t.Error("opened")
	}
	if err := f.Discard(); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left %v", left)
	}
}

// A full disk is an error at the next step, and nothing is committed.
func TestMetricsError(t *testing.T) {
	dir := t.TempDir()
	f := must.Get(NewFolder(filepath.Join(dir, "run"), "d", "gp", false))(t)
	f.log.Close() // every write fails from here on
	f.AppendReading(Progress{Step: 1})
	if f.Err() == nil {
		t.Error("a line that was not written is no error")
	}
	if _, err := f.Commit(resolve(t), smallTrained(), smallResult()); err == nil {
		t.Error("committed")
	}
	f.Discard()
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left %v", left)
	}
}

func TestOpenRunErrors(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "run")
	commit(t, out, "d")
	for _, name := range []string{ConfigFile, ResultFile, ModelFile} {
		path := filepath.Join(out, name)
		text := must.Get(os.ReadFile(path))(t)
		for _, damage := range []func() error{
			func() error { return os.Remove(path) },
			func() error { return os.WriteFile(path, []byte("[nonsense"), 0o666) },
		} {
			must.OK(t, damage())
			var usage *usererror.Error
			if _, err := OpenRun(out); !errors.As(err, &usage) || !strings.Contains(err.Error(), name) {
				t.Errorf("%s: %v", name, err)
			}
		}
		must.OK(t, os.WriteFile(path, text, 0o666))
	}
	if _, err := OpenRun(out); err != nil {
		t.Error(err)
	}
}

// A run of an older version, whose inducing points were chosen in a way that is gone, can be opened.
func TestOpenRunOfRemovedChoice(t *testing.T) {
	out := filepath.Join(t.TempDir(), "run")
	commit(t, out, "d")
	config := filepath.Join(out, ConfigFile)
	text := must.Get(os.ReadFile(config))(t)
	old := regexp.MustCompile(`(?m)^inducing-init: .*`).ReplaceAll(text, []byte("inducing-init: greedy"))
	must.OK(t, os.WriteFile(config, old, 0o666))
	must.Get(OpenRun(out))(t)
}
