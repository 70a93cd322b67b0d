package rundir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/atomicfile"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// ResumeCommand returns the command that resumes the run in a folder.
func ResumeCommand(folder string) string {
	return "gpdrf-gpu train --resume " + usererror.ShellWord(folder)
}

// Folder opens the folder of the run that resumes from the Checkpoint, and cuts its metrics to their length at that
// step. Only one process at a time can open it.
func (c *Checkpoint) Folder(path string) (*Folder, error) {
	file := filepath.Join(path, MetricsFile)
	info, err := os.Stat(file)
	if err != nil || info.Size() < c.Metrics {
		return nil, usererror.Errorf("%s: not there, or shorter than when the checkpoint was made: the log "+
			"of the run so far is missing: put it back to resume", file)
	}
	return openAgain(path, func(f *Folder) error {
		if current, err := ReadCheckpoint(path); err != nil || current.Step != c.Step {
			return usererror.Errorf("%s: another process has trained in it meanwhile: resume it again", path)
		}
		if err := f.log.Truncate(c.Metrics); err != nil {
			return fmt.Errorf("the run folder cannot be written: %w", err)
		}
		return nil
	})
}

// OpenSearch opens the folder of a resumed search. Only one process at a time can open it.
func OpenSearch(path string) (*Folder, error) {
	return openAgain(path, func(f *Folder) error {
		if IsSearch(path) {
			return nil
		}
		f.Release()
		return usererror.Errorf("%s: another process has finished it meanwhile", path)
	})
}

// OpenEnded returns the folder of a run that has ended, for what is written after its result.
func OpenEnded(path string) (*Folder, error) {
	f := &Folder{path: path}
	return f, f.removeLeftovers()
}

// openAgain opens a folder in its place. check is the error of a folder that another process has changed meanwhile.
func openAgain(path string, check func(*Folder) error) (*Folder, error) {
	f := &Folder{path: path}
	if err := f.openMetrics(); errors.Is(err, atomicfile.ErrLocked) {
		return nil, usererror.Errorf("%s: another process is training in it", path)
	} else if err != nil {
		return nil, fmt.Errorf("the run folder cannot be written: %w", err)
	}
	err := check(f)
	if err == nil {
		err = f.removeLeftovers()
	}
	if err != nil {
		return nil, errors.Join(err, f.Discard())
	}
	return f, nil
}

// Load reads the rows of the run again, by the paths from its folder or, if they have moved, from the working
// directory. Rows that have changed since the run began are a *usererror.Error.
func (c *Checkpoint) Load(control data.ReadControl) (rows options.Rows, notes []string, err error) {
	workDir, err := os.Getwd()
	if err != nil || workDir == c.Result.Folder {
		return c.load(c.Config, control)
	}
	rows, notes, err = c.load(c.Config.PathsFrom(c.Result.Folder), control)
	if err == nil {
		return rows, notes, nil
	}
	rows, notes, workDirErr := c.load(c.Config, control)
	if workDirErr != nil {
		return rows, nil, fmt.Errorf("%w; nor from here: %v", err, workDirErr)
	}
	c.Result.Folder = workDir
	return rows, notes, nil
}

func (c *Checkpoint) load(config options.Config, control data.ReadControl) (rows options.Rows, notes []string,
	err error) {
	_, rows, notes, err = config.ReadRows(startSchema(config, c.Trained), control)
	if err != nil {
		return rows, nil, err
	}
	for _, set := range []struct {
		what, fingerprint string
		rows              *data.Dataset
	}{
		{"training rows", c.Result.Fingerprint.Train, rows.Train},
		{"validation rows", c.Validation, rows.Validation},
		{"rows behind the intervals", c.Intervals, rows.Conformal},
		{"test rows", c.Result.Fingerprint.Test, rows.Test},
	} {
		unknown := set.fingerprint == "" && set.rows == rows.Conformal // an older checkpoint does not have it
		if set.rows != nil && !unknown && set.rows.Fingerprint != set.fingerprint {
			return rows, nil, usererror.Errorf("%s: the %s have changed since the run began (fingerprint %.12s…, "+
				"%.12s… then): put the old ones back, or begin a new run", set.rows.Path, set.what,
				set.rows.Fingerprint, set.fingerprint)
		}
	}
	return rows, notes, nil
}
