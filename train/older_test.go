package train

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/safetensors"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// A run on sequences that was killed before there were class offsets continues without them.
func TestResumeOlderRun(t *testing.T) {
	set := genes(t, 60, 1)
	dir := t.TempDir()
	folder, err := rundir.NewFolder(filepath.Join(dir, "whole"), "d", "gpdrf")
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
	rewrite(t, filepath.Join(at, rundir.CheckpointFile), strings.NewReplacer(
		"\nfeed-forward:", "\nantithetic: false\nfeed-forward:", "\nclass-offsets: false", "",
		"\nfeed-forward: false", "\nfeed-forward: true"))
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
	metadata["config"] = change.Replace(metadata["config"])
	if metadata["config"] == before["config"] {
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
