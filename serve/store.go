package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// store holds the models that are served, by name. A model is loaded at the start or, where that would exceed the
// memory for models, when a request needs it; the one that was longest without a request makes room.
type store struct {
	open    func(e *entry) (*loadedModel, error)
	budget  int64 // bytes for all loaded models; 0 is no bound
	metrics *metrics
	log     *slog.Logger

	loading *semaphore.Weighted // one model is loaded at a time
	mu      sync.Mutex
	entries []*entry
	closed  bool // takes no more models; under mu, as in every entry
}

// errClosed is the error of a request for a model that comes after the end.
var errClosed = &Error{unavailable, "the server is stopping"}

// entry is a name and the model that has it now.
type entry struct {
	name, path string

	// under store.mu
	model    *loadedModel // nil if it is not loaded
	stamp    stamp        // stamp of the files at the last attempt to read them
	failed   error        // reason why the last loading failed; nil if it did not
	unloaded bool         // a request has unloaded it: only a request to load it loads it again
	used     time.Time
}

// The reasons for dropping a loaded model.
const (
	evicted  = "evicted"
	unloaded = "unloaded"
)

// Source is a model to serve: the folder of a run, or a model file.
type Source struct{ Name, Path string }

// start loads the models in their order, as long as there is memory. It fails if a model cannot be read.
func (s *store) start() error {
	for _, e := range s.entries {
		m, err := s.open(e)
		if err != nil {
			return err
		}
		if size := s.size(nil) + m.bytes; s.budget > 0 && size > s.budget {
			m.release()
			if m.bytes > s.budget {
				return errTooBig(e, m.bytes, s.budget)
			}
			s.log.Info("the model is loaded when it is asked for", "model", e.name, "bytes", m.bytes)
			continue
		}
		s.put(e, m, "loaded")
	}
	return nil
}

func errTooBig(e *entry, bytes, budget int64) error {
	return &Error{unavailable, fmt.Sprintf("model %s takes %d bytes, and all models may take %d: the server "+
		"needs a larger --memory", quote(e.name), bytes, budget)}
}

func (s *store) find(name string) (*entry, error) {
	for _, e := range s.entries {
		if e.name == name {
			return e, nil
		}
	}
	return nil, &Error{unknown, fmt.Sprintf("there is no model %s: GET /v1/models lists them", quote(name))}
}

// acquire returns a model, and loads it first if it is not loaded. The caller must release it.
func (s *store) acquire(ctx context.Context, name string) (*loadedModel, error) {
	e, err := s.find(name)
	if err != nil {
		return nil, err
	}
	if m, err := s.take(e); m != nil || errors.Is(err, errClosed) { // an unloaded model may be loading again
		return m, err
	}
	if err := s.waitTurn(ctx); err != nil {
		return nil, err
	}
	defer s.endTurn()
	if m, err := s.take(e); m != nil || err != nil { // another request has loaded it
		return m, err
	}
	if err := s.load(e); err != nil {
		return nil, err
	}
	return s.take(e)
}

// waitTurn waits until no other model is being loaded; endTurn has to follow. If ctx ends first, it returns its cause.
func (s *store) waitTurn(ctx context.Context) error {
	if s.loading.Acquire(ctx, 1) != nil {
		return context.Cause(ctx)
	}
	return nil
}

// endTurn lets the next model be loaded.
func (s *store) endTurn() { s.loading.Release(1) }

// take adds a user to the entry's model, and returns it. It returns nil if a model may be loaded, or else why not.
func (s *store) take(e *entry) (*loadedModel, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case e.model != nil:
		e.used = time.Now()
		e.model.users.Add(1) // the entry is a user, too
		return e.model, nil
	case s.closed:
		return nil, errClosed
	case e.unloaded:
		return nil, errUnloaded(e)
	}
	return nil, nil
}

// load loads a model, and evicts others if there is no memory. The caller holds loading.
func (s *store) load(e *entry) error {
	now := stampOf(e.path)
	m, err := s.open(e)
	if err != nil {
		s.fail(e, err, now)
		return &Error{unavailable, fmt.Sprintf("model %s cannot be loaded: the server's log says why", quote(e.name))}
	}
	if err = s.place(e, m, "loaded"); err != nil {
		s.fail(e, err, now)
	}
	return err
}

// place sets the model of an entry, and evicts other models until there is memory for it.
func (s *store) place(e *entry, m *loadedModel, what string) error {
	if s.budget > 0 && m.bytes > s.budget {
		m.release()
		return errTooBig(e, m.bytes, s.budget)
	}
	for s.budget > 0 && s.size(e)+m.bytes > s.budget {
		s.evict(e)
	}
	s.put(e, m, what)
	return nil
}

// fail remembers why a model has not been loaded from files with this stamp, until they change.
func (s *store) fail(e *entry, err error, seen stamp) {
	s.log.Error("a model could not be loaded", "model", e.name, "error", err.Error())
	s.metrics.loads.WithLabelValues(e.name, "failed").Inc()
	s.mu.Lock()
	defer s.mu.Unlock()
	e.failed, e.stamp = err, seen
}

// put sets the model of an entry. The model before is closed once its last request is answered. A store that is closed
// lets go of m.
func (s *store) put(e *entry, m *loadedModel, what string) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		m.release()
		return
	}
	before := e.model
	e.model = m
	e.stamp = m.stamp
	e.failed = nil
	e.unloaded = false
	e.used = time.Now()
	s.mu.Unlock()
	if before != nil {
		before.release()
	}
	s.log.Info(what, "model", e.name, "path", e.path, "bytes", m.bytes)
	s.metrics.loads.WithLabelValues(e.name, what).Inc()
	s.metrics.modelBytes.WithLabelValues(e.name).Set(float64(m.bytes))
}

// evict drops the loaded model that was longest without a request, except the model of one entry.
func (s *store) evict(except *entry) {
	s.mu.Lock()
	var oldest *entry
	for _, e := range s.entries {
		if e.model != nil && e != except && (oldest == nil || e.used.Before(oldest.used)) {
			oldest = e
		}
	}
	s.mu.Unlock()
	if oldest != nil { // a server that ends may have let go of all meanwhile
		s.drop(oldest, evicted)
	}
}

// drop takes the model from an entry, if it is loaded. It is closed once its last request is answered.
func (s *store) drop(e *entry, what string) {
	s.mu.Lock()
	m := e.model
	e.model = nil
	e.unloaded = what == unloaded
	s.mu.Unlock()
	if m == nil {
		return
	}
	m.release()
	s.log.Info(what, "model", e.name)
	s.metrics.loads.WithLabelValues(e.name, what).Inc()
	s.metrics.modelBytes.WithLabelValues(e.name).Set(0)
}

// size returns the memory of all loaded models except the model of one entry, which may be nil.
func (s *store) size(except *entry) (bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.entries {
		if e.model != nil && e != except {
			bytes += e.model.bytes
		}
	}
	return bytes
}

// ready returns the reason that a model cannot answer, and nil if it can, loaded or not yet.
func (s *store) ready(name string) error {
	e, err := s.find(name)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case e.model != nil:
		return nil
	case e.unloaded:
		return errUnloaded(e)
	case e.failed != nil:
		return &Error{unavailable, fmt.Sprintf("model %s cannot be loaded: the server's log says why", quote(name))}
	}
	return nil
}

func errUnloaded(e *entry) error {
	return &Error{unavailable, fmt.Sprintf("model %s is unloaded: POST /v2/repository/models/%s/load loads it",
		quote(e.name), e.name)}
}

// close drops all models, and waits until their requests are answered.
func (s *store) close() {
	s.mu.Lock()
	s.closed = true
	var open []*loadedModel
	for _, e := range s.entries {
		if e.model != nil {
			open = append(open, e.model)
			e.model = nil
		}
	}
	s.mu.Unlock()
	for _, m := range open {
		m.release()
		<-m.closed
	}
}

// reloadEvery is how often the files of models are looked at.
const reloadEvery = 2 * time.Second

// stamp tells whether the files of a model have changed, of a run folder or a model file by itself: a checkpoint
// replaces its file, and a run its folder. The stamp of a path is zero if it is not a regular file.
type stamp struct{ alone, model, result, checkpoint fileStamp }

type fileStamp struct {
	size     int64
	modified int64 // nanoseconds
}

func stampOf(path string) stamp {
	of := func(path string) (s fileStamp) {
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			s = fileStamp{info.Size(), info.ModTime().UnixNano()}
		}
		return s
	}
	return stamp{of(path), of(filepath.Join(path, rundir.ModelFile)), of(filepath.Join(path, rundir.ResultFile)),
		of(filepath.Join(path, rundir.CheckpointFile))}
}

// watch reloads models whose files have changed, until ctx ends.
func (s *store) watch(ctx context.Context) {
	for tick := time.Tick(reloadEvery); ; {
		select {
		case <-ctx.Done():
			return
		case <-tick:
		}
		for _, e := range s.entries {
			s.reload(ctx, e)
		}
	}
}

// reload reads a loaded model again if its files have changed. Requests that came before are answered by the old model.
// Where the new one cannot be read, the old one stays. A model that is not loaded may be tried again. A server that
// ends, with ctx, takes no new model.
func (s *store) reload(ctx context.Context, e *entry) {
	if s.waitTurn(ctx) != nil {
		return
	}
	defer s.endTurn()
	now := stampOf(e.path)
	s.mu.Lock()
	same := now == e.stamp || now == stamp{}
	loaded := e.model != nil
	if !same && !loaded {
		e.failed = nil
	}
	s.mu.Unlock()
	if same || !loaded {
		return
	}
	m, err := s.open(e)
	if err != nil {
		s.fail(e, err, now)
		return
	}
	if ctx.Err() != nil {
		m.release()
		return
	}
	if err := s.place(e, m, "reloaded"); err != nil {
		s.fail(e, err, now)
	}
}
