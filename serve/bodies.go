package serve

import (
	"io"
	"net/http"
	"sync/atomic"
)

// bodies counts the bytes of requests in memory, over HTTP and gRPC together, which are bounded.
type bodies struct {
	max      int64
	inMemory atomic.Int64
}

// add counts n more bytes, or fewer if n is negative, and reports whether the sum exceeds the limit.
func (b *bodies) add(n int64) (tooMany bool) { return b.inMemory.Add(n) > b.max }

// errTooManyBytes answers a request for which there is no memory.
var errTooManyBytes = &Error{busy, "too many large requests at a time: try again in a second"}

// body reads the body of a request. It fails with status 503 if all bodies take too much memory. The caller calls done
// when the body is no longer needed.
func (s *Server) body(w http.ResponseWriter, r *http.Request) (body []byte, done func(), err error) {
	if encoding := r.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return nil, nil, &Error{wrongFormat, "Content-Encoding " + quote(encoding) + ": send the body as it is"}
	}
	if r.ContentLength > s.MaxBody {
		return nil, nil, &http.MaxBytesError{Limit: s.MaxBody}
	}
	from := &metered{http.MaxBytesReader(w, r.Body, s.MaxBody), s.bodies, 0}
	body, err = io.ReadAll(from)
	done = func() { from.bodies.add(-from.read) }
	if err != nil {
		done()
		if _, own := err.(*Error); !own && reported(err).kind == failed {
			err = badf("the body ends early: %v", err)
		}
		return nil, nil, err
	}
	return body, done, nil
}

// metered counts the bytes of a body among those of all.
type metered struct {
	io.Reader
	bodies *bodies
	read   int64
}

func (m *metered) Read(to []byte) (int, error) {
	n, err := m.Reader.Read(to)
	m.read += int64(n)
	if m.bodies.add(int64(n)) {
		return n, errTooManyBytes
	}
	return n, err
}
