package train

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/safetensors"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// A config file of before that says antithetic says sampling.
func TestConfigOfBefore(t *testing.T) {
	for text, want := range map[string]string{
		"antithetic: true\nsamples: 2": model.Antithetic, "antithetic: false\nsamples: 3": model.Independent, "samples: 4\nantithetic: 1": model.Antithetic,
	} {
		settings, err := parseConfig("f", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		c, err := Resolve(settings, nil)
		if err != nil || c.Sampling != want || !c.Explicit("sampling") {
			t.Errorf("%q: sampling %v, %v", text, c, err)
		}
	}
	for text, want := range map[string]string{
		"antithetic: perhaps":                   `f:1:1: unknown key "antithetic"`,
		"sampling: qmc\nantithetic: true":       `f:2:1: key "sampling" stands in line 1 already`,
		"antithetic: false\nantithetic: false ": "f:2:1",
	} {
		if _, err := parseConfig("f", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A run on sequences that was killed before there were class offsets goes on without them.
func TestResumeOfBefore(t *testing.T) {
	set := genes(t, 60, 1)
	dir := t.TempDir()
	folder, err := NewFolder(filepath.Join(dir, "whole"), "d", "gpdrf")
	if err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(dir, "killed")
	c := config(t, "kernel=spectrum:2 inducing=9 features=7 batch=17 steps=30 checkpoint-every=20 class-offsets=false")
	complete(t, &Job{Config: c}, set, folder, func() {
		if err := os.CopyFS(at, os.DirFS(filepath.Join(dir, "whole"))); err != nil {
			t.Fatal(err)
		}
	})
	rewrite(t, filepath.Join(at, CheckpointFile), strings.NewReplacer(
		"\nsampling: iid", "\nantithetic: false", "\nclass-offsets: false", "", "\nfeed-forward: false", "\nfeed-forward: true"))
	goOn(t, at, set)
	sameRun(t, filepath.Join(dir, "whole"), at)
}

// rewrite changes the config in a checkpoint.
func rewrite(t *testing.T, path string, change *strings.Replacer) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	metadata, tensors, err := safetensors.Read(strings.NewReader(string(text)), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	before := maps.Clone(metadata)
	metadata[metaConfig] = change.Replace(metadata[metaConfig])
	if metadata[metaConfig] == before[metaConfig] {
		t.Fatal("the config is as it was")
	}
	delete(metadata, safetensors.ChecksumKey)
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := safetensors.Write(f, metadata, tensors); err != nil {
		t.Fatal(err)
	}
}
