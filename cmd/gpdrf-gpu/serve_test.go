package main

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/serve"
)

// Other users cannot connect to a Unix socket, and files that are made later have their usual mode.
func TestSocketIsPrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has other permissions")
	}
	folder := t.TempDir()
	l := must.Get(listenSocket(filepath.Join(folder, "s")))(t)
	defer l.Close()
	later := filepath.Join(folder, "later")
	must.OK(t, os.Mkdir(later, 0o700))
	for path, want := range map[string]os.FileMode{filepath.Join(folder, "s"): 0o600, later: 0o700} {
		info := must.Get(os.Stat(path))(t)
		if info.Mode().Perm() != want {
			t.Errorf("%s: %v, expected %v", path, info.Mode().Perm(), want)
		}
	}
}

// A socket without a file has no permissions.
func TestSocketNeedsAFile(t *testing.T) {
	for _, path := range []string{"", "@gpdrf-gpu-test"} {
		if l, err := listenUnix("listen", path); err == nil {
			l.Close()
			t.Errorf("unix:%s is open to others", path)
		}
	}
}

// A folder can have = in its name.
func TestModelSources(t *testing.T) {
	t.Chdir(t.TempDir())
	must.OK(t, os.MkdirAll("runs/lr=0.1", 0o777))
	for word, want := range map[string]serve.Source{
		"runs/lr=0.1":   {Name: "lr=0.1", Path: "runs/lr=0.1"},
		"m=runs/lr=0.1": {Name: "m", Path: "runs/lr=0.1"},
		"m=runs/other":  {Name: "m", Path: "runs/other"},
	} {
		if got, err := modelSources([]string{word}); err != nil || len(got) != 1 || got[0] != want {
			t.Errorf("%s: %+v, %v", word, got, err)
		}
	}
}

// A folder whose name cannot stand in a request needs another name.
func TestNamesOfModels(t *testing.T) {
	for _, word := range []string{"..", ".", "runs/h\xe4user", "a:b"} {
		if got, err := modelSources([]string{word}); err == nil {
			t.Errorf("%q: %+v", word, got)
		}
		if got, err := modelSources([]string{"m=" + word}); err != nil || got[0].Name != "m" || got[0].Path != word {
			t.Errorf("m=%q: %+v, %v", word, got, err)
		}
	}
}
