package rundir

import (
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gpdrf/gpdrf-gpu/internal/atomicfile"
)

// removeAbandoned removes from a folder what runs were building there when they were killed before
// their first checkpoint: there is nothing in it to resume from.
func removeAbandoned(folder string) []string {
	return atomicfile.RemoveDead(folder, func(path, _ string, info fs.FileInfo) bool {
		return info.IsDir() && holdsRun(path) && !isIn(path, ResultFile) && !isIn(path, CheckpointFile) && !inUse(path)
	})
}

// stranger is a file of a folder that no run has written, "" if there is none.
func stranger(folder string) string {
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

// holdsRun reports whether a folder holds what a run writes, and nothing else.
func holdsRun(folder string) bool { return stranger(folder) == "" }

// inUse reports whether a process trains in a folder, as far as one can tell.
func inUse(folder string) bool {
	f, err := os.OpenFile(filepath.Join(folder, MetricsFile), os.O_WRONLY, 0)
	if err != nil {
		return !os.IsNotExist(err)
	}
	defer f.Close()
	return atomicfile.Lock(f) != nil
}
