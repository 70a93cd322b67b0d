package serve

import (
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// requestHeader carries the ID of a request, from the client or given here, to the log and back. traceHeader carries
// the ID of a trace between two hyphens.
const (
	requestHeader = "X-Request-Id"
	traceHeader   = "Traceparent"
)

// requestID returns the client's request ID, or the ID of its trace, if it is short and plain; otherwise a new one.
func requestID(given, traceparent string) string {
	const longest, plain = 64, "-_.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	if trace := strings.Split(traceparent, "-"); given == "" && len(trace) == 4 {
		given = trace[1]
	}
	if given != "" && len(given) <= longest && strings.Trim(given, plain) == "" {
		return given
	}
	return rand.Text()[:16]
}

// handler answers a request, or returns the error to answer with.
type handler = func(w http.ResponseWriter, r *http.Request) error

// requireToken refuses requests without a token.
func (s *Server) requireToken(h handler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if !s.Tokens.allow(r.Header.Get("Authorization")) {
			w.Header().Set("WWW-Authenticate", "Bearer")
			return &Error{denied, "a token is needed: send the header Authorization: Bearer TOKEN"}
		}
		return h(w, r)
	}
}

// authorized wraps a handler of HTTP that needs a token.
func (s *Server) authorized(h handler) http.HandlerFunc { return s.public(s.requireToken(h)) }

// public wraps a handler of HTTP that needs none.
func (s *Server) public(h handler) http.HandlerFunc { return s.withErrors(h, writeError) }

// withErrors wraps a handler: it gives each request an ID, and turns errors and panics into answers of fail.
func (s *Server) withErrors(h handler, fail func(w http.ResponseWriter, err error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		id := requestID(r.Header.Get(requestHeader), r.Header.Get(traceHeader))
		r.Header.Set(requestHeader, id)
		w.Header().Set(requestHeader, id)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if s.stopping.Load() {
			w.Header().Set("Connection", "close")
		}
		err := func() (err error) {
			defer recoverTo(s.Log, &err)
			return h(w, r)
		}()
		if err != nil {
			drain(w, r)
			fail(w, err)
		}
	}
}

// drain reads a body to its end, for a second at most. A client that sends all before it reads would see a reset
// connection in place of the error. One that waits for 100 Continue sends nothing, and HTTP/2 needs no end.
func drain(w http.ResponseWriter, r *http.Request) {
	const longest = time.Second
	if r.ProtoMajor > 1 || r.Header.Get("Expect") != "" ||
		http.NewResponseController(w).SetReadDeadline(time.Now().Add(longest)) != nil {
		return
	}
	io.Copy(io.Discard, r.Body)
}

// writeError answers {"error": "…"}, as the protocol has it.
func writeError(w http.ResponseWriter, err error) {
	e := reported(err)
	if e.kind == busy || e.kind == unavailable {
		w.Header().Set("Retry-After", "1")
	}
	writeJSON(w, e.kind.status, map[string]string{"error": e.msg})
}

func writeJSON(w http.ResponseWriter, status int, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return writeBody(w, status, "application/json", append(text, '\n'))
}

func writeBody(w http.ResponseWriter, status int, contentType string, body []byte) error {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	w.Write(body) // a client that has left gets nothing
	return nil
}

// cors wraps a handler so that the pages of an origin may read answers. Browsers send a preflight request first,
// without a token: it answers these.
func (s *Server) cors(next http.Handler) http.Handler {
	if s.Origin == "" {
		return next
	}
	asked := strings.Join([]string{"Authorization", "Content-Type", jsonSizeHeader, requestHeader, traceHeader}, ", ")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		origin := r.Header.Get("Origin")
		header.Add("Vary", "Origin")
		if origin == "" || s.Origin != AnyOrigin && s.Origin != origin {
			next.ServeHTTP(w, r)
			return
		}
		header.Set("Access-Control-Allow-Origin", s.Origin)
		header.Set("Access-Control-Expose-Headers", jsonSizeHeader+", "+requestHeader+", Retry-After")
		if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
			next.ServeHTTP(w, r)
			return
		}
		header.Set("Access-Control-Allow-Methods", "GET, POST")
		header.Set("Access-Control-Allow-Headers", asked)
		header.Set("Access-Control-Max-Age", "3600")
		w.WriteHeader(http.StatusNoContent)
	})
}
