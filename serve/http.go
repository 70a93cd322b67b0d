package serve

import (
	"context"
	_ "embed"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"
)

//go:embed openapi.json
var openAPI []byte

// streamsAtOnce is the most requests in progress of a connection of HTTP/2.
const streamsAtOnce = 128

// httpServer returns an HTTP server with limits on time and size.
func (s *Server) httpServer(h http.Handler) *http.Server {
	return &http.Server{
		Handler: h, TLSConfig: s.TLS.Clone(), HTTP2: &http.HTTP2Config{MaxConcurrentStreams: streamsAtOnce},
		MaxHeaderBytes: headerBytes, ReadHeaderTimeout: headerTimeout,
		ReadTimeout: s.Timeout, WriteTimeout: 2*s.Timeout + headerTimeout, IdleTimeout: idleTimeout,
		ErrorLog: slog.NewLogLogger(s.Log.Handler(), slog.LevelDebug),
	}
}

// routes returns the handlers by method and path; {call} is MODEL:predict. Health checks need no token.
func (s *Server) routes() map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{
		"GET /v2/health/live":                              s.public(s.getLive),
		"GET /v2/health/ready":                             s.public(s.getReady),
		"GET /v2":                                          s.authorized(s.getServer),
		"GET /v2/models/{model}":                           s.authorized(s.getModel),
		"GET /v2/models/{model}/versions/{version}":        s.authorized(s.getModel),
		"GET /v2/models/{model}/ready":                     s.authorized(s.getModelReady),
		"GET /v2/models/{model}/versions/{version}/ready":  s.authorized(s.getModelReady),
		"POST /v2/models/{model}/infer":                    s.authorized(s.postInfer),
		"POST /v2/models/{model}/versions/{version}/infer": s.authorized(s.postInfer),
		"POST /v2/repository/index":                        s.authorized(s.postIndex),
		"POST /v2/repository/models/{model}/load":          s.authorized(s.postLoad),
		"POST /v2/repository/models/{model}/unload":        s.authorized(s.postUnload),
		"GET /v1/models":                                   s.authorized(s.getModels),
		"GET /v1/models/{model}":                           s.authorized(s.getModelOne),
		"POST /v1/models/{call}":                           s.authorized(s.postRows),
		"GET /metrics":                                     s.authorized(s.getMetrics),
		"GET /openapi.json":                                s.authorized(s.getOpenAPI),
	}
}

// Handler returns the handler of all HTTP requests.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	for pattern, h := range s.routes() {
		mux.Handle(pattern, h)
	}
	mux.HandleFunc("/", s.public(func(w http.ResponseWriter, r *http.Request) error {
		var allowed []string
		for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost} {
			other := *r
			other.Method = method
			if _, pattern := mux.Handler(&other); pattern != "/" && !isOtherCall(r.URL.Path, method) {
				allowed = append(allowed, method)
			}
		}
		if allowed != nil {
			return notAllowed(w, r, allowed...)
		}
		return &Error{unknown, "there is nothing at " + quote(r.Method+" "+r.URL.Path) +
			": GET /openapi.json lists what there is"}
	}))
	return s.cors(mux)
}

// isOtherCall reports that a method is not for this path of /v1/models, whose two patterns are alike: MODEL:predict has
// POST, and MODEL has none.
func isOtherCall(path, method string) bool {
	return strings.HasPrefix(path, "/v1/models/") && strings.HasSuffix(path, predictCall) != (method == http.MethodPost)
}

// notAllowed sets the header Allow and returns the error for a method that a path does not have.
func notAllowed(w http.ResponseWriter, r *http.Request, allowed ...string) error {
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	return &Error{wrongMethod, "there is no " + quote(r.Method+" "+r.URL.Path) + ": use " + allowed[0]}
}

func (s *Server) getLive(w http.ResponseWriter, _ *http.Request) error {
	return writeJSON(w, http.StatusOK, map[string]bool{"live": true})
}

func (s *Server) getReady(w http.ResponseWriter, _ *http.Request) error {
	if err := s.ready(); err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, map[string]bool{"ready": true})
}

// serverMetadata is the protocol's description of a server.
type serverMetadata struct {
	Name       string   `json:"name"`
	Version    string   `json:"version"`
	Extensions []string `json:"extensions"`
}

func (s *Server) metadata() serverMetadata {
	return serverMetadata{"gpdrf-gpu", s.Version, []string{"binary_tensor_data", "model_repository"}}
}

func (s *Server) getServer(w http.ResponseWriter, _ *http.Request) error {
	return writeJSON(w, http.StatusOK, s.metadata())
}

// modelMetadata is the protocol's description of a model, and the columns of its rows.
type modelMetadata struct {
	Name     string       `json:"name"`
	Versions []string     `json:"versions"`
	Platform string       `json:"platform"`
	Inputs   []TensorSpec `json:"inputs"`
	Outputs  []TensorSpec `json:"outputs"`
	Columns  []string     `json:"columns"`           // columns of a row, in the order of a list of cells
	Numbers  []string     `json:"numbers,omitempty"` // columns that "inputs" holds
	Targets  []string     `json:"targets"`
	Classes  []string     `json:"classes,omitempty"` // classes in the order of probabilities
}

const platform = "gpdrf-gpu"

// describe returns the metadata of a model, which it loads if needed.
func (s *Server) describe(ctx context.Context, name, asked string) (*modelMetadata, error) {
	if err := checkVersion(asked); err != nil {
		return nil, err
	}
	m, err := s.store.acquire(ctx, name)
	if err != nil {
		return nil, err
	}
	defer m.release()
	schema := m.schema()
	return &modelMetadata{Name: name, Versions: []string{version}, Platform: platform, Inputs: m.inputs,
		Outputs: m.outputs, Columns: schema.InputColumns(), Numbers: schema.RequestNumbers(),
		Targets: schema.Outputs(), Classes: schema.Classes}, nil
}

func (s *Server) getModel(w http.ResponseWriter, r *http.Request) error {
	ctx, cancel := context.WithTimeout(r.Context(), s.Timeout)
	defer cancel()
	d, err := s.describe(ctx, r.PathValue("model"), r.PathValue("version"))
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, d)
}

// modelReady returns the reason that a model cannot answer, and nil if it can.
func (s *Server) modelReady(name, asked string) error {
	if err := checkVersion(asked); err != nil {
		return err
	}
	if err := s.ready(); err != nil {
		return err
	}
	return s.store.ready(name)
}

func (s *Server) getModelReady(w http.ResponseWriter, r *http.Request) error {
	if err := s.modelReady(r.PathValue("model"), r.PathValue("version")); err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, map[string]any{"name": r.PathValue("model"), "ready": true})
}

func (s *Server) getModels(w http.ResponseWriter, _ *http.Request) error {
	var names []string
	for _, e := range s.store.entries {
		names = append(names, e.name)
	}
	return writeJSON(w, http.StatusOK, map[string][]string{"models": names})
}

func (s *Server) getModelOne(w http.ResponseWriter, r *http.Request) error {
	if _, isPredict := strings.CutSuffix(r.PathValue("model"), predictCall); isPredict {
		return notAllowed(w, r, http.MethodPost)
	}
	return s.getModelReady(w, r)
}

// predictCall follows the name of a model in the path of rows as JSON.
const predictCall = ":predict"

func (s *Server) getMetrics(w http.ResponseWriter, r *http.Request) error {
	s.metrics.handler.ServeHTTP(w, r)
	return nil
}

func (s *Server) getOpenAPI(w http.ResponseWriter, _ *http.Request) error {
	return writeBody(w, http.StatusOK, "application/json", openAPI)
}

// jsonSizeHeader gives the number of bytes of a body that are JSON, where raw tensors follow.
const jsonSizeHeader = "Inference-Header-Content-Length"

func (s *Server) postInfer(w http.ResponseWriter, r *http.Request) error {
	return s.answer(w, r, r.PathValue("model"), func(ctx context.Context, m *loadedModel, c *requestInfo,
		body []byte) error {
		if err := checkVersion(r.PathValue("version")); err != nil {
			return err
		}
		jsonSize := len(body)
		if header := r.Header.Get(jsonSizeHeader); header != "" {
			n, err := strconv.Atoi(header)
			if err != nil || n < 0 || n > len(body) {
				return invalidf("%s: %s is not a part of the %d bytes of the body", jsonSizeHeader,
					quote(header), len(body))
			}
			jsonSize = n
		}
		q, err := parseRequest(body, jsonSize, s.maxElements(m))
		if err != nil {
			return err
		}
		defer q.free()
		outputs, binary, err := s.infer(ctx, c, m, q)
		if err != nil {
			return err
		}
		answer, jsonSize, raw, err := writeAnswer(c.model, q, outputs, binary)
		if err != nil {
			return err
		}
		if !raw {
			return writeBody(w, http.StatusOK, "application/json", answer)
		}
		w.Header().Set(jsonSizeHeader, strconv.Itoa(jsonSize))
		return writeBody(w, http.StatusOK, "application/octet-stream", answer)
	})
}

// maxElements returns the most elements that a tensor of a model may have.
func (s *Server) maxElements(m *loadedModel) int { return s.MaxRows * max(1, len(m.schema().Columns)) }

func (s *Server) postRows(w http.ResponseWriter, r *http.Request) error {
	name, isPredict := strings.CutSuffix(r.PathValue("call"), predictCall)
	switch {
	case isPredict:
	case strings.Contains(name, ":"):
		return &Error{unknown, "there is nothing at " + quote("POST "+r.URL.Path) + ": POST /v1/models/MODEL:predict"}
	default:
		return notAllowed(w, r, http.MethodGet, http.MethodHead)
	}
	return s.answer(w, r, name, func(ctx context.Context, m *loadedModel, c *requestInfo, body []byte) error {
		rows, err := parseRows(m.schema(), body, s.MaxRows)
		if err != nil {
			return err
		}
		c.rows = rows.N
		p, reserved, err := s.predict(ctx, m, rows, m.defaultOutputs())
		if err != nil {
			return err
		}
		defer reserved.free()
		answer, err := p.writeRows()
		if err != nil {
			return err
		}
		reserved.keepAnswer()
		return writeBody(w, http.StatusOK, "application/json", answer)
	})
}

// answer reads the body of a request for a prediction, acquires its model and calls respond. It logs and counts the
// request.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, model string,
	respond func(ctx context.Context, m *loadedModel, c *requestInfo, body []byte) error) (err error) {
	c := &requestInfo{protocol: "http", model: model, id: r.Header.Get(requestHeader)}
	began := time.Now()
	defer func() { s.recordRequest(c, began, err) }()
	defer recoverTo(s.Log, &err)
	body, done, err := s.body(w, r)
	if err != nil {
		return err
	}
	defer done()
	ctx, cancel := context.WithTimeout(r.Context(), s.Timeout)
	defer cancel()
	m, err := s.store.acquire(ctx, model)
	if err != nil {
		return err
	}
	defer m.release()
	return respond(ctx, m, c, body)
}
