package rundir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gpdrf/gpdrf-gpu/internal/atomicfile"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
)

// CheckNewDir returns the *usererror.Error with which NewFolder would refuse a place for a run folder; "" is the first
// free number.
func CheckNewDir(out string) error {
	_, _, err := resolveOutDir(out, false)
	return err
}

// CheckOutDir checks as CheckNewDir does, for a training that can replace a run that has ended. It does so if overwrite
// is set; otherwise the error advises that.
func CheckOutDir(out string, overwrite bool) error {
	_, _, err := resolveOutDir(out, overwrite)
	if err == nil || overwrite {
		return err
	}
	if _, replaces, _ := resolveOutDir(out, true); replaces {
		return usererror.Errorf("%w, or %s to replace the run in it", err, usererror.Flag("overwrite"))
	}
	return err
}

// resolveOutDir returns the absolute path of out, without links. It reports whether a run in that place is to be
// replaced.
func resolveOutDir(out string, overwrite bool) (place string, replaces bool, err error) {
	if out == "" {
		if overwrite {
			return "", false, usererror.OfFlag("overwrite", "is for %s DIR: a run without %[1]s gets a new folder",
				usererror.Flag("out"))
		}
		return "", false, nil
	}
	if place, err = filepath.Abs(out); err != nil {
		return "", false, err
	}
	if _, err := os.Lstat(place); err != nil {
		return place, false, nil // the folder does not exist yet
	}
	if place, err = filepath.EvalSymlinks(place); err != nil {
		return "", false, usererror.OfFlag("out", "%s is a link to nothing: give another folder", out)
	}
	if info, err := os.Stat(place); err != nil || !info.IsDir() {
		return "", false, usererror.OfFlag("out", "%s exists and is not an empty folder: give another folder", out)
	}
	if !onlyAbandoned(place) {
		err = checkReplaces(out, place, overwrite)
		replaces = err == nil
	}
	return place, replaces, err
}

// checkReplaces refuses to replace the content of a folder, unless it is a run that has ended, and overwrite is given.
func checkReplaces(out, place string, overwrite bool) error {
	isRun := IsRun(place)
	busy, logErr := inUse(place)
	switch {
	case IsCV(place):
		return usererror.OfFlag("out", "%s holds a cross-validation: to resume it: %s; or give another folder", out,
			ResumeCommand(out))
	case IsSearch(place):
		return usererror.OfFlag("out", "%s holds %s that has not ended: to resume it: %s; or give another folder", out,
			SearchName(place), ResumeCommand(out))
	case isRun && logErr != nil: // it may be of another user
		return usererror.OfFlag("out", "%s holds a run that cannot be written to: %w: give another folder", out, logErr)
	case isRun && busy:
		return usererror.OfFlag("out", "%s: another process is training in it: give another folder", out)
	case overwrite && isRun && foreignFile(place) == "":
		return nil
	case overwrite && isRun:
		return usererror.OfFlag("overwrite", "%s holds %s, which no run wrote: move it away, or give another folder",
			out, foreignFile(place))
	case overwrite:
		return usererror.OfFlag("overwrite", "%s is not a run folder, and only run folders are replaced: give "+
			"another folder", out)
	case isRun && !hasFile(place, ResultFile):
		return usererror.OfFlag("out", "%s holds a run that is not finished: to resume it: %s; or give another folder",
			out, ResumeCommand(out))
	}
	return usererror.OfFlag("out", "%s exists and is not an empty folder: give another folder", out)
}

// onlyAbandoned reports whether a folder is empty apart from temporary files, which a new run in it removes.
func onlyAbandoned(folder string) bool {
	entries, err := os.ReadDir(folder)
	return err == nil && len(entries) == len(atomicfile.Leftovers(filepath.Join(folder, filepath.Base(folder))))
}

// removeAbandoned removes from a folder the temporary folders of runs that were killed before their first checkpoint.
func removeAbandoned(folder string) []string {
	return atomicfile.RemoveDead(folder, MetricsFile, func(path, _ string) bool { return isAbandoned(path) })
}

// isAbandoned reports whether the folder of a run that was killed holds nothing of worth.
func isAbandoned(path string) bool {
	return foreignFile(path) == "" && !hasFile(path, ResultFile) && !hasFile(path, CheckpointFile)
}

// foreignFile returns the name of a file in a folder that no run has written; "" if there is none.
func foreignFile(folder string) string {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return folder
	}
	for _, e := range entries {
		if !isRunFile(e.Name()) || !e.Type().IsRegular() {
			return e.Name()
		}
	}
	return ""
}

// inUse reports whether a process works in a folder. A file system without locks shows no process. The error is that of
// writing to the log; a folder without a log has none.
func inUse(folder string) (bool, error) {
	f, err := os.OpenFile(filepath.Join(folder, MetricsFile), os.O_WRONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	defer f.Close()
	return errors.Is(atomicfile.Lock(f), atomicfile.ErrLocked), nil
}
