package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/netutil"
	"golang.org/x/sync/semaphore"

	"github.com/gpdrf/gpdrf-gpu/data"
)

// Server answers requests for the predictions of some models.
type Server struct {
	Config
	store    *store
	metrics  *metrics
	stopping atomic.Bool         // the server shuts down
	bodies   *semaphore.Weighted // limits the bytes of requests in memory
	calls    *semaphore.Weighted // limits the gRPC calls in progress
	room     *semaphore.Weighted // limits the numbers in memory for predictions
	shutdown context.Context     // ends when the server has no time left
	abort    context.CancelFunc  // ends shutdown
}

// New returns a server for some models, which Start loads.
func New(c Config, models []Source) *Server {
	s := &Server{Config: c, metrics: newMetrics(), bodies: semaphore.NewWeighted(bodiesAtOnce * c.MaxBody),
		calls: semaphore.NewWeighted(callsAtOnce), room: semaphore.NewWeighted(maxNumbers)}
	s.shutdown, s.abort = context.WithCancel(context.Background())
	s.store = &store{open: s.openModel, budget: c.Memory, metrics: s.metrics, log: c.Log,
		loading: semaphore.NewWeighted(1)}
	for _, m := range models {
		s.store.entries = append(s.store.entries, &entry{name: m.Name, path: m.Path})
	}
	return s
}

// Start loads the models in their order, as long as they fit Config.Memory. It fails if a model cannot be read.
func (s *Server) Start() error {
	return s.store.start()
}

// stopTimeout is how long requests in progress may take once the server stops.
const stopTimeout = 20 * time.Second

// endpoint is what the server answers on one listener.
type endpoint struct {
	*http.Server
	listener net.Listener
	open     atomic.Int64 // number of open connections
}

func (s *Server) endpoint(protocol string, l net.Listener, h http.Handler) *endpoint {
	e := &endpoint{Server: s.httpServer(h), listener: netutil.LimitListener(l, s.MaxConns)}
	gauge := s.metrics.connections.WithLabelValues(protocol)
	e.ConnState = func(_ net.Conn, now http.ConnState) {
		switch now {
		case http.StateNew:
			gauge.Set(float64(e.open.Add(1)))
		case http.StateClosed:
			gauge.Set(float64(e.open.Add(-1)))
		}
	}
	return e
}

func (e *endpoint) serve() error {
	if e.TLSConfig != nil {
		return e.ServeTLS(e.listener, "", "")
	}
	return e.Serve(e.listener)
}

// waitEmpty waits until all connections are closed, or until the timeout.
func (e *endpoint) waitEmpty(timeout time.Duration) {
	for end := time.Now().Add(timeout); e.open.Load() > 0 && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
}

// Serve answers HTTP on one listener and gRPC on the other, which may be nil, until ctx ends. Then it takes no new
// requests, finishes those in progress, and returns.
func (s *Server) Serve(ctx context.Context, web, rpc net.Listener) error {
	watched, unwatch := context.WithCancel(ctx)
	defer unwatch()
	go s.store.watch(watched)
	endpoints := []*endpoint{s.endpoint("http", web, s.Handler())}
	if rpc != nil {
		e := s.endpoint("grpc", rpc, s.grpcHandler())
		e.Protocols = &http.Protocols{}
		e.Protocols.SetHTTP2(true)
		e.Protocols.SetUnencryptedHTTP2(true)
		endpoints = append(endpoints, e)
	}
	failures := make(chan error, len(endpoints))
	var serving sync.WaitGroup
	for _, e := range endpoints {
		serving.Go(func() { failures <- e.serve() })
	}
	var err error
	select {
	case <-ctx.Done():
	case err = <-failures:
	}
	s.stop(endpoints)
	serving.Wait()
	s.store.close()
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// stop takes no new connections, finishes the requests in progress, and aborts those that take too long. A client may
// send its next request before it sees that the server stops: it gets an answer, which says that the connection closes.
// Over HTTP/2, requests after the end of the connection have none.
func (s *Server) stop(endpoints []*endpoint) {
	s.stopping.Store(true)
	s.Log.Info("stopping: finishing the requests in progress")
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	var ends sync.WaitGroup
	for _, e := range endpoints {
		e.listener.Close()
		ends.Go(func() {
			e.waitEmpty(s.Linger)
			// Another error only says that the listener was closed before.
			if errors.Is(e.Shutdown(ctx), context.DeadlineExceeded) {
				s.Log.Warn("requests were left in the middle", "after", stopTimeout)
				e.Close()
			}
		})
	}
	ends.Wait()
	s.abort()
}

// ready returns an error if the server is stopping.
func (s *Server) ready() error {
	if s.stopping.Load() {
		return &Error{unavailable, "the server is about to end"}
	}
	return nil
}

// version is the version of every model: a name has one model at a time.
const version = "1"

func checkVersion(asked string) error {
	if asked != "" && asked != version {
		return &Error{unknown, "there is no version " + quote(asked) + ": every model has version " + version}
	}
	return nil
}

// infer predicts the rows of a request, and returns its outputs and whether each is raw. The caller frees the request
// once the answer is sent.
func (s *Server) infer(ctx context.Context, c *requestInfo, m *loadedModel, q *Request) (
	outputs []Tensor, binary []bool, err error) {

	if len(q.Inputs) > 0 {
		c.rows = int(q.Inputs[0].Shape[0])
	}
	requested := q.Outputs
	if len(requested) == 0 || len(requested) == 1 && requested[0].Name == "" {
		raw := len(requested) == 1 && requested[0].Binary
		requested = nil
		for _, spec := range m.defaultOutputs() {
			requested = append(requested, OutputRequest{Name: spec.Name, Binary: raw})
		}
	}
	var resolved []resolvedOutput
	var specs []TensorSpec
	for _, out := range requested {
		at := slices.IndexFunc(m.outputs, func(spec TensorSpec) bool { return spec.Name == out.Name })
		if at < 0 {
			return nil, nil, invalidf("there is no output %s: the model has %s", quote(out.Name), specNames(m.outputs))
		}
		if slices.ContainsFunc(resolved, func(r resolvedOutput) bool { return r.Name == out.Name }) {
			return nil, nil, invalidf("output %s is asked for twice", quote(out.Name))
		}
		r, err := out.resolve(m.outputs[at])
		if err != nil {
			return nil, nil, err
		}
		resolved = append(resolved, r)
		binary = append(binary, out.Binary)
		specs = append(specs, r.TensorSpec)
	}
	rows, err := rowsOf(m.schema(), q.Inputs)
	if err != nil {
		return nil, nil, err
	}
	p, reserved, err := s.predict(ctx, m, rows, specs)
	if err != nil {
		return nil, nil, err
	}
	q.Warnings = p.warnings
	q.reserved = reserved
	for _, r := range resolved {
		t, err := p.output(ctx, r)
		if err != nil {
			return nil, nil, err
		}
		outputs = append(outputs, t)
	}
	reserved.keepAnswer()
	return outputs, binary, nil
}

// reservation is the memory that a request holds.
type reservation struct {
	room         *semaphore.Weighted
	held, answer int64 // counts of numbers: of prediction and answer together, and of the answer alone
}

// keepAnswer releases the memory of the prediction. A client that reads slowly holds its answer alone.
func (r *reservation) keepAnswer() {
	r.room.Release(r.held - r.answer)
	r.held = r.answer
}

// free releases the rest. A nil reservation has none.
func (r *reservation) free() {
	if r != nil {
		r.room.Release(r.held)
		r.held = 0
	}
}

// predict waits for memory, and predicts rows for an answer of these outputs. The caller frees the reservation once the
// answer is sent: all requests together take bounded memory.
func (s *Server) predict(ctx context.Context, m *loadedModel, given data.Request, answer []TensorSpec) (
	p *prediction, reserved *reservation, err error) {
	if given.N > s.MaxRows {
		return nil, nil, tooMany(s.MaxRows)
	}
	if given.N*widthOf(answer) > maxAnswer {
		return nil, nil, &Error{tooLarge, fmt.Sprintf("the answer would hold more than %d numbers: send fewer rows, "+
			"or ask for other outputs", maxAnswer)}
	}
	texts, err := m.roomForSequences(given.Sequences)
	if err != nil {
		return nil, nil, err
	}
	sent := int64(given.N) * int64(widthOf(answer))
	needed := min(maxNumbers, int64(given.N)*m.perRow+sent+texts)
	if err := s.room.Acquire(ctx, needed); err != nil {
		return nil, nil, context.Cause(ctx)
	}
	p, err = s.predictUntil(ctx, m, func() (*prediction, error) { return m.predict(ctx, given) },
		func() { s.room.Release(needed) })
	if err != nil {
		return nil, nil, err
	}
	return p, &reservation{s.room, needed, min(needed, sent)}, nil
}

// predictUntil waits for a prediction, or leaves when ctx ends. A prediction of long sequences does not look at ctx: it
// goes on, and holds its model and memory until it ends. free gives the memory back where there is no prediction.
func (s *Server) predictUntil(ctx context.Context, m *loadedModel, predict func() (*prediction, error), free func()) (
	*prediction, error) {
	var p *prediction
	ended := make(chan error)
	m.users.Add(1)
	go func() {
		defer m.release()
		err := func() (err error) {
			defer recoverTo(s.Log, &err)
			p, err = predict()
			return err
		}()
		if err != nil {
			free()
		}
		select {
		case ended <- err:
		case <-ctx.Done():
			if err == nil {
				free()
			}
		}
	}()
	select {
	case err := <-ended:
		return p, err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// widthOf returns the count of numbers of a row in some outputs.
func widthOf(specs []TensorSpec) (width int) {
	for _, spec := range specs {
		n := 1
		for _, d := range spec.Shape[1:] {
			n *= int(d)
		}
		width += n
	}
	return width
}

// recoverTo logs a panic of a request, and turns it into the request's error. It is deferred.
func recoverTo(log *slog.Logger, err *error) {
	if fault := recover(); fault != nil {
		log.Error("a request failed", "fault", fmt.Sprint(fault), "stack", string(debug.Stack()))
		*err = &Error{failed, "the request failed: the server's log says why"}
	}
}

// requestInfo is one request for a prediction, as logs and metrics see it.
type requestInfo struct {
	protocol, model, id string
	rows                int
}

// recordRequest counts and logs a request.
func (s *Server) recordRequest(c *requestInfo, began time.Time, err error) {
	k := answered
	if err != nil {
		k = reported(err).kind
	}
	status := strconv.Itoa(k.status)
	if c.protocol == "grpc" {
		status = k.code.name
	}
	took := time.Since(began)
	model := c.model
	if _, missing := s.store.find(model); missing != nil {
		model = "" // a name made up by a client is not a label
	}
	s.metrics.requests.WithLabelValues(c.protocol, model, status).Inc()
	s.metrics.requestSeconds.WithLabelValues(c.protocol, model).Observe(took.Seconds())
	level := slog.LevelInfo
	attributes := []any{"protocol", c.protocol, "model", c.model, "status",
		status, "rows", c.rows,
		"milliseconds", float64(took.Microseconds()) / 1e3, "request", c.id}
	if err != nil {
		level = slog.LevelWarn
		attributes = append(attributes, "error", err.Error())
	} else {
		s.metrics.rows.WithLabelValues(model).Add(float64(c.rows))
	}
	s.Log.Log(context.Background(), level, "predict", attributes...)
}
