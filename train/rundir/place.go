package rundir

import (
	"os"
	"path/filepath"

	"github.com/gpdrf/gpdrf-gpu/internal/atomicfile"
	"github.com/gpdrf/gpdrf-gpu/internal/usage"
)

// Where a run folder may stand.

// CheckOut refuses a place for a run folder, "" for the first free number, that NewFolder would
// refuse as a *usage.Error. With overwrite, a run that has ended may stand there.
func CheckOut(out string, overwrite bool) error {
	_, _, err := placeOf(out, overwrite)
	return err
}

// placeOf is where out leads, from the root and without links, and whether a run stands there that
// is to be replaced.
func placeOf(out string, overwrite bool) (place string, replaces bool, err error) {
	if out == "" {
		if overwrite {
			return "", false, usage.Errorf("--overwrite: is for --out DIR: a run without one gets a folder of its own")
		}
		return "", false, nil
	}
	if place, err = filepath.Abs(out); err != nil {
		return "", false, err
	}
	if _, err := os.Lstat(place); err != nil {
		return place, false, nil // it will be made
	}
	if place, err = filepath.EvalSymlinks(place); err != nil {
		return "", false, usage.Errorf("--out: %s is a link that leads nowhere: give another place", out)
	}
	if info, err := os.Stat(place); err != nil || !info.IsDir() {
		return "", false, usage.Errorf("--out: %s is there already and not an empty folder: give another place", out)
	}
	unfinished := !isIn(place, ResultFile) && isIn(place, CheckpointFile)
	isRun := isIn(place, ConfigFile) && (isIn(place, ResultFile) || unfinished)
	switch {
	case atomicfile.Empty(place), onlyAbandoned(place):
		return place, false, nil
	case IsCV(place):
		return "", false, usage.Errorf("--out: %s holds a cross-validation: %s goes on with it; or give another place", out, ResumeCommand(out))
	case IsSearch(place):
		return "", false, usage.Errorf("--out: %s holds a search for the best model that has not ended: %s goes on with it; or give another place", out, ResumeCommand(out))
	case isRun && inUse(place):
		return "", false, usage.Errorf("--out: %s: another process is training in it: give another place", out)
	case overwrite && isRun && holdsRun(place):
		return place, true, nil
	case overwrite && isRun:
		return "", false, usage.Errorf("--overwrite: %s holds %s, which no run has written: move that away, or give another place", out, stranger(place))
	case overwrite:
		return "", false, usage.Errorf("--overwrite: %s is no run folder: only that of a run is replaced: give another place", out)
	case unfinished:
		return "", false, usage.Errorf("--out: %s holds a run that is not finished: %s goes on with it; or give another place, or --overwrite", out, ResumeCommand(out))
	case isRun:
		return "", false, usage.Errorf("--out: %s is there already and not an empty folder: give another place, or --overwrite to replace the run in it", out)
	}
	return "", false, usage.Errorf("--out: %s is there already and not an empty folder: give another place", out)
}

// onlyAbandoned says whether a folder holds nothing but temporaries, which a run removes that takes
// it.
func onlyAbandoned(folder string) bool {
	entries, err := os.ReadDir(folder)
	return err == nil && len(entries) == len(atomicfile.Leftovers(filepath.Join(folder, filepath.Base(folder))))
}
