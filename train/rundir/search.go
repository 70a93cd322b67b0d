package rundir

import (
	"errors"
	"fmt"
	"io"

	"github.com/gpdrf/gpdrf-gpu/internal/atomicfile"
	"github.com/gpdrf/gpdrf-gpu/internal/usage"
)

// SearchFile stands in the folder of a search for the best model: the candidates tried, and its
// progress.
const SearchFile = "best.json"

// IsSearch reports whether a folder is that of a search that has not ended.
func IsSearch(path string) bool { return isIn(path, SearchFile) && !isIn(path, ResultFile) }

// Place writes the first file of a search, and puts the folder in its place.
func (f *Folder) Place(write func(io.Writer) error) error {
	if err := f.write(SearchFile, write); err != nil {
		return err
	}
	return f.show()
}

// Write writes another file into a folder, whole or not at all.
func (f *Folder) Write(name string, write func(io.Writer) error) error { return f.write(name, write) }

// OpenSearch opens the folder of a search that goes on. Only one process at a time can do so.
func OpenSearch(path string) (*Folder, error) {
	f := &Folder{out: path, path: path}
	err := f.openMetrics()
	if errors.Is(err, atomicfile.ErrLocked) {
		return nil, usage.Errorf("%s: another process is training in it", path)
	}
	if err == nil && !IsSearch(path) {
		return nil, errors.Join(usage.Errorf("%s: another process has finished it meanwhile", path),
			f.remove(MetricsFile), f.closeMetrics())
	}
	if err != nil {
		return nil, fmt.Errorf("the run folder cannot be written: %w", err)
	}
	if err := f.removeLeftovers(); err != nil {
		return nil, errors.Join(err, f.closeMetrics())
	}
	return f, nil
}
