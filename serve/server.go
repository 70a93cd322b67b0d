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
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
	"google.golang.org/grpc"

	"github.com/gpdrf/gpdrf-gpu/data"
)

// Server answers requests for the predictions of some models.
type Server struct {
	Config
	store    *store
	metrics  *metrics
	stopping atomic.Bool // no new requests are wanted
	bodies   *bodies
	numbers  *semaphore.Weighted // of predictions in memory
	leave    context.CancelFunc
}

// New makes a server of some models, which Start loads.
func New(c Config, models []Source) *Server {
	s := &Server{Config: c, metrics: newMetrics(), bodies: &bodies{most: bodiesAtOnce * c.MaxBody},
		numbers: semaphore.NewWeighted(mostNumbers)}
	shutdown, leave := context.WithCancel(context.Background())
	l := &loader{c, s.metrics, shutdown}
	s.store = &store{open: l.open, budget: c.Memory, metrics: s.metrics, log: c.Log, loading: make(chan struct{}, 1)}
	s.leave = leave
	for _, m := range models {
		s.store.entries = append(s.store.entries, &entry{name: m.Name, path: m.Path})
	}
	return s
}

// Start loads the models, in their order and as far as the memory for them goes. A model that is
// damaged is an error.
func (s *Server) Start() error {
	return s.store.start()
}

// stopTime is how long requests in work have once the server is to end.
const stopTime = 20 * time.Second

// Serve answers HTTP on one listener and gRPC on the other, which may be nil, until ctx ends. Then
// it takes no new requests, finishes those in work, and returns.
func (s *Server) Serve(ctx context.Context, web, rpc net.Listener) error {
	watched, unwatch := context.WithCancel(ctx)
	defer unwatch()
	go s.store.watch(watched)
	failures := make(chan error, 2)
	h := s.httpServer()
	guests := newConns(web, "http", s.MaxConns, s.metrics)
	h.ConnState = guests.state
	var serving sync.WaitGroup
	serving.Go(func() {
		if s.TLS != nil {
			failures <- h.ServeTLS(guests, "", "")
		} else {
			failures <- h.Serve(guests)
		}
	})
	var g *grpc.Server
	if rpc != nil {
		visitors := newConns(rpc, "grpc", s.MaxConns, s.metrics)
		visitors.bodies = s.bodies
		g = s.grpcServer(visitors)
		serving.Go(func() { failures <- g.Serve(visitors) })
	}
	var err error
	select {
	case <-ctx.Done():
	case err = <-failures:
	}
	s.stop(guests, h, g)
	serving.Wait()
	s.store.close()
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// stop takes no new connections, finishes the requests in work, and leaves those that take too
// long. A client may send its next request before it sees that the server ends: that is answered,
// too, and the answer says that the connection closes.
func (s *Server) stop(guests *conns, h *http.Server, g *grpc.Server) {
	s.stopping.Store(true)
	s.Log.Info("stopping: requests in work are finished")
	guests.Listener.Close()
	ctx, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	var ends sync.WaitGroup
	if g != nil {
		ends.Go(g.GracefulStop)
		defer g.Stop()
	}
	ends.Go(func() {
		guests.empty(s.Linger)
		if h.Shutdown(ctx) != nil {
			h.Close()
		}
	})
	finished := make(chan struct{})
	go func() { ends.Wait(); close(finished) }()
	select {
	case <-finished:
	case <-ctx.Done():
		s.Log.Warn("requests were left in the middle", "after", stopTime)
	}
	s.leave()
}

// ready is the reason that the server wants no requests; nil if it wants them.
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

// infer answers a request in tensors. The request says for each output whether it is raw. The caller frees the
// request once the answer is sent, or, over gRPC, encoded.
func (s *Server) infer(ctx context.Context, m *loaded, q *Request) (outputs []Tensor, binary []bool, err error) {
	asked := q.Outputs
	if len(asked) == 0 || len(asked) == 1 && asked[0].Name == "" {
		raw := len(asked) == 1 && asked[0].Binary
		asked = nil
		for _, spec := range m.usual() {
			asked = append(asked, OutputRequest{Name: spec.Name, Binary: raw})
		}
	}
	rows, err := rowsOf(m.schema(), q.Inputs)
	if err != nil {
		return nil, nil, err
	}
	var wanted []wantedOutput
	var specs []TensorSpec
	for _, out := range asked {
		at := slices.IndexFunc(m.outputs, func(spec TensorSpec) bool { return spec.Name == out.Name })
		if at < 0 {
			return nil, nil, badf("there is no output %s: the model has %s", quote(out.Name), specNames(m.outputs))
		}
		if slices.ContainsFunc(wanted, func(w wantedOutput) bool { return w.Name == out.Name }) {
			return nil, nil, badf("output %s is asked for twice", quote(out.Name))
		}
		w, err := out.Wanted.of(m.outputs[at])
		if err != nil {
			return nil, nil, err
		}
		wanted, binary, specs = append(wanted, w), append(binary, out.Binary), append(specs, w.TensorSpec)
	}
	p, held, err := s.predict(ctx, m, rows, specs)
	if err != nil {
		return nil, nil, err
	}
	q.Warnings, q.room = p.warnings, held
	for _, w := range wanted {
		t, err := p.output(ctx, w)
		if err != nil {
			return nil, nil, err
		}
		outputs = append(outputs, t)
	}
	held.made()
	return outputs, binary, nil
}

// room is the memory that a request has, in numbers: of its prediction and its answer, and of the answer alone.
type room struct {
	of           *semaphore.Weighted
	held, answer int64
}

// made gives back what only the prediction takes: the answer is made. A client that reads slowly holds no more.
func (r *room) made() {
	r.of.Release(r.held - r.answer)
	r.held = r.answer
}

// free gives the rest back. A nil room has none.
func (r *room) free() {
	if r != nil {
		r.of.Release(r.held)
		r.held = 0
	}
}

// predict predicts rows for an answer of these outputs. The caller frees the room once it needs neither the
// prediction nor the answer: all of them together take bounded memory, and others wait for theirs.
func (s *Server) predict(ctx context.Context, m *loaded, given data.Given, answer []TensorSpec) (
	p *prediction, held *room, err error) {
	if given.N > s.MaxRows {
		return nil, nil, &Error{tooLarge, "too many rows: send fewer at a time"}
	}
	if given.N*numbersOf(answer) > mostAnswer {
		return nil, nil, &Error{tooLarge, fmt.Sprintf("the answer would hold more than %d numbers: send fewer rows, "+
			"or ask for other outputs", mostAnswer)}
	}
	sent := int64(given.N) * int64(numbersOf(answer))
	numbers := min(mostNumbers, int64(given.N)*m.numbers+sent)
	if err := s.numbers.Acquire(ctx, numbers); err != nil {
		return nil, nil, context.Cause(ctx)
	}
	p, err = m.predict(ctx, given)
	if err != nil {
		s.numbers.Release(numbers)
		return nil, nil, err
	}
	return p, &room{s.numbers, numbers, min(numbers, sent)}, nil
}

// numbersOf is how many numbers a row has in some outputs.
func numbersOf(specs []TensorSpec) (numbers int) {
	for _, spec := range specs {
		width := 1
		for _, d := range spec.Shape[1:] {
			width *= int(d)
		}
		numbers += width
	}
	return numbers
}

// survive is deferred: a fault in a request is its error, and not the server's end.
func (s *Server) survive(err *error) {
	if fault := recover(); fault != nil {
		s.Log.Error("a request failed", "fault", fmt.Sprint(fault), "stack", string(debug.Stack()))
		*err = &Error{failed, "the request failed: the server's log says why"}
	}
}

// call is one request for a prediction, as logs and metrics see it.
type call struct {
	protocol, model, id string
	rows                int
}

// answered counts and logs a request.
func (s *Server) answered(c *call, status string, began time.Time, err error) {
	took := time.Since(began)
	model := c.model
	if _, missing := s.store.find(model); missing != nil {
		model = "" // a name made up by a client is no label
	}
	s.metrics.requests.WithLabelValues(c.protocol, model, status).Inc()
	s.metrics.requestSeconds.WithLabelValues(c.protocol, model).Observe(took.Seconds())
	level, attributes := slog.LevelInfo, []any{"protocol", c.protocol, "model", c.model, "status",
		status, "rows", c.rows,
		"milliseconds", float64(took.Microseconds()) / 1e3, "request", c.id}
	if err != nil {
		level, attributes = slog.LevelWarn, append(attributes, "error", err.Error())
	} else {
		s.metrics.rows.WithLabelValues(model).Add(float64(c.rows))
	}
	s.Log.Log(context.Background(), level, "predict", attributes...)
}
