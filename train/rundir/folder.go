// Package rundir is the folder of a run, and the folder of a cross-validation. It writes and reads configuration, log,
// checkpoint, model and result, and keeps other processes from writing there. It opens no device.
//
// A run can stop at any moment. A Checkpoint is taken after the evaluation of a step, so a resumed run repeats nothing.
// A step that stops between two chunks of its batch changes nothing: the run ends at the step before. The model is
// saved before its test, so the test can stop, too. result.json is written last: if it exists, the run is whole. Before
// the first step and in the test there is nothing to lose, and the command ends at once.
package rundir

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/internal/atomicfile"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// Folder is the folder that a run writes. It is built under a temporary name, and gets its own name with the first
// checkpoint, or when it is complete. The result is written last: a folder with a result holds a run that has ended,
// and a folder without one holds a checkpoint to resume from.
type Folder struct {
	folder         *atomicfile.Folder // folder that is being built; nil for the folder of a resumed run
	out            string             // path of the user; "" takes the first free number
	place          string             // absolute path of out, without links
	numberedPrefix string             // path up to the number, such as runs/powerplant-gpdrf-
	// path of the folder in its place, as the user would write it; "" while it is built
	path string
	log  *os.File // metrics.jsonl, whose lock shows other processes that this one works here; nil once it is closed
	err  error    // first error of writing the metrics

	replaces bool // a finished run is at place, and stays there until this one is complete

	// Removed are folders that NewFolder has removed: their runs were killed before the first checkpoint.
	Removed []string
}

// NewFolder begins a run folder at out or, if out is "", at runs/<data>-<model>-<n> with the first free n. An out that
// CheckOutDir refuses, and a place that cannot be written to, are a *usererror.Error. With overwrite, a run that has
// ended may be there. It is removed once the new one is complete and in its place.
func NewFolder(out, set, model string, overwrite bool) (*Folder, error) {
	f := &Folder{out: out, numberedPrefix: filepath.Join("runs", fmt.Sprintf("%s-%s-", plainName(set), model))}
	var err error
	if f.place, f.replaces, err = resolveOutDir(out, overwrite); err != nil {
		return nil, err
	}
	place := f.place
	switch {
	case out == "":
		place = f.numberedPrefix + "n"
	case f.replaces:
		place += "-new" // beside the old one
	default:
		f.Removed = removeAbandoned(place)
	}
	f.Removed = append(f.Removed, removeAbandoned(filepath.Dir(place))...)
	rivalErr := usererror.OfFlag("out", "%s: another process is training for it: give another folder", out)
	if _, err := os.Lstat(place); err == nil && out != "" && !f.replaces && !atomicfile.Empty(place) {
		return nil, rivalErr
	}
	rules := atomicfile.Rules{Lock: MetricsFile, Alone: out != "", IsDead: isAbandoned}
	if f.folder, err = atomicfile.NewFolder(place, rules); errors.Is(err, atomicfile.ErrLocked) {
		return nil, rivalErr
	} else if err != nil {
		return nil, usererror.OfFlag("out", "give another place, since the run folder cannot be made: %w", err)
	}
	f.log = f.folder.Lock
	return f, nil
}

// openMetrics opens the log to append to it. If another process works in the folder, the error is atomicfile.ErrLocked.
func (f *Folder) openMetrics() (err error) {
	f.log, _, err = atomicfile.OpenLocked(f.pathOf(MetricsFile))
	return err
}

func (f *Folder) closeMetrics() error {
	file := f.log
	f.log = nil
	return file.Close()
}

// pathOf returns the current path of a file of the folder.
func (f *Folder) pathOf(name string) string {
	if f.path != "" {
		return filepath.Join(f.path, name)
	}
	return filepath.Join(f.folder.Path(), name)
}

// plainName replaces the characters that are not safe in a folder's name on every system.
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`/\:*?"<>| `, r) {
			return '_'
		}
		return r
	}, name)
}

// AppendReading writes a line of the log. Err and Commit return its errors, such as a full disk.
func (f *Folder) AppendReading(p Progress) {
	if f.err != nil {
		return
	}
	reading := Reading{Step: p.Step, ELBO: p.Objective, ELL: p.ELL, KL: p.KL, LR: p.LR, Seconds: p.Elapsed.Seconds()}
	if e := p.Validation; e != nil && e.Step == p.Step {
		s := e.Scores()
		reading.NLPD, reading.RMSE, reading.NLL, reading.Error = s["nlpd"], s["rmse"], s["nll"], s["error"]
	}
	line, err := json.Marshal(reading)
	if err == nil {
		_, err = f.log.Write(append(line, '\n'))
	}
	f.err = err
}

// Err returns the error of writing the metrics.
func (f *Folder) Err() error { return f.err }

// Path returns the path of the folder; "" before its first checkpoint.
func (f *Folder) Path() string { return f.path }

// CanResume reports whether the folder, which may be nil, holds a checkpoint.
func (f *Folder) CanResume() bool { return f != nil && f.path != "" && hasFile(f.path, CheckpointFile) }

// Save writes a checkpoint. The first one puts the folder in its place. In a resumed run, Save removes the result and
// the model of before the resume.
func (f *Folder) Save(c *Checkpoint) error {
	if err := errors.Join(f.err, f.log.Sync()); err != nil {
		return err
	}
	info, err := f.log.Stat()
	if err != nil {
		return err
	}
	c.Metrics = info.Size()
	if f.path == "" {
		if err := f.Write(ConfigFile, atomicfile.Text(c.Config.ConfigFile())); err != nil {
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
		return f.publish()
	}
	return errors.Join(f.remove(ResultFile), f.remove(ModelFile))
}

// Commit writes the files of a run that has ended, the result last, syncs them to disk, and returns the path of the
// folder. The checkpoint stays if the run was interrupted. A folder that cannot be put in its place stays complete
// under its temporary name. The lock stays until Release: this process still tests the run, and writes its scores.
func (f *Folder) Commit(c options.Config, t *fitted.Model, r *Result) (path string, err error) {
	var result bytes.Buffer
	if err := atomicfile.JSON(r)(&result); err != nil {
		return "", err
	}
	if err := f.writeResults(c, t, result.Bytes(), r.Interrupted); err != nil {
		return "", fmt.Errorf("the run folder cannot be written: %w", err)
	}
	switch {
	case f.replaces && r.Interrupted:
		f.path = f.folder.Path()
	case f.replaces, f.path == "":
		if err := f.publish(); err != nil {
			f.path = f.folder.Path()
			return "", fmt.Errorf("the run folder cannot be put in its place, and is complete in %s: %w", f.path, err)
		}
	}
	return f.path, nil
}

// writeResults writes the files of a run that has ended, and removes the checkpoint if it was not interrupted.
func (f *Folder) writeResults(c options.Config, t *fitted.Model, result []byte, interrupted bool) error {
	err := errors.Join(f.err, f.log.Sync())
	if f.path != "" {
		// the old result does not fit the new model
		err = errors.Join(err, f.remove(ResultFile))
	}
	if err != nil {
		return err
	}
	for _, file := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{ConfigFile, atomicfile.Text(c.ConfigFile())},
		{ModelFile, t.WriteModel},
		{ResultFile, atomicfile.Text(result)},
	} {
		if err := f.Write(file.name, file.write); err != nil {
			return err
		}
	}
	if f.path == "" || interrupted {
		return nil
	}
	return f.remove(CheckpointFile)
}

// WriteResult replaces the result of a run that was committed.
func (f *Folder) WriteResult(r *Result) error {
	if err := f.Write(ResultFile, atomicfile.JSON(r)); err != nil {
		return fmt.Errorf("the result cannot be written to %s: %w", f.path, err)
	}
	return nil
}

// Append adds text to a file of the folder, which it creates if needed. It closes the file, since the folder may move.
func (f *Folder) Append(name string, text []byte) error {
	file, err := os.OpenFile(f.pathOf(name), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	return errors.Join(err, file.Close())
}

// Write writes a file into the folder, completely or not at all.
func (f *Folder) Write(name string, write func(io.Writer) error) error {
	return atomicfile.WriteFile(f.pathOf(name), write)
}

func (f *Folder) remove(name string) error {
	if err := os.Remove(f.pathOf(name)); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(err, atomicfile.SyncDir(f.path))
	}
	return nil
}

// removeLeftovers removes the unfinished files of processes that were killed.
func (f *Folder) removeLeftovers() error {
	entries, err := os.ReadDir(f.path)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") && isRunFile(e.Name()) {
			err = errors.Join(err, os.Remove(f.pathOf(e.Name())))
		}
	}
	return err
}

// publish puts the folder in its place. Windows moves no folder with an open file: there, the log is closed and
// opened again. Elsewhere its lock stays.
func (f *Folder) publish() error {
	if runtime.GOOS != "windows" {
		return f.rename()
	}
	if err := f.closeMetrics(); err != nil {
		return err
	}
	return errors.Join(f.rename(), f.openMetrics())
}

// rename moves the folder to its place, and sets its path.
func (f *Folder) rename() (err error) {
	path := f.out
	switch {
	case f.replaces:
		err = f.replace()
	case f.out != "":
		err = f.folder.Commit(f.place)
	default:
		err = fs.ErrExist
		for n := 1; errors.Is(err, fs.ErrExist); n++ { // of two runs, the first to rename gets the number
			path = fmt.Sprintf("%s%d", f.numberedPrefix, n)
			err = f.folder.Commit(path)
		}
	}
	if err == nil {
		f.path = path
	}
	return err
}

// PublishSearch writes SearchFile, and puts the folder of a search in its place.
func (f *Folder) PublishSearch(write func(io.Writer) error) error {
	if err := f.Write(SearchFile, write); err != nil {
		return err
	}
	return f.publish()
}

// commitCV makes the folder a cross-validation, which has no log, and puts it in its place.
func (f *Folder) commitCV(write func(io.Writer) error) (path string, err error) {
	err = f.Write(cvFile, write)
	if err == nil {
		err = f.publish()
	}
	if err != nil {
		return "", errors.Join(fmt.Errorf("the run folder cannot be put in its place: %w", err), f.Discard())
	}
	f.Release()
	return f.path, nil
}

// replace puts the folder in the place of another run. That run is moved aside, and removed once this one is in its
// place.
func (f *Folder) replace() error {
	if busy, err := inUse(f.place); busy { // another process may have begun since NewFolder
		return fmt.Errorf("another process is training in %s", f.out)
	} else if err != nil {
		return err
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

// Abandon removes the folder of a search that has trained nothing and would fail again.
func (f *Folder) Abandon() error {
	f.Release()
	return errors.Join(f.remove(HistoryFile), f.remove(SearchFile), os.Remove(f.path))
}

// Discard removes a folder that is being built. A folder in its place stays; f may be nil.
func (f *Folder) Discard() error {
	if f == nil {
		return nil
	}
	if f.path == "" {
		return f.folder.Discard()
	}
	if f.log != nil {
		f.log.Close()
	}
	return nil
}

// TryLock keeps other processes from replacing or completing the run in a folder, until release is called. busy is true
// if another process works in it. On a file system without locks, it does nothing.
func TryLock(path string) (release func(), busy bool) {
	f := &Folder{path: path}
	busy = f.openMetrics() != nil
	return f.Release, busy
}

// Release closes the log, which ends the lock of the folder. It removes an empty log: that of a search or of a
// cross-validation. A folder that is being built keeps its lock until Discard.
func (f *Folder) Release() {
	if f.log == nil || f.path == "" {
		return
	}
	info, err := f.log.Stat()
	isEmpty := err == nil && info.Size() == 0
	if isEmpty {
		os.Remove(f.pathOf(MetricsFile)) // while no other process has its lock
	}
	f.closeMetrics()
	if isEmpty && runtime.GOOS == "windows" { // which removes no open file
		os.Remove(f.pathOf(MetricsFile))
	}
}
