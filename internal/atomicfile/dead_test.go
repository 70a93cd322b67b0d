package atomicfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

func TestRemoveDead(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{".dead.tmp-1", ".dead.tmp-1-2", ".other.tmp-1", ".dead.tmp-", "dead.tmp-1", "dead"} {
		must.OK(t, os.WriteFile(at(name), nil, 0o666))
	}
	probe := must.Get(os.Open(at("dead")))(t)
	defer probe.Close()
	if err := Lock(probe); errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	is := func(_, name string) bool { return name == "dead" || name == "live" || name == "folder" }
	folder := must.Get(begin(at("folder")))(t)
	var removed []string
	err := WriteFile(at("live"), func(io.Writer) error {
		removed = append(RemoveDead(dir, "", is), RemoveDead(dir, "lock", is)...)
		return nil
	})
	if err != nil {
		t.Fatalf("a file that was being written: %v", err)
	}
	if err := folder.Commit(at("folder")); err != nil {
		t.Fatalf("a folder that was being built: %v", err)
	}
	if want := []string{at(".dead.tmp-1"), at(".dead.tmp-1-2")}; !slices.Equal(removed, want) {
		t.Errorf("removed %v, want %v", removed, want)
	}
}

// An owner who finds the name taken away before it has its lock takes another.
func TestTakenForDead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	tries := 0
	d := osFiles
	d.create = func(tmp string) (file, error) {
		f, err := osFiles.create(tmp)
		if tries++; tries == 1 && err == nil {
			err = os.Remove(tmp)
		}
		return f, err
	}
	must.OK(t, writeFile(d, path, say("x")))
	if text, err := os.ReadFile(path); err != nil || string(text) != "x" || tries != 2 {
		t.Errorf("%q, %v after %d tries", text, err, tries)
	}
}
