package rundir

import (
	"bytes"
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

// Run is the content of a run folder. If Result.Unfinished is true, the run has not ended or was killed, and its
// parameters come from the last checkpoint.
type Run struct {
	Path    string
	Config  options.Config
	Result  *Result
	Trained *fitted.Model
}

// ErrNoStep is the error of a run that has made attempts, and has no model yet.
var ErrNoStep = errors.New("the run has not taken a step")

// OpenRun reads a run folder. Errors are *usererror.Error.
func OpenRun(path string) (*Run, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && len(atomicfile.Leftovers(filepath.Clean(path))) > 0:
		return nil, usererror.Errorf("%s: there is no such run folder: the run that began for it has not reached its "+
			"first checkpoint: wait for it, or begin it again if it was killed", path)
	case errors.Is(err, fs.ErrNotExist):
		return nil, usererror.Errorf("%s: there is no such run folder", path)
	case err != nil:
		return nil, &usererror.Error{Err: err}
	case !info.IsDir():
		return nil, usererror.Errorf("%s: not a run folder: give a folder that train made", path)
	case IsCV(path):
		return nil, usererror.Errorf("%s: a cross-validation has no model of all rows: train one without %s, or "+
			"give the folder of one of its folds, such as %s", path, usererror.Flag("cv"),
			filepath.Join(path, foldFolder(1)))
	}
	if IsSearch(path) {
		return nil, usererror.Errorf("%s: %s that has not ended: %s continues with it", path, SearchName(path),
			ResumeCommand(path))
	}
	if !hasFile(path, ResultFile) && hasFile(path, CheckpointFile) {
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
		if !hasFile(path, name) {
			return nil, usererror.Errorf("%s: not a run folder: it has no %s", path, name)
		}
	}
	r := &Run{Path: path}
	file := filepath.Join(path, ConfigFile)
	settings, err := options.ReadConfig(file)
	if err != nil {
		return nil, err
	}
	if len(settings) == 0 {
		return nil, usererror.Errorf("%s: damaged: it has no options", file)
	}
	if text, err := os.ReadFile(file); err == nil && !bytes.HasSuffix(text, []byte("\n")) {
		return nil, usererror.Errorf("%s: damaged: it is cut short, in the middle of a line", file)
	}
	if r.Config, err = options.Resolve(options.ForOpeningOldRun(settings), nil); err != nil {
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

// OpenModel reads the model of a run folder, or a model file under any name. The Run of a file has default options, and
// the device auto. Errors are *usererror.Error.
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
	c := options.Defaults()
	return &Run{path, c, &Result{Device: c.Device}, t}, nil
}

// IsModelFile reports whether a file holds a model or a checkpoint, by its name or its first bytes. It may be damaged,
// or cut short.
func IsModelFile(path string) bool {
	if filepath.Ext(path) == filepath.Ext(ModelFile) {
		return true
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() { // reading from a pipe would take its first bytes
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
	file := filepath.Join(path, ResultFile)
	if err = readJSON(file, &r); err == nil && (r == nil || r.Model == "") {
		err = usererror.Errorf("%s: damaged: it names no model", file)
	}
	return r, err
}

// CheckLength reports an error unless the model of a run that has ended is as long as its header tells. It may be gone
// or cut short. Errors are *usererror.Error.
func CheckLength(path string) error {
	file := filepath.Join(path, ModelFile)
	f, err := os.Open(file)
	if err != nil {
		return &usererror.Error{Err: err}
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return &usererror.Error{Err: err}
	}
	if err := safetensors.Check(f, info.Size()); err != nil {
		return usererror.Errorf("%s: %w", file, err)
	}
	return nil
}

// ReadSearch reads the state of the search in a folder: those parts of it that state has. Errors are *usererror.Error.
func ReadSearch(path string, state any) error {
	return readJSON(filepath.Join(path, SearchFile), state)
}

func readJSON(file string, to any) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return &usererror.Error{Err: err}
	}
	if err := json.Unmarshal(text, to); err != nil {
		return usererror.Errorf("%s: damaged: %v", file, err)
	}
	return nil
}

// IsRun reports whether a folder holds a run.
func IsRun(path string) bool {
	return hasFile(path, ConfigFile) && (hasFile(path, ResultFile) || hasFile(path, CheckpointFile))
}

// IsSearch reports whether a folder holds a search that has not ended.
func IsSearch(path string) bool { return hasFile(path, SearchFile) && !hasFile(path, ResultFile) }

// SearchName names the search in a folder by its options.
func SearchName(path string) string {
	var state struct{ Given []options.Setting }
	readErr := ReadSearch(path, &state)
	if requested, err := options.Resolve(state.Given, nil); readErr == nil && err == nil && requested.Ensemble > 1 {
		return "an ensemble"
	}
	return "a search for the best model"
}

// CanResume reports whether a run folder holds a checkpoint.
func (r *Run) CanResume() bool { return hasFile(r.Path, CheckpointFile) }

func hasFile(folder, name string) bool {
	_, err := os.Stat(filepath.Join(folder, name))
	return err == nil
}

// startSchema returns the columns of the start model of a run, with which its rows are read; nil for other runs.
func startSchema(c options.Config, t *fitted.Model) *data.Schema {
	if c.StartFrom == "" {
		return nil
	}
	return &t.Schema
}

// TestRows reads the rows that the run was tested on, and refuses those that its model would misread: class 1 of a
// table whose training rows have a new class may be class 2 of the model.
func (r *Run) TestRows(control data.ReadControl) (*data.Dataset, error) {
	rows, err := r.testRows(control)
	if err != nil {
		return nil, err
	}
	if !reflect.DeepEqual(rows.Schema().Plain(), r.Trained.Schema) {
		return nil, usererror.Errorf("%s: its columns, target or classes have changed since training", rows.Path)
	}
	return rows, nil
}

// testRows reads the test rows by the paths from the working directory. If these do not lead to rows of the same
// fingerprint, it tries the folder in which the run was trained.
func (r *Run) testRows(control data.ReadControl) (*data.Dataset, error) {
	if r.Config.Test == data.NoTest {
		return nil, usererror.Errorf("%s: was trained on all rows, with %s %s", r.Path, usererror.Flag("test"),
			data.NoTest)
	}
	read := func(c options.Config) (*data.Dataset, error) {
		for _, path := range []string{c.Data, c.Test, c.Labels, c.TestLabels, c.Gram} {
			if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
				return nil, usererror.Errorf("%s: a pipe or a device, whose rows are gone", path)
			}
		}
		_, _, test, _, err := c.Load(startSchema(r.Config, r.Trained), control)
		return test, err
	}
	test, err := read(r.Config)
	if err != nil && r.Config.Data == "-" {
		return nil, fmt.Errorf("%w; the rows of %s came from standard input: pipe them in again", err, r.Path)
	}
	workDir, _ := os.Getwd()
	runFolder, fingerprint := r.Result.Folder, r.Result.Fingerprint.Test
	if runFolder == "" || err == nil && (runFolder == workDir || test.Fingerprint == fingerprint) {
		return test, err
	}
	runRows, runErr := read(r.Config.PathsFrom(runFolder))
	switch {
	case err == nil && (runErr != nil || runRows.Fingerprint != fingerprint):
		return test, nil // the rows have changed, or the other folder has none
	case runErr != nil:
		return nil, fmt.Errorf("%w; nor from %s, where the run was trained: %v", err, runFolder, runErr)
	}
	return runRows, nil
}

// TrainedOn reports whether a file is the file of the training rows, or has the same rows.
func (r *Run) TrainedOn(path string, rows *data.Dataset) bool {
	given, err := os.Stat(path)
	own, ownErr := os.Stat(r.Config.PathsFrom(r.Result.Folder).Data)
	return rows.Fingerprint == r.Result.Fingerprint.Train || err == nil && ownErr == nil && os.SameFile(given, own)
}
