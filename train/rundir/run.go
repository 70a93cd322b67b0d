package rundir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/atomicfile"
	"github.com/gpdrf/gpdrf-gpu/internal/safetensors"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// Run is the content of a run folder: a run that has ended or, where Result.Unfinished says so, one
// that is in the middle or was killed there. Its parameters are then those of the last checkpoint.
type Run struct {
	Path    string
	Config  *options.Config
	Result  *Result
	Trained *fitted.Model
}

// ErrNoStep is the error of a run without a model, which has made attempts alone.
var ErrNoStep = errors.New("the run has not taken a step")

// OpenRun reads a run folder. Errors are *usererror.Error.
func OpenRun(path string) (*Run, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && len(atomicfile.Leftovers(filepath.Clean(path))) > 0:
		return nil, usererror.Errorf("%s: there is no such run folder: the run that began for it has not reached its first "+
			"checkpoint: wait for it, or begin it again if it was killed", path)
	case errors.Is(err, fs.ErrNotExist):
		return nil, usererror.Errorf("%s: there is no such run folder", path)
	case err != nil:
		return nil, &usererror.Error{Err: err}
	case !info.IsDir():
		return nil, usererror.Errorf("%s: not a run folder: give a folder that train made", path)
	case IsCV(path):
		return nil, usererror.Errorf("%s: a cross-validation: give the folder of one of its folds, such as %s",
			path, filepath.Join(path, foldFolder(1)))
	}
	if IsSearch(path) {
		return nil, usererror.Errorf("%s: %s that has not ended: %s continues with it", path, SearchName(path),
			ResumeCommand(path))
	}
	if !isIn(path, ResultFile) && isIn(path, CheckpointFile) {
		c, err := ReadCheckpoint(path)
		if err != nil {
			return nil, err
		}
		if c.Step == 0 {
			return nil, usererror.Errorf("%s: %w: %s continues with it", path, ErrNoStep, ResumeCommand(path))
		}
		return &Run{path, c.Config, c.Result, c.Trained}, nil
	}
	for _, name := range []string{ConfigFile, ResultFile, ModelFile} {
		if !isIn(path, name) {
			return nil, usererror.Errorf("%s: not a run folder: it has no %s", path, name)
		}
	}
	r := &Run{Path: path}
	settings, err := options.ReadConfig(filepath.Join(path, ConfigFile))
	if err != nil {
		return nil, err
	}
	if r.Config, err = options.Resolve(settings, nil); err != nil {
		return nil, err
	}
	if r.Result, err = ReadResult(path); err != nil {
		return nil, err
	}
	if r.Trained, err = fitted.ReadModel(filepath.Join(path, ModelFile)); err != nil {
		return nil, err
	}
	return r, nil
}

// OpenModel reads the model of a run folder, or a model file by itself, whatever its name. A file knows no options of
// its run and no device, which is auto. Errors are *usererror.Error.
func OpenModel(path string) (*Run, error) {
	if info, err := os.Stat(path); err != nil || info.IsDir() {
		return OpenRun(path)
	}
	t, err := fitted.ReadModel(path)
	switch {
	case err != nil && filepath.Base(path) == CheckpointFile:
		return nil, usererror.Errorf("%s: the checkpoint of a run: give its folder, %s", path, filepath.Dir(path))
	case errors.Is(err, safetensors.ErrFormat) && !IsModelFile(path):
		return nil, usererror.Errorf("%s: not a run folder, and no model file: give one that train made", path)
	case err != nil:
		return nil, err
	}
	c, err := options.Resolve(nil, nil)
	if err != nil {
		return nil, err
	}
	return &Run{path, c, &Result{Device: c.Device}, t}, nil
}

// IsModelFile reports whether a file is that of a model or a checkpoint, by its name or its first bytes. It may be
// damaged, or cut short.
func IsModelFile(path string) bool {
	if filepath.Ext(path) == filepath.Ext(ModelFile) {
		return true
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() { // of a pipe nothing is to be taken
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	return safetensors.Begins(f)
}

// ReadResult reads the result of a run that has ended. Errors are *usererror.Error.
func ReadResult(path string) (r *Result, err error) {
	text, err := os.ReadFile(filepath.Join(path, ResultFile))
	if err != nil {
		return nil, &usererror.Error{Err: err}
	}
	if err := json.Unmarshal(text, &r); err != nil || r == nil {
		return nil, usererror.Errorf("%s: damaged: %v", filepath.Join(path, ResultFile), err)
	}
	return r, nil
}

// IsRun reports whether a folder is that of a run.
func IsRun(path string) bool {
	return isIn(path, ConfigFile) && (isIn(path, ResultFile) || isIn(path, CheckpointFile))
}

// IsSearch reports whether a folder is that of a search that has not ended.
func IsSearch(path string) bool { return isIn(path, SearchFile) && !isIn(path, ResultFile) }

// SearchName names the search in a folder by its options.
func SearchName(path string) string {
	var state struct{ Given []options.Setting }
	text, _ := os.ReadFile(filepath.Join(path, SearchFile))
	damaged := json.Unmarshal(text, &state)
	if asked, err := options.Resolve(state.Given, nil); damaged == nil && err == nil && asked.Ensemble > 1 {
		return "an ensemble"
	}
	return "a search for the best model"
}

// CanResume reports whether a run folder holds a checkpoint.
func (r *Run) CanResume() bool { return isIn(r.Path, CheckpointFile) }

func isIn(folder, name string) bool {
	_, err := os.Stat(filepath.Join(folder, name))
	return err == nil
}

// likeOf are the columns of a run that started at a model, which its rows are read by; nil for others.
func likeOf(c *options.Config, t *fitted.Model) *data.Schema {
	if c.StartFrom == "" {
		return nil
	}
	return &t.Schema
}

// TestRows reads the rows that the run was tested on, and refuses those that its model would misread: class 1 of a
// table whose training rows have a new class may be class 2 of the model.
func (r *Run) TestRows(w data.Watch) (*data.Dataset, error) {
	rows, err := r.testRows(w)
	if err == nil && !reflect.DeepEqual(rows.Schema().Plain(), r.Trained.Schema) {
		return nil, usererror.Errorf("%s: its columns, target or classes have changed since training", rows.Path)
	}
	return rows, err
}

// testRows reads them from here, or from the folder where the run was trained if its relative paths lead nowhere here,
// or to other rows.
func (r *Run) testRows(w data.Watch) (*data.Dataset, error) {
	if r.Config.Test == data.NoTest {
		return nil, usererror.Errorf("%s: was trained on all rows, with --test %s", r.Path, data.NoTest)
	}
	read := func(c *options.Config) (*data.Dataset, error) {
		_, _, test, _, err := c.LoadLike(likeOf(r.Config, r.Trained), w)
		return test, err
	}
	test, err := read(r.Config)
	here, _ := os.Getwd()
	there, then := r.Result.Folder, r.Result.Fingerprint.Test
	if there == "" || err == nil && (there == here || test.Fingerprint == then) {
		return test, err
	}
	old, thereErr := read(r.Config.PathsFrom(there))
	switch {
	case err == nil && (thereErr != nil || old.Fingerprint != then):
		return test, nil // which have changed
	case thereErr != nil:
		return nil, fmt.Errorf("%w; nor from %s, where the run was trained: %v", err, there, thereErr)
	}
	return old, nil
}
