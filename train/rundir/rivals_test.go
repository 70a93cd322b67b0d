package rundir

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/atomicfile"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
)

// Of several runs that begin for the same folder, one continues, and the others are an error at their start.
func TestRivals(t *testing.T) {
	for _, place := range []string{"new", "empty", "old"} {
		t.Run(place, func(t *testing.T) {
			t.Chdir(t.TempDir())
			overwrite := false
			switch place {
			case "empty":
				must.OK(t, os.Mkdir("run", 0o777))
			case "old":
				commit(t, "run", "d")
				overwrite = true
			}
			var begun atomic.Pointer[Folder]
			var n atomic.Int32
			var all sync.WaitGroup
			for range 4 {
				all.Go(func() {
					f, err := NewFolder("run", "d", "gp", overwrite)
					if err == nil {
						begun.Store(f)
						n.Add(1)
					} else if !errors.As(err, new(*usererror.Error)) {
						t.Error(err)
					}
				})
			}
			if all.Wait(); n.Load() != 1 {
				t.Fatalf("%d of 4 began", n.Load())
			}
			_, err := NewFolder("run", "d", "gp", overwrite)
			if err == nil || !strings.Contains(err.Error(), "another process") {
				t.Errorf("beside one that goes on: %v", err)
			}
			must.OK(t, begun.Load().Discard())
			beginAndEnd(t, overwrite)
			if left, err := filepath.Glob(".run*"); err != nil || left != nil {
				t.Errorf("left %s, %v", left, err)
			}
		})
	}
}

// beginAndEnd begins and ends a run.
func beginAndEnd(t *testing.T, overwrite bool) {
	t.Helper()
	f, err := NewFolder("run", "d", "gp", overwrite)
	if err == nil {
		_, err = f.Commit(resolve(t), smallTrained(), smallResult())
	}
	must.OK(t, err)
	f.Release()
}

// A run in which a process trains is not replaced, even if that process began after the new run.
func TestReplaceInUse(t *testing.T) {
	t.Chdir(t.TempDir())
	commit(t, "run", "d")
	f := must.Get(NewFolder("run", "d", "gp", true))(t)
	other, err := os.Open(filepath.Join("run", MetricsFile))
	if err == nil {
		err = atomicfile.Lock(other)
	}
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip("no locks here")
	} else if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if _, err := f.Commit(resolve(t), smallTrained(), smallResult()); err == nil ||
		!strings.Contains(err.Error(), "another process is training in run") {
		t.Errorf("replaced: %v", err)
	}
	if _, err := OpenRun("run"); err != nil {
		t.Error(err)
	}
	if _, err := OpenRun(f.Path()); err != nil {
		t.Errorf("the new one is lost: %v", err)
	}
}

// A run is not replaced while the process that trained it tests it: its scores would come to the new model.
func TestReplaceTested(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no locks here")
	}
	t.Chdir(t.TempDir())
	f, err := NewFolder("run", "d", "gp", false)
	if err == nil {
		_, err = f.Commit(resolve(t), smallTrained(), smallResult())
	}
	must.OK(t, err)
	if _, err := NewFolder("run", "d", "gp", true); err == nil || !strings.Contains(err.Error(), "another process") {
		t.Errorf("begun: %v", err)
	}
	if err := f.WriteResult(smallResult()); err != nil {
		t.Error(err)
	}
	f.Release()
	beginAndEnd(t, true)
}

// A run that has ended can be replaced, also where files have no locks.
func TestReplaceEnded(t *testing.T) {
	t.Chdir(t.TempDir())
	commit(t, "run", "d")
	if busy, err := inUse("run"); busy || err != nil {
		t.Errorf("a run that has ended is in use: %t, %v", busy, err)
	}
	beginAndEnd(t, true)
}

// A search that was killed as it ended leaves models of candidates in its run, and a temporary of one.
func TestReplaceSearch(t *testing.T) {
	t.Chdir(t.TempDir())
	commit(t, "run", "d")
	for _, name := range []string{SearchFile, MemberFile(0), "." + MemberFile(1) + ".tmp-3"} {
		must.OK(t, os.WriteFile(filepath.Join("run", name), nil, 0o666))
	}
	beginAndEnd(t, true)
	if other := "candidate-genes.safetensors"; isRunFile(other) {
		t.Errorf("%s is taken for a file of a run", other)
	}
}

// The error advises --overwrite if the command takes it, and that works.
func TestAdviceToOverwrite(t *testing.T) {
	t.Chdir(t.TempDir())
	commit(t, "run", "d")
	commit(t, "notes", "d")
	must.OK(t, os.WriteFile(filepath.Join("notes", "notes.txt"), nil, 0o666))
	for _, out := range []string{"run", "notes"} {
		if err := CheckNewDir(out); err == nil || strings.Contains(err.Error(), "--overwrite") {
			t.Errorf("%s: %v", out, err)
		}
		err := CheckOutDir(out, false)
		advised := err != nil && strings.Contains(err.Error(), "--overwrite")
		if works := CheckOutDir(out, true) == nil; err == nil || advised != works {
			t.Errorf("%s: %v; --overwrite works: %t", out, err, works)
		}
	}
}

// A log that cannot be opened is no sign of another process. Permissions do not test this as root.
func TestUnwritableRun(t *testing.T) {
	t.Chdir(t.TempDir())
	commit(t, "run", "d")
	log := filepath.Join("run", MetricsFile)
	must.OK(t, os.Remove(log))
	must.OK(t, os.Mkdir(log, 0o777))
	for _, overwrite := range []bool{false, true} {
		if err := CheckOutDir("run", overwrite); err == nil ||
			!strings.Contains(err.Error(), "cannot be written to") {
			t.Errorf("overwrite %t: %v", overwrite, err)
		}
	}
}
