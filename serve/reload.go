package serve

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// reloadEvery is how often the files of models are looked at.
const reloadEvery = 2 * time.Second

// stamp tells whether the files of a model have changed: a checkpoint replaces its file, and a run
// its folder.
type stamp struct{ model, result, checkpoint fileStamp }

type fileStamp struct {
	size     int64
	modified int64 // nanoseconds
}

// stampOf is the stamp of a run folder or a model file; the zero stamp if neither exists.
func stampOf(path string) stamp {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}
	}
	if !info.IsDir() {
		return stamp{model: stampInfo(info)}
	}
	of := func(name string) (s fileStamp) {
		if info, err := os.Stat(filepath.Join(path, name)); err == nil {
			s = stampInfo(info)
		}
		return s
	}
	return stamp{of(rundir.ModelFile), of(rundir.ResultFile), of(rundir.CheckpointFile)}
}

func stampInfo(info fs.FileInfo) fileStamp { return fileStamp{info.Size(), info.ModTime().UnixNano()} }

// watch reloads models whose files have changed, until ctx ends.
func (s *store) watch(ctx context.Context) {
	for tick := time.Tick(reloadEvery); ; {
		select {
		case <-ctx.Done():
			return
		case <-tick:
		}
		for _, e := range s.entries {
			s.reload(e)
		}
	}
}

// reload reads a loaded model again if its files have changed. Requests that came before are
// answered by the old model. Where the new one cannot be read, the old one stays. A model that is
// not loaded may be tried again.
func (s *store) reload(e *entry) {
	s.loading.Lock()
	defer s.loading.Unlock()
	now := stampOf(e.path)
	s.mu.Lock()
	same, loaded := now == e.stamp || now == stamp{}, e.model != nil
	if !same && !loaded {
		e.failed = nil
	}
	s.mu.Unlock()
	if same || !loaded {
		return
	}
	m, err := s.open(e)
	if err == nil {
		err = s.place(e, m, "reloaded")
	}
	if err != nil {
		s.fail(e, err)
	}
}
