// Package rundir is the folder of a run and that of a cross-validation: configuration, log,
// checkpoint, model and result, the time of each, and the right to write. It opens no device.
package rundir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/atomicfile"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// The files of a run folder.
const (
	// the Config, fully resolved: train --config on it repeats the run
	ConfigFile  = "config.yaml"
	MetricsFile = "metrics.jsonl"     // how training went, a line every few steps
	ResultFile  = "result.json"       // a Result
	ModelFile   = "model.safetensors" // a fitted.Model: predict needs nothing else

	// CheckpointFile is there while a run is not finished.
	CheckpointFile = "checkpoint.safetensors"
)

// Folder is a run folder that a run fills. It is built under a temporary name, and gets its own
// name with the first checkpoint, or when it is complete. Result is written last: a folder with one
// is a run that has ended, and a folder without one has a checkpoint to resume from.
type Folder struct {
	folder  *atomicfile.Folder // nil where the run goes on in a folder that is there
	out     string             // as the user wrote it; "" takes the first free number
	place   string             // the same without links, from the root
	numbers string             // runs/powerplant-gpdrf-
	// where the folder stands, as the user would write it; "" while it is built
	path    string
	metrics *os.File
	err     error // the first that a metrics line met

	replaces bool // a run stands at place, and stays until this one is whole

	// Removed are folders that runs had begun which were killed before their first checkpoint. They
	// were removed.
	Removed []string
}

// NewFolder starts a run folder that will stand at out, or, where out is "", at
// runs/<data>-<model>-<n> with the first free n. An out that CheckOut refuses is a
// *usererror.Error; a place that cannot be written to is another error.
func NewFolder(out, set, model string) (*Folder, error) { return newFolder(out, set, model, false) }

// ReplaceFolder is NewFolder where a run that has ended may stand at out: it is removed when the
// new one is whole and in its place.
func ReplaceFolder(out, set, model string) (*Folder, error) { return newFolder(out, set, model, true) }

func newFolder(out, set, model string, overwrite bool) (*Folder, error) {
	f := &Folder{out: out, numbers: filepath.Join("runs", fmt.Sprintf("%s-%s-", plainName(set), model))}
	var err error
	if f.place, f.replaces, err = placeOf(out, overwrite); err != nil {
		return nil, err
	}
	place := f.place
	switch {
	case out == "":
		place = f.numbers + "n"
	case f.replaces:
		place += "-new" // beside the old one
	default:
		f.Removed = removeAbandoned(place)
	}
	f.Removed = append(f.Removed, removeAbandoned(filepath.Dir(place))...)
	rival := usererror.Errorf("--out: %s: another process is training for it: give another folder", out)
	if _, err := os.Lstat(place); err == nil && out != "" && !f.replaces && !atomicfile.Empty(place) {
		if onlyAbandoned(place) {
			return nil, rival
		}
		return nil, usererror.Errorf("--out: %s exists and is not an empty folder: give another folder", out)
	}
	if f.folder, err = atomicfile.NewFolder(place); err != nil {
		return nil, fmt.Errorf("the run folder cannot be made: %w", err)
	}
	if err := f.openMetrics(); err != nil {
		return nil, errors.Join(fmt.Errorf("the run folder cannot be written: %w", err), f.Discard())
	}
	if out != "" && f.folder.HasRival() {
		return nil, errors.Join(rival, f.Discard())
	}
	return f, nil
}

// openMetrics opens the log for what is to be appended. Its lock says that a process is at work
// here.
func (f *Folder) openMetrics() (err error) {
	f.metrics, err = os.OpenFile(f.file(MetricsFile), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	// a file system without locks is used without
	if err := atomicfile.Lock(f.metrics); errors.Is(err, atomicfile.ErrLocked) {
		return errors.Join(err, f.closeMetrics())
	}
	return nil
}

func (f *Folder) closeMetrics() error {
	file := f.metrics
	f.metrics = nil
	return file.Close()
}

// file is where a file of the folder is now.
func (f *Folder) file(name string) string {
	if f.path != "" {
		return filepath.Join(f.path, name)
	}
	return filepath.Join(f.folder.Path(), name)
}

// plainName keeps the characters that are safe in a folder's name on every system.
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`/\:*?"<>| `, r) {
			return '_'
		}
		return r
	}, name)
}

// Reading is a line of metrics.jsonl. What begins with val_ is there where validation rows were
// evaluated.
type Reading struct {
	Step    int      `json:"step"`
	ELBO    float64  `json:"elbo"`
	ELL     float64  `json:"ell"`
	KL      float64  `json:"kl"`
	LR      float64  `json:"lr"`
	Seconds float64  `json:"seconds"`
	NLPD    *float64 `json:"val_nlpd,omitempty"`
	RMSE    *float64 `json:"val_rmse,omitempty"`
	NLL     *float64 `json:"val_nll,omitempty"`
	Error   *float64 `json:"val_error,omitempty"`
}

// Step writes a line of metrics. Its errors, a full disk above all, come back from Err and Commit.
func (f *Folder) Step(p Progress) {
	if f.err != nil {
		return
	}
	reading := Reading{Step: p.Step, ELBO: p.ELBO, ELL: p.ELL, KL: p.KL, LR: p.LR, Seconds: p.Elapsed.Seconds()}
	if e := p.Validation; e != nil && e.Step == p.Step {
		if score := e.Scores(); e.Task == data.Regression {
			reading.NLPD, reading.RMSE = score[0], score[1]
		} else {
			reading.NLL, reading.Error = score[0], score[1]
		}
	}
	line, err := json.Marshal(reading)
	if err == nil {
		_, err = f.metrics.Write(append(line, '\n'))
	}
	f.err = err
}

// Err is the error of writing the metrics.
func (f *Folder) Err() error { return f.err }

// Path is where the folder stands, "" before its first checkpoint.
func (f *Folder) Path() string { return f.path }

// CanResume reports whether there is a checkpoint in it.
func (f *Folder) CanResume() bool { return f.path != "" && isIn(f.path, CheckpointFile) }

// Save writes a checkpoint. With the first, the folder comes to its place. A result that the run
// had before it went on is removed, since it is no longer that of the run.
func (f *Folder) Save(c *Checkpoint) error {
	if err := errors.Join(f.err, f.metrics.Sync()); err != nil {
		return err
	}
	info, err := f.metrics.Stat()
	if err != nil {
		return err
	}
	c.Metrics = info.Size()
	if f.path == "" {
		if err := f.Write(ConfigFile, atomicfile.Text(c.Config.YAML())); err != nil {
			return err
		}
	}
	if err := f.Write(CheckpointFile, c.write); err != nil {
		return err
	}
	switch {
	case f.path == "" && f.replaces:
		f.path = f.folder.Path()
		return nil
	case f.path == "":
		return f.show()
	}
	return errors.Join(f.remove(ResultFile), f.remove(ModelFile))
}

// Commit writes the files of a run that has ended, the result last, brings everything to disk and
// returns where the folder stands. The checkpoint stays if the run was interrupted. What cannot be
// put in its place stays where it was built.
func (f *Folder) Commit(c *options.Config, t *fitted.Model, r *Result) (path string, err error) {
	result, err := JSON(r)
	if err != nil {
		return "", err
	}
	err = errors.Join(f.err, f.metrics.Sync())
	if f.path != "" {
		// with what follows, the model would be another
		err = errors.Join(err, f.remove(ResultFile))
	}
	for _, file := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{ConfigFile, atomicfile.Text(c.YAML())},
		{ModelFile, t.WriteModel},
		{ResultFile, atomicfile.Text(result)},
	} {
		if err == nil {
			err = f.Write(file.name, file.write)
		}
	}
	if err == nil && f.path != "" && !r.Interrupted {
		err = f.remove(CheckpointFile)
	}
	switch {
	case err != nil:
	case f.replaces && r.Interrupted:
		f.path = f.folder.Path()
	case f.replaces, f.path == "":
		if err = f.show(); err != nil {
			f.path = f.folder.Path()
			return "", fmt.Errorf("the run folder cannot be put in its place, and is complete in %s: %w", f.path, err)
		}
	}
	if err == nil {
		err = f.closeMetrics()
	}
	if err != nil {
		return "", fmt.Errorf("the run folder cannot be written: %w", err)
	}
	return f.path, nil
}

// Rewrite puts another result in the place of that of a run that was committed.
func (f *Folder) Rewrite(r *Result) error {
	if err := f.Write(ResultFile, JSONTo(r)); err != nil {
		return fmt.Errorf("the result cannot be written to %s: %w", f.path, err)
	}
	return nil
}

// Append adds to a file of it, which it creates if needed. The file is open only meanwhile,
// since the folder may move.
func (f *Folder) Append(name string, text []byte) error {
	file, err := os.OpenFile(f.file(name), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	return errors.Join(err, file.Close())
}

// Write writes a file into the folder, whole or not at all.
func (f *Folder) Write(name string, write func(io.Writer) error) error {
	return atomicfile.WriteFile(f.file(name), write)
}

func (f *Folder) remove(name string) error {
	if err := os.Remove(f.file(name)); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(err, atomicfile.SyncDir(f.path))
	}
	return nil
}

// removeLeftovers removes the unfinished files of processes that were killed.
func (f *Folder) removeLeftovers() error {
	for _, name := range []string{SearchFile, ConfigFile, ResultFile, ModelFile, CheckpointFile, HistoryFile,
		MetricsCSVFile, ImportanceFile, PredictionsFile, ReportFile} {
		for _, path := range atomicfile.Leftovers(f.file(name)) {
			if err := os.Remove(path); err != nil {
				return err
			}
		}
	}
	return nil
}

// show puts the folder in its place. Windows moves no folder with an open file, so the log is
// closed meanwhile there. Elsewhere its lock stays.
func (f *Folder) show() error {
	if runtime.GOOS != "windows" {
		return f.settle()
	}
	if err := f.closeMetrics(); err != nil {
		return err
	}
	return errors.Join(f.settle(), f.openMetrics())
}

// settle moves the folder to its place.
func (f *Folder) settle() (err error) {
	path := f.out
	switch {
	case f.replaces:
		err = f.replace()
	case f.out != "":
		err = f.folder.Commit(f.place)
	default:
		err = fs.ErrExist
		for n := 1; errors.Is(err, fs.ErrExist); n++ { // the rename itself decides between two runs
			path = fmt.Sprintf("%s%d", f.numbers, n)
			err = f.folder.Commit(path)
		}
	}
	if err == nil {
		f.path = path
	}
	return err
}

// Place writes the first file of a search, and puts the folder in its place.
func (f *Folder) Place(write func(io.Writer) error) error {
	if err := f.Write(SearchFile, write); err != nil {
		return err
	}
	return f.show()
}

// commitCV makes it the folder of a cross-validation, which has no log of its own.
func (f *Folder) commitCV(write func(io.Writer) error) (path string, err error) {
	err = errors.Join(f.closeMetrics(), os.Remove(f.file(MetricsFile)))
	if err == nil {
		err = f.Write(cvFile, write)
	}
	if err == nil {
		err = f.settle()
	}
	if err != nil {
		return "", errors.Join(fmt.Errorf("the run folder cannot be put in its place: %w", err), f.Discard())
	}
	return f.path, nil
}

// replace puts the folder in the place of another run, which is moved aside and removed only when
// this one stands there.
func (f *Folder) replace() error {
	if inUse(f.place) || Held(f.place) { // since it was looked at
		return fmt.Errorf("another process is training in %s", f.out)
	}
	aside, err := os.MkdirTemp(filepath.Dir(f.place), "."+filepath.Base(f.place)+"-old-")
	if err != nil {
		return err
	}
	old := filepath.Join(aside, filepath.Base(f.place))
	if err := os.Rename(f.place, old); err != nil {
		return errors.Join(err, os.Remove(aside))
	}
	if err := f.folder.Commit(f.place); err != nil {
		return errors.Join(err, os.Rename(old, f.place), os.Remove(aside))
	}
	return os.RemoveAll(aside)
}

// Abandon removes the folder of a search that has trained nothing, and would fail again.
func (f *Folder) Abandon() error {
	err := f.closeMetrics()
	for _, name := range []string{MetricsFile, HistoryFile, SearchFile} {
		err = errors.Join(err, f.remove(name))
	}
	return errors.Join(err, os.Remove(f.path))
}

// Discard removes the folder that was being built. One that stands in its place stays.
func (f *Folder) Discard() error {
	if f.metrics != nil {
		f.metrics.Close()
	}
	if f.path != "" {
		return nil
	}
	return f.folder.Discard()
}
