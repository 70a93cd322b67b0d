package serve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// While a model's file is replaced again and again, each request is answered, by the old model or by the new one; and a
// damaged file changes nothing.
func TestReload(t *testing.T) {
	dir := t.TempDir()
	path, other := filepath.Join(dir, "m.safetensors"), filepath.Join(dir, "other")
	writeModel(t, other, numbers, 2)
	second := must.Get(os.ReadFile(other))(t)
	writeModel(t, path, numbers, 1)
	first := must.Get(os.ReadFile(path))(t)
	r := start(t, testConfig(), Source{"m", path})
	body := []byte(`{"instances":[[1,2]]}`)
	ask := func() string {
		code, _, answer, err := r.try("/v1/models/m:predict", body)
		if err != nil || code != http.StatusOK {
			t.Errorf("%d %s %v", code, answer, err)
		}
		return string(answer)
	}
	old := ask()
	var stop atomic.Bool
	var asking sync.WaitGroup
	seen := make([]map[string]int, 4)
	for k := range seen {
		seen[k] = map[string]int{}
		asking.Go(func() {
			for !stop.Load() {
				seen[k][ask()]++
			}
		})
	}
	e := must.Get(r.store.find("m"))(t)
	for i := range 6 {
		replace(t, path, [][]byte{second, first}[i%2])
		// the sizes are the same, and clocks are coarse
		stamped := time.Now().Add(time.Duration(i+1) * time.Second)
		must.OK(t, os.Chtimes(path, stamped, stamped))
		r.store.reload(t.Context(), e)
	}
	stop.Store(true)
	asking.Wait()
	replace(t, path, second)
	r.store.reload(t.Context(), e)
	now := ask()
	if now == old {
		t.Error("the new model gives the answer of the old one")
	}
	for _, answers := range seen {
		for answer := range answers {
			if answer != old && answer != now {
				t.Errorf("an answer of neither model: %s", answer)
			}
		}
	}
	replace(t, path, second[:len(second)-9])
	r.store.reload(t.Context(), e)
	if ask() != now {
		t.Error("a damaged file has changed the answer")
	}
	must.OK(t, os.Remove(path))
	r.store.reload(t.Context(), e)
	if ask() != now {
		t.Error("a file that is gone has changed the answer")
	}
	_, text := r.get(t, "/metrics")
	for _, line := range []string{`gpdrf_model_loads_total{model="m",what="reloaded"} 7`,
		`gpdrf_model_loads_total{model="m",what="failed"} 1`} {
		if !bytes.Contains(text, []byte(line+"\n")) {
			t.Errorf("metrics lack %s", line)
		}
	}
}

// Models that do not fit the memory together take turns; one that does not fit by itself is an error.
func TestMemoryForModels(t *testing.T) {
	dir := t.TempDir()
	var sources []Source
	for i, kind := range []string{numbers, sequences, numbers} {
		path := filepath.Join(dir, fmt.Sprint(i))
		writeModel(t, path+".safetensors", kind, uint64(i+1))
		sources = append(sources, Source{fmt.Sprint("m", i), path + ".safetensors"})
	}
	all := start(t, testConfig(), sources...)
	sizes := make([]int64, len(sources))
	for i, e := range all.store.entries {
		sizes[i] = e.model.bytes
	}
	c := testConfig()
	c.Memory = sizes[0] + sizes[1] + sizes[2]/2
	r := start(t, c, sources...)
	loaded := func() (text string) {
		for _, e := range r.store.entries {
			if m, _ := r.store.take(e); m != nil {
				text += e.name + " "
				m.release()
			}
		}
		return text
	}
	if got := loaded(); got != "m0 m1 " {
		t.Errorf("loaded at the start: %s", got)
	}
	row := []byte(`{"instances":[[1,2]]}`)
	ask := func(name, body string) int {
		code, _, _ := r.post(t, "/v1/models/"+name+":predict", []byte(body))
		return code
	}
	if code := ask("m1", `{"instances":["ACGTACGT"]}`); code != 200 {
		t.Errorf("m1: %d", code)
	}
	var asking sync.WaitGroup
	for range 4 {
		asking.Go(func() {
			for _, name := range []string{"m2", "m0", "m2"} {
				if code, _, answer, err := r.try("/v1/models/"+name+":predict", row); err != nil || code != 200 {
					t.Errorf("%s: %d %s %v", name, code, answer, err)
				}
			}
		})
	}
	asking.Wait()
	if size := r.store.size(nil); size > c.Memory {
		t.Errorf("%d bytes of %d", size, c.Memory)
	}
	c.Memory = min(sizes[0], sizes[1]) / 2
	if err := New(c, sources).Start(); err == nil || !strings.Contains(err.Error(), "needs a larger --memory") {
		t.Errorf("a model that does not fit: %v", err)
	}
	if err := New(testConfig(), []Source{{"x", filepath.Join(dir, "x")}}).Start(); err == nil ||
		!strings.Contains(err.Error(), "no such run folder") {
		t.Errorf("a model that is not there: %v", err)
	}
}

// A file that came whole while half of it was read is read again; a model that is too big is not ready.
func TestFileThatIsBeingCopied(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.safetensors")
	writeModel(t, path, numbers, 1)
	r := start(t, testConfig(), Source{"m", path})
	e := r.store.entries[0]
	before := e.model
	whole := r.store.open
	openBy := func(read func(*entry) (*loadedModel, error)) {
		must.OK(t, r.store.waitTurn(t.Context())) // the watch may be at work
		defer r.store.endTurn()
		r.store.open = read
	}
	change := func(seconds int) {
		stamped := time.Now().Add(time.Duration(seconds) * time.Second)
		must.OK(t, os.Chtimes(path, stamped, stamped))
	}
	openBy(func(*entry) (*loadedModel, error) {
		change(20) // the copy ends
		return nil, errors.New("half a file")
	})
	change(10)
	r.store.reload(t.Context(), e)
	openBy(whole)
	r.store.reload(t.Context(), e)
	if e.model == before || e.failed != nil {
		t.Errorf("the whole file was not read: %v", e.failed)
	}
	must.OK(t, r.store.unload(t.Context(), "m"))
	r.store.budget = 1
	if err := r.store.reopen(t.Context(), "m"); err == nil || e.failed == nil {
		t.Errorf("too big: %v, remembered %v", err, e.failed)
	}
}

// A server that ends waits for no turn to reload a model, and lets go of one that comes too late.
func TestReloadAtTheEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.safetensors")
	writeModel(t, path, numbers, 1)
	r := start(t, testConfig(), Source{"m", path})
	e := r.store.entries[0]
	before := e.model
	ctx, end := context.WithCancel(t.Context())
	var late *loadedModel
	must.OK(t, r.store.waitTurn(t.Context())) // the watch may be at work
	open := r.store.open
	r.store.open = func(e *entry) (m *loadedModel, err error) {
		end()
		late, err = open(e)
		return late, err
	}
	r.store.endTurn()
	stamped := time.Now().Add(10 * time.Second)
	must.OK(t, os.Chtimes(path, stamped, stamped))
	r.store.reload(ctx, e)
	if e.model != before || late == nil || late.users.Load() != 0 {
		t.Errorf("a model that came after the end: %v", late)
	}
	must.OK(t, r.store.waitTurn(t.Context()))
	defer r.store.endTurn()
	r.store.reload(ctx, e)
}

// A request whose model is loaded when the server has ended gets an error, and the model is let go.
func TestAcquireAtTheEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.safetensors")
	writeModel(t, path, numbers, 1)
	s := New(testConfig(), []Source{{"m", path}}).store
	s.entries = []*entry{{name: "m", path: path}}
	var late *loadedModel
	open := s.open
	s.open = func(e *entry) (m *loadedModel, err error) {
		late, err = open(e)
		s.close()
		return late, err
	}
	for range 2 {
		if m, err := s.acquire(t.Context(), "m"); m != nil || !errors.Is(err, errClosed) {
			t.Errorf("after the end: %v, %v", m, err)
		}
	}
	<-late.closed
}

// Requests for a model that is unloaded at the same time get it, or an error.
func TestAcquireAndUnload(t *testing.T) {
	r := serveKind(t, numbers, testConfig())
	var asking sync.WaitGroup
	for range 4 {
		asking.Go(func() {
			for range 50 {
				if m, err := r.store.acquire(t.Context(), "m"); m != nil {
					m.release()
				} else if err == nil || !strings.Contains(err.Error(), "is unloaded") {
					t.Error(err)
				}
			}
		})
	}
	for range 3 {
		must.OK(t, r.store.unload(t.Context(), "m"))
		must.OK(t, r.store.reopen(t.Context(), "m"))
	}
	asking.Wait()
}

// A server that ends lets go of its models while a reload makes room for one.
func TestEvictNothing(t *testing.T) {
	s := &store{entries: []*entry{{name: "m"}}}
	if s.evict(nil); s.size(nil) != 0 {
		t.Errorf("%d bytes of no model", s.size(nil))
	}
}

// Who waits until another model is loaded waits no longer than the request may take.
func TestWaitForLoading(t *testing.T) {
	c := testConfig()
	c.Timeout = time.Millisecond
	s := New(c, []Source{{"m", "nowhere"}})
	must.OK(t, s.store.waitTurn(t.Context()))
	ctx, cancel := context.WithTimeout(t.Context(), c.Timeout)
	defer cancel()
	if _, err := s.store.acquire(ctx, "m"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("waited: %v", err)
	}
	for what, command := range map[string]func(http.ResponseWriter, *http.Request) error{
		"load": s.postLoad, "unload": s.postUnload} {
		r := httptest.NewRequestWithContext(t.Context(), "POST", "/", nil)
		r.SetPathValue("model", "m")
		if err := command(httptest.NewRecorder(), r); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s waited: %v", what, err)
		}
	}
}
