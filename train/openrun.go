package train

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Run is what a run folder holds: a run that has ended or, where Result.Unfinished says so, one
// that is in the middle or was killed there. Its parameters are then those of the last checkpoint.
type Run struct {
	Path    string
	Config  *Config
	Result  *Result
	Trained *Trained
}

// OpenRun reads a run folder. Errors are *UsageError.
func OpenRun(path string) (*Run, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, usagef("%s: there is no such run folder", path)
	case err != nil:
		return nil, &UsageError{err}
	case !info.IsDir():
		return nil, usagef("%s: not a run folder: give the folder that train has made", path)
	case IsCV(path):
		return nil, usagef("%s: a cross-validation, and each of its folds is a run: give the folder of one, %s for example", path, filepath.Join(path, foldFolder(1)))
	}
	if !isIn(path, ResultFile) && isIn(path, CheckpointFile) {
		c, err := ReadCheckpoint(path)
		if err != nil {
			return nil, err
		}
		return &Run{path, c.Config, c.Result, c.Trained}, nil
	}
	for _, name := range []string{ConfigFile, ResultFile, ModelFile} {
		if !isIn(path, name) {
			return nil, usagef("%s: not a run folder: it has no %s", path, name)
		}
	}
	r := &Run{Path: path}
	settings, err := ReadConfig(filepath.Join(path, ConfigFile))
	if err != nil {
		return nil, err
	}
	if r.Config, err = Resolve(withoutRemoved(settings), nil); err != nil {
		return nil, err
	}
	if r.Result, err = readResult(path); err != nil {
		return nil, err
	}
	if r.Trained, err = ReadModel(filepath.Join(path, ModelFile)); err != nil {
		return nil, err
	}
	return r, nil
}

// readResult reads the result of a run that has ended.
func readResult(path string) (r *Result, err error) {
	text, err := os.ReadFile(filepath.Join(path, ResultFile))
	if err != nil {
		return nil, &UsageError{err}
	}
	if err := json.Unmarshal(text, &r); err != nil || r == nil {
		return nil, usagef("%s: damaged: %v", filepath.Join(path, ResultFile), err)
	}
	return r, nil
}

// CanGoOn says whether a run folder holds a checkpoint.
func (r *Run) CanGoOn() bool { return isIn(r.Path, CheckpointFile) }

func isIn(folder, name string) bool {
	_, err := os.Stat(filepath.Join(folder, name))
	return err == nil
}
