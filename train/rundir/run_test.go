package rundir

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

func init() { usererror.DashOptions() } // messages are as the command prints them

// A run that was trained in another folder finds its test rows by that folder.
func TestTestRowsOfAMovedRun(t *testing.T) {
	trained, elsewhere := t.TempDir(), t.TempDir()
	for _, name := range []string{"rows.csv", "test.csv"} {
		must.OK(t, os.WriteFile(filepath.Join(trained, name), []byte("a,target\n1,0.5\n2,1.5\n"), 0o666))
	}
	t.Chdir(elsewhere)
	c := resolve(t, options.Setting{Key: "data", Text: "rows.csv", From: "--data"},
		options.Setting{Key: "test", Text: "test.csv", From: "--test"})
	for folder, want := range map[string]string{
		trained:   "",
		"":        "rows.csv: there is no such file",
		elsewhere: "rows.csv: there is no such file; nor from " + elsewhere + ", where the run was trained",
	} {
		rows, err := (&Run{Config: c, Result: &Result{Folder: folder}}).testRows(data.ReadControl{})
		if (err == nil) != (want == "") || err != nil && !strings.HasPrefix(err.Error(), want) ||
			err == nil && rows.N() != 2 {
			t.Errorf("%q: %v, want %q", folder, err, want)
		}
	}
}

// Another file of the same name in the working directory is not taken for the test rows.
func TestTestRowsBesideOthers(t *testing.T) {
	trained, here := t.TempDir(), t.TempDir()
	for folder, text := range map[string]string{trained: "a,target\n1,0.5\n2,1.5\n", here: "a,target\n1,0.5\n2,9.5\n"} {
		for _, name := range []string{"rows.csv", "test.csv"} {
			must.OK(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666))
		}
	}
	c := resolve(t, options.Setting{Key: "data", Text: "rows.csv", From: "--data"},
		options.Setting{Key: "test", Text: "test.csv", From: "--test"})
	r := &Run{Config: c, Result: &Result{Folder: trained}}
	t.Chdir(trained)
	then := must.Get(r.testRows(data.ReadControl{}))(t)
	t.Chdir(here)
	r.Result.Fingerprint.Test = then.Fingerprint
	if rows, err := r.testRows(data.ReadControl{}); err != nil || rows.Fingerprint != then.Fingerprint {
		t.Errorf("other rows, %v", err)
	}
	must.OK(t, os.Remove(filepath.Join(trained, "test.csv")))
	if rows, err := r.testRows(data.ReadControl{}); err != nil || rows.Fingerprint == then.Fingerprint {
		t.Errorf("where the old ones are gone: %v", err)
	}
}

// The rows of a pipe are gone after training: its run does not wait for others.
func TestTestRowsOfAPipe(t *testing.T) {
	c := resolve(t, options.Setting{Key: "data", Text: os.DevNull, From: "--data"})
	_, err := (&Run{Config: c, Result: &Result{}}).testRows(data.ReadControl{})
	if err == nil || !strings.Contains(err.Error(), os.DevNull+": a pipe or a device, whose rows are gone") {
		t.Error(err)
	}
}

// A model file by itself is opened under any name. Its device is auto.
func TestOpenModel(t *testing.T) {
	run := commit(t, filepath.Join(t.TempDir(), "run"), "d")
	text := must.Get(os.ReadFile(filepath.Join(run, ModelFile)))(t)
	alone, table := filepath.Join(t.TempDir(), "alone"), filepath.Join(t.TempDir(), "rows.csv")
	for path, content := range map[string][]byte{alone: text, table: []byte("a,target\n1,0.5\n")} {
		must.OK(t, os.WriteFile(path, content, 0o666))
	}
	for path, device := range map[string]string{run: "cpu:f32", alone: "auto"} {
		m, err := OpenModel(path)
		if err != nil || m.Result.Device != device || m.Config.Precision != "highest" ||
			!reflect.DeepEqual(m.Trained, smallTrained()) {
			t.Errorf("%s: %+v, %v", path, m, err)
		}
	}
	if _, err := OpenModel(table); err == nil || !strings.Contains(err.Error(), "not a run folder, and no model file") {
		t.Errorf("a table: %v", err)
	}
	for _, size := range []int{100, len(text) - 1} { // within the header, and after it
		must.OK(t, os.WriteFile(alone, text[:size], 0o666))
		if _, err := OpenModel(alone); err == nil || !strings.Contains(err.Error(), "cut short, or damaged") {
			t.Errorf("%d bytes of a model: %v", size, err)
		}
	}
	checkpoint := filepath.Join(t.TempDir(), CheckpointFile)
	must.OK(t, os.WriteFile(checkpoint, nil, 0o666))
	if _, err := OpenModel(checkpoint); err == nil || !strings.Contains(err.Error(), "give its folder") {
		t.Errorf("a checkpoint: %v", err)
	}
}

// Files of a run that are whole, but hold nothing, are damaged: a run has no default options.
func TestEmptyRunFiles(t *testing.T) {
	for name, texts := range map[string][]string{ConfigFile: {"", "# only this\n"}, ResultFile: {"{}", "null", ""}} {
		for _, text := range texts {
			run := commit(t, filepath.Join(t.TempDir(), "run"), "d")
			must.OK(t, os.WriteFile(filepath.Join(run, name), []byte(text), 0o666))
			if _, err := OpenRun(run); err == nil || !strings.Contains(err.Error(), name+": damaged: ") ||
				strings.Contains(err.Error(), "nil") {
				t.Errorf("%s %q: %v", name, text, err)
			}
		}
	}
}

// A search that has not ended is named by its options.
func TestSearchName(t *testing.T) {
	for ensemble, want := range map[string]string{"1": "a search for the best model", "3": "an ensemble"} {
		path := t.TempDir()
		text := `{"given": [{"key": "ensemble", "text": "` + ensemble + `"}]}`
		must.OK(t, os.WriteFile(filepath.Join(path, SearchFile), []byte(text), 0o666))
		_, err := OpenRun(path)
		for _, err := range []error{err, CheckOutDir(path, false)} {
			if err == nil || !strings.Contains(err.Error(), want+" that has not ended") {
				t.Errorf("%v, expected %s", err, want)
			}
		}
	}
}

// The warning of a rising objective names steps only to those who gave them.
func TestRisingWarning(t *testing.T) {
	if got := RisingWarning(options.Defaults()); strings.Contains(got, "steps") ||
		!strings.Contains(got, "by --time-limit, would help") {
		t.Error(got)
	}
	given := resolve(t, options.Setting{Key: "steps", Text: "40"})
	must.Contain(t, RisingWarning(given), "by --steps or --time-limit, would help")
}
