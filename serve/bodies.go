package serve

import (
	"io"
	"net/http"

	"golang.org/x/sync/semaphore"
)

// errTooManyBytes answers a request for which there is no memory.
var errTooManyBytes = &Error{busy, "too many large requests at a time: try again in a second"}

// body reads the body of a request. It fails with status 503 if all bodies, over HTTP and gRPC together, take too much
// memory. The caller calls done when the body is no longer needed.
func (s *Server) body(w http.ResponseWriter, r *http.Request) (body []byte, done func(), err error) {
	if encoding := r.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return nil, nil, &Error{wrongFormat, "Content-Encoding " + quote(encoding) + ": send the body as it is"}
	}
	if r.ContentLength > s.MaxBody {
		return nil, nil, &http.MaxBytesError{Limit: s.MaxBody}
	}
	from := &meteredReader{http.MaxBytesReader(w, r.Body, s.MaxBody), s.bodies, 0}
	body, err = io.ReadAll(from)
	done = func() { from.bodies.Release(from.read) }
	if err != nil {
		done()
		if _, own := err.(*Error); !own && reported(err).kind == failed {
			err = invalidf("the body ends early: %v", err)
		}
		return nil, nil, err
	}
	return body, done, nil
}

// meteredReader takes the memory of a body from that of all.
type meteredReader struct {
	io.Reader
	bodies *semaphore.Weighted
	read   int64
}

func (m *meteredReader) Read(to []byte) (int, error) {
	n, err := m.Reader.Read(to)
	if !m.bodies.TryAcquire(int64(n)) {
		return n, errTooManyBytes
	}
	m.read += int64(n)
	return n, err
}
