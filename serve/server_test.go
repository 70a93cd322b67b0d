package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/predict"
	"github.com/gpdrf/gpdrf-gpu/seq"
	"github.com/gpdrf/gpdrf-gpu/serve/inference"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
)

// A fault in a request is an error of this request: the log has it, and the server goes on.
func TestFaults(t *testing.T) {
	var log bytes.Buffer
	c := testConfig()
	c.Log = slog.New(slog.NewTextHandler(&log, nil))
	s := New(c, nil)
	w := httptest.NewRecorder()
	s.authorized(func(http.ResponseWriter, *http.Request) error { panic("here") })(w,
		httptest.NewRequest("GET", "/", nil))
	var said struct{ Error string }
	if err := json.Unmarshal(w.Body.Bytes(), &said); err != nil || w.Code != 500 ||
		!strings.Contains(said.Error, "the server's log says why") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	w = httptest.NewRecorder()
	s.withErrors(func(http.ResponseWriter, *http.Request) error { panic("there") }, writeStatus)(w,
		httptest.NewRequest("POST", "/", nil))
	if got := w.Result().Trailer.Get("Grpc-Status"); got != "13" {
		t.Errorf("status %q", got)
	}
	for _, word := range []string{"fault=here", "fault=there", "server_test.go"} {
		if !strings.Contains(log.String(), word) {
			t.Errorf("the log lacks %s: %s", word, &log)
		}
	}
}

// Predictions that do not fit the memory together wait for each other, and no longer than the time of their request.
func TestMemoryForPredictions(t *testing.T) {
	c := testConfig()
	c.Timeout = 300 * time.Millisecond
	r := serveKind(t, numbers, c)
	body := []byte(`{"instances":[[1,2]]}`)
	must.OK(t, r.room.Acquire(t.Context(), maxNumbers))
	if code, _, answer := r.post(t, "/v1/models/m:predict", body); code != 504 {
		t.Errorf("without memory: %d %s", code, answer)
	}
	r.room.Release(maxNumbers)
	if code, _, answer := r.post(t, "/v1/models/m:predict", []byte(`{"instances":[["x",2]]}`)); code != 400 {
		t.Errorf("a wrong row: %d %s", code, answer)
	}
	if !r.room.TryAcquire(maxNumbers) {
		t.Error("a request has kept memory")
	}
	r.room.Release(maxNumbers)

	m := must.Get(r.store.acquire(t.Context(), "m"))(t)
	defer m.release()
	// two inputs, and for each of two targets mean and variance of 13 samples
	if want := int64(2 + 2*13*2); m.perRow != want {
		t.Errorf("a row takes %d numbers, expected %d", m.perRow, want)
	}
	rows := data.Request{N: 3, Numbers: make([]float64, 6)}
	var own *Error
	large := []TensorSpec{{drawsName, FP64, []int64{-1, 2, maxAnswer/6 + 1}}}
	if _, _, err := r.predict(t.Context(), m, rows, large); !asError(err, &own) || own.kind != tooLarge {
		t.Errorf("a large answer: %v", err)
	}
	p, reserved, err := r.predict(t.Context(), m, rows, m.defaultOutputs())
	must.OK(t, err)
	defer reserved.free()
	left, leave := context.WithCancel(t.Context())
	leave()
	for _, name := range []string{quantilesName, drawsName} {
		w := must.Get(OutputRequest{}.resolve(TensorSpec{name, FP64, []int64{-1, 2, 5}}))(t)
		if _, err := p.output(left, w); !errors.Is(err, context.Canceled) {
			t.Errorf("%s for nobody: %v", name, err)
		}
	}
}

// A request whose time is over is answered, also amid work that does not look at it, which holds its memory and its
// model until it ends. A fault of the work is an error of the request.
func TestTimeOfLongWork(t *testing.T) {
	r := serveKind(t, numbers, testConfig())
	m := must.Get(r.store.acquire(t.Context(), "m"))(t)
	defer m.release()
	users := m.users.Load()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	end, freed := make(chan struct{}), make(chan struct{})
	long := func() (*prediction, error) { <-end; return &prediction{}, nil }
	if _, err := r.predictUntil(ctx, m, long, func() { close(freed) }); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
	select {
	case <-freed:
		t.Error("the memory was given back before the work has ended")
	default:
	}
	if m.users.Load() != users+1 {
		t.Error("the work does not hold its model")
	}
	close(end)
	<-freed
	free := 0
	fault := func() (*prediction, error) { panic("a fault") }
	if _, err := r.predictUntil(t.Context(), m, fault, func() { free++ }); err == nil || free != 1 {
		t.Errorf("a fault: %v, memory given back %d times", err, free)
	}
}

// Bytes of sequences count as memory, those of graphs as more of it. A graph has a limit of its own.
func TestMemoryOfSequences(t *testing.T) {
	schema := data.Schema{Alphabet: &seq.Alphabet{Kind: seq.Graphs}}
	m := &loadedModel{trained: &fitted.Model{}}
	m.trained.Schema = schema
	if n, err := m.roomForSequences([]string{"CCO", "C"}); n != 4*numbersPerGraphByte || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	var own *Error
	if _, err := m.roomForSequences([]string{"C", strings.Repeat("C", maxGraph+1)}); !asError(err, &own) ||
		own.kind != tooLarge || !strings.HasPrefix(own.msg, "row 2: a graph of more than") {
		t.Errorf("a long molecule: %v", err)
	}
	schema.Alphabet.Kind = seq.DNA
	long := []string{strings.Repeat("A", maxGraph+1)}
	if n, err := m.roomForSequences(long); n != numbersPerByte*(maxGraph+1) || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}

// A model that has grown takes the place of others when it is loaded again; one that fits no more stays as it was.
func TestReloadWithinMemory(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name+".safetensors") }
	small, large := numbers, sequences
	writeModel(t, path("0"), small, 1)
	writeModel(t, path("1"), large, 1)
	both := start(t, testConfig(), Source{"0", path("0")}, Source{"1", path("1")})
	least, most := both.store.entries[0].model.bytes, both.store.entries[1].model.bytes
	if least > most {
		small, large, least, most = large, small, most, least
	}
	writeModel(t, path("0"), small, 1)
	writeModel(t, path("1"), small, 2)
	c := testConfig()
	c.Memory = max(2*least, most) + (most+least-max(2*least, most))/2
	r := start(t, c, Source{"0", path("0")}, Source{"1", path("1")})
	if r.store.entries[1].model == nil {
		t.Fatal("two small models do not fit")
	}
	writeModel(t, path("0"), large, 1)
	r.store.reload(t.Context(), r.store.entries[0])
	if r.store.entries[1].model != nil || r.store.size(nil) > c.Memory {
		t.Errorf("%d bytes of %d", r.store.size(nil), c.Memory)
	}
	r.store.budget = most - 1
	before := r.store.entries[0].model
	writeModel(t, path("0"), large, 2)
	r.store.reload(t.Context(), r.store.entries[0])
	if r.store.entries[0].model != before || r.store.entries[0].failed == nil {
		t.Error("a model that does not fit has replaced another")
	}
}

// The numbers of an answer are counted until it is sent.
func TestAnswersAreCounted(t *testing.T) {
	r := serveKind(t, numbers, testConfig())
	m := must.Get(r.store.acquire(t.Context(), "m"))(t)
	defer m.release()
	rows := data.Request{N: 1, Numbers: make([]float64, 2)}
	large := []TensorSpec{{drawsName, FP64, []int64{-1, 2, maxWanted}}}
	_, reserved, err := r.predict(t.Context(), m, rows, large)
	must.OK(t, err)
	if r.room.TryAcquire(maxNumbers - 2*maxWanted) {
		t.Error("the numbers of an answer are not counted")
	}
	reserved.keepAnswer() // a client that reads slowly holds no prediction
	if !r.room.TryAcquire(maxNumbers - 2*maxWanted) {
		t.Fatal("an answer that is made holds more than its numbers")
	}
	r.room.Release(maxNumbers - 2*maxWanted)
	reserved.free()
	r.post(t, "/v2/models/m/infer",
		[]byte(`{"inputs":[{"name":"inputs","shape":[1,2],"datatype":"FP64","data":[1,2]}]}`))
	_, err = r.dial(t).ModelInfer(t.Context(), &inference.ModelInferRequest{ModelName: "m",
		Inputs: []*inference.ModelInferRequest_InferInputTensor{{Name: "inputs", Datatype: "FP64", Shape: []int64{1, 2},
			Contents: &inference.InferTensorContents{Fp64Contents: []float64{1, 2}}}}})
	must.OK(t, err)
	for range 1000 { // gRPC ends a request just after its answer
		if r.room.TryAcquire(maxNumbers) {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Error("a request has kept memory")
}

// A prediction that is not a number is an error, also of a request that asks for labels alone.
func TestPredictionOfNoNumber(t *testing.T) {
	trained := writeModel(t, filepath.Join(t.TempDir(), "m.safetensors"), words, 1)
	m := &loadedModel{trained: trained, batcher: &batcher{queue: make(chan *batchItem, 1)}}
	go func() {
		j := <-m.batcher.queue
		h := []float64{1, 2, 3, 1, 2, 3, 0, math.NaN(), 0}
		j.outcome <- outcome{prediction: &model.Prediction{S: 1, N: 3, C: 3, H: h}}
	}()
	rows := data.Request{N: 3, Numbers: []float64{0, 2, 1, 2, 0, 3},
		Texts: map[string][]string{"colour": {"red", "blue", "red"}}}
	want := "row 3: " + predict.ErrNotFinite.Error()
	if _, err := m.predict(t.Context(), rows); err == nil || err.Error() != want {
		t.Errorf("%v, expected %s", err, want)
	}
}

// Requests in work are finished when the server ends, and no new ones are taken.
func TestStop(t *testing.T) {
	c := testConfig()
	c.MaxDelay = 300 * time.Millisecond
	r := serveKind(t, numbers, c)
	status := make(chan int, 1)
	go func() {
		code, _, _, err := r.try("/v1/models/m:predict", []byte(`{"instances":[[1,2]]}`))
		if err != nil {
			code = -1
		}
		status <- code
	}()
	client := r.dial(t)
	called := make(chan error, 1)
	go func() {
		_, err := client.ModelInfer(t.Context(), smallCall())
		called <- err
	}()
	time.Sleep(100 * time.Millisecond) // both are in a batch now
	if err := r.stop(); err != nil {
		t.Error(err)
	}
	if code := <-status; code != 200 {
		t.Errorf("a request in work: %d", code)
	}
	if err := <-called; err != nil {
		t.Errorf("a call in work: %v", err)
	}
	if _, err := http.Get(r.url + "/v2/health/ready"); err == nil {
		t.Error("the server still answers")
	}
}

// lateListener is a listener whose end is seen late.
type lateListener struct{ net.Listener }

func (l lateListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		time.Sleep(100 * time.Millisecond)
	}
	return conn, err
}

// A server without requests leaves none behind.
func TestStopIdle(t *testing.T) {
	var log bytes.Buffer
	c := testConfig()
	c.Log = slog.New(slog.NewTextHandler(&log, nil))
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- New(c, nil).Serve(ctx, lateListener{l}, nil) }()
	must.Get(http.Get("http://" + l.Addr().String() + "/v2/health/live"))(t).Body.Close()
	stop()
	if err := <-ended; err != nil || strings.Contains(log.String(), "WARN") {
		t.Errorf("%v, %s", err, &log)
	}
}

// Clients that ask without a pause lose no request when the server ends: they get an answer to each until they find
// nobody to connect to.
func TestStopUnderLoad(t *testing.T) {
	c := testConfig()
	c.Linger = time.Minute // whatever else the machine does
	r := serveKind(t, numbers, c)
	var asking sync.WaitGroup
	var answers atomic.Int64
	begun := make(chan struct{}, 16)
	for range cap(begun) {
		asking.Go(func() {
			client := &http.Client{Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			for n := 0; ; n++ {
				a, err := client.Post(r.url+"/v1/models/m:predict", "application/json",
					strings.NewReader(`{"instances":[[1,2]]}`))
				if dial := (*net.OpError)(nil); n > 0 && errors.As(err, &dial) && dial.Op == "dial" {
					return
				}
				if err != nil {
					t.Errorf("request %d is lost: %v", n, err)
					return
				}
				if _, err := io.Copy(io.Discard, a.Body); err != nil || a.StatusCode != http.StatusOK {
					t.Errorf("request %d: status %d, %v", n, a.StatusCode, err)
				}
				a.Body.Close()
				if answers.Add(1); n == 3 {
					begun <- struct{}{}
				}
			}
		})
	}
	for range cap(begun) {
		<-begun
	}
	if err := r.stop(); err != nil {
		t.Error(err)
	}
	asking.Wait()
	if n := answers.Load(); n < 64 {
		t.Errorf("%d answers", n)
	}
}
