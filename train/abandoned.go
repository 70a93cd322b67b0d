package train

import (
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/gpdrf/gpdrf-gpu/internal/atomicfile"
)

// errLocked says that a file belongs to another process.
var errLocked = errors.New("another process uses it")

// abandonedAfter is how long nothing has happened in a folder that nobody builds any more. Between making it and taking its
// lock it takes next to none.
const abandonedAfter = time.Minute

// removeAbandoned removes what runs were building for a place when they were killed before their first checkpoint: there
// is nothing in it to go on from. A folder whose lock is held, or cannot be had, is somebody's.
func removeAbandoned(place string) (removed []string) {
	for _, folder := range atomicfile.Leftovers(place) {
		if abandoned(folder) && os.RemoveAll(folder) == nil {
			removed = append(removed, folder)
		}
	}
	return removed
}

func abandoned(folder string) bool {
	if isIn(folder, ResultFile) || isIn(folder, CheckpointFile) {
		return false // it could not be put in its place, and is worth something
	}
	f, err := os.OpenFile(filepath.Join(folder, MetricsFile), os.O_WRONLY, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	info, err := f.Stat()
	return err == nil && time.Since(info.ModTime()) > abandonedAfter && lock(f) == nil
}
