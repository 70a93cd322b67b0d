package options

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
)

// asFlags turns "key=value" words into settings that the command line gave as flags.
func asFlags(words string) (settings []Setting) {
	for _, word := range strings.Fields(words) {
		key, text, _ := strings.Cut(word, "=")
		settings = append(settings, Setting{Key: key, Text: text, From: "--" + key})
	}
	return settings
}

func resolved(t *testing.T, words string) Config {
	t.Helper()
	return must.Get(Resolve(nil, asFlags(words)))(t)
}

// A command line may repeat the options that the run began with. Another value of an option that its result depends on
// is an error with the name of the option.
func TestOptionsOfResumedRun(t *testing.T) {
	c, _ := resolved(t, "steps=100 batch=20 lr=0.05 validation=0.2 device=cuda:0:f32").ForSteps(100,
		ForTime(time.Minute))
	c.Chunk, c.Task = 7, "regression"
	for _, f := range []string{"lr=0.050", "steps=100", "time-limit=60s", "task=auto", "chunk=0",
		"device=cuda:1", "device=cuda", "checkpoint-every=5", "eval-every=0", "validation=0.2"} {
		resumed, err := c.Resume(asFlags(f), nil)
		if err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		c = resumed
	}
	if c.CheckpointEvery != "5" || c.Device != "cuda" || c.LR != 0.05 {
		t.Errorf("became %s %s %g", c.CheckpointEvery, c.Device, c.LR)
	}
	chosen, lognormal, sequences := c, c, c
	chosen.PlannedFor = "3 epochs, and rows that were held out"
	if _, err := chosen.Resume(asFlags("epochs=3"), nil); err != nil {
		t.Errorf("epochs of a run whose rows chose its steps: %v", err)
	}
	rows := data.Schema{Columns: []string{"a"}, Target: "y", TargetAt: 2}
	named := c
	named.Target, named.Device = "y", "cpu:f32"
	for _, s := range []Setting{{Key: "target", Text: "3"}, {Key: "precision", Text: "medium"}} {
		got, err := named.Resume([]Setting{s}, &rows)
		if err != nil || got.Target != "y" || got.Precision != "highest" {
			t.Errorf("%s=%s: %v", s.Key, s.Text, err)
		}
	}
	lognormal.Likelihood, lognormal.Targets, sequences.KernelSpec = "gaussian", "log", "rbf+spectrum:4"
	for f, resolved := range map[string]Config{"likelihood=lognormal": lognormal, "kernel=spectrum:4": sequences} {
		if _, err := resolved.Resume(asFlags(f), nil); err != nil {
			t.Error(err)
		}
		if _, err := c.Resume(asFlags(f), nil); err == nil {
			t.Errorf("%s: a run of %s, %s goes on", f, c.Likelihood, c.Kernel)
		}
	}
	for set, want := range map[string]string{
		"time-limit=5s": "began for a time limit of 5s,", "epochs=3": "began for 3 epochs,",
		"steps=7": "began for 7 steps,", "steps=7 planned-for=3_epochs": "began for 7 steps, by 3_epochs,",
		"ensemble=2": "began for its default length,",
	} {
		_, err := resolved(t, set).Resume(asFlags("time-limit=9s"), nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected %s", set, err, want)
		}
	}
	for _, f := range []string{"lr=0.1", "steps=200", "epochs=3", "time-limit=2m", "device=cpu",
		"device=cuda:0:f64", "chunk=8", "target=3", "precision=medium", "data=other.csv", "checkpoint-every=often"} {
		var usage *usererror.Error
		key, _, _ := strings.Cut(f, "=")
		_, err := c.Resume(asFlags(f), nil)
		if !errors.As(err, &usage) || !strings.HasPrefix(err.Error(), "--"+key+": ") {
			t.Errorf("%s: %v", f, err)
		}
	}
}

// A run that began without options takes the same flags.
func TestResumeWithoutOptions(t *testing.T) {
	c := resolved(t, "").WithExplicit(nil)
	if resumed, err := c.Resume(asFlags("checkpoint-every=100"), nil); err != nil || resumed.CheckpointEvery != "100" {
		t.Errorf("%q, %v", resumed.CheckpointEvery, err)
	}
	if _, err := c.Resume(asFlags("steps=5"), nil); err == nil {
		t.Error("another number of steps passed")
	}
}

func TestValidationUsage(t *testing.T) {
	for words, want := range map[string]string{
		"validation=0.7": `--validation: "0.7" must be a fraction of at most 0.5`,
		"validation=nan": `"nan" must be a fraction`,
		"early-stop=3":   "--early-stop: there are no rows to evaluate on",
		"eval-every=3":   "--eval-every: there are no rows to evaluate on",
	} {
		_, err := Resolve(nil, asFlags(words))
		var usage *usererror.Error
		if !errors.As(err, &usage) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", words, err)
		}
	}
}
