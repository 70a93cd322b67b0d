package serve

import (
	"cmp"
	"container/list"
	"net"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// limitedListener is a listener that limits its open connections. At the limit, a new connection takes the place of the
// oldest one that never sent a request, or else of the one that has been idle longest; where all are busy, it is closed
// at once. So clients that hold connections without a request cannot keep others out. A connection that never sent a
// request keeps its place for patience, in which its request may come; others wait to be accepted.
type limitedListener struct {
	net.Listener
	max     int
	open    prometheus.Gauge
	evicted prometheus.Counter
	refused prometheus.Counter

	mu    sync.Mutex
	known int       // number of open connections
	fresh list.List // each *trackedConn that never sent a request, the oldest first
	idle  list.List // each *trackedConn between two requests, the longest idle first
}

// patience is how long a new connection keeps its place at least.
const patience = 20 * time.Millisecond

type trackedConn struct {
	net.Conn
	since  time.Time
	conns  *limitedListener
	list   *list.List    // fresh, and then idle
	place  *list.Element // place in the list; nil while busy or closed
	closed bool
}

func newLimitedListener(l net.Listener, protocol string, maxConns int, m *metrics) *limitedListener {
	return &limitedListener{Listener: l, max: maxConns,
		open: m.connections.WithLabelValues(protocol), evicted: m.refused.WithLabelValues(protocol, "idle"),
		refused: m.refused.WithLabelValues(protocol, "new")}
}

// Accept waits for a connection and admits it; at the limit it closes another one, or the new one.
func (l *limitedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		t := &trackedConn{Conn: conn, since: time.Now(), conns: l}
		evicted, early, ok := l.admit(t)
		for early > 0 {
			time.Sleep(early)
			evicted, early, ok = l.admit(t)
		}
		if evicted != nil {
			l.evicted.Inc()
			evicted.Close()
		}
		if ok {
			return t, nil
		}
		l.refused.Inc()
		conn.Close()
	}
}

// admit tracks a new connection. At the limit it returns the connection to close in its place, or the time until one
// may be closed.
func (l *limitedListener) admit(t *trackedConn) (evicted *trackedConn, early time.Duration, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known >= l.max {
		evicted = cmp.Or(firstSilent(&l.fresh), firstSilent(&l.idle))
		if evicted == nil {
			return nil, 0, false
		}
		if early = patience - time.Since(evicted.since); early > 0 && evicted.list == &l.fresh {
			return nil, early, false
		}
		l.forget(evicted)
	}
	l.known++
	l.enqueue(t, &l.fresh)
	l.open.Set(float64(l.known))
	return evicted, 0, true
}

// firstSilent returns the first connection of a list without unread bytes, which may be a request that the server has
// not read yet.
func firstSilent(in *list.List) *trackedConn {
	for e := in.Front(); e != nil; e = e.Next() {
		if t := e.Value.(*trackedConn); !hasSent(t.Conn) {
			return t
		}
	}
	return nil
}

// forget stops tracking a connection. The caller holds the lock.
func (l *limitedListener) forget(t *trackedConn) {
	if !t.closed {
		t.closed = true
		l.known--
		l.dequeue(t)
		l.open.Set(float64(l.known))
	}
}

// waitEmpty waits until all connections are closed, or until the timeout.
func (l *limitedListener) waitEmpty(timeout time.Duration) {
	for end := time.Now().Add(timeout); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		l.mu.Lock()
		open := l.known
		l.mu.Unlock()
		if open == 0 {
			return
		}
	}
}

// setBusy records that a connection has begun a request, or has none in progress.
func (l *limitedListener) setBusy(t *trackedConn, busy bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dequeue(t)
	if !busy && !t.closed {
		l.enqueue(t, &l.idle)
	}
}

// enqueue puts a connection at the end of a list. The caller holds the lock.
func (l *limitedListener) enqueue(t *trackedConn, in *list.List) {
	t.list, t.place = in, in.PushBack(t)
}

// dequeue takes a connection out of its list. The caller holds the lock.
func (l *limitedListener) dequeue(t *trackedConn) {
	if t.place != nil {
		t.list.Remove(t.place)
		t.place = nil
	}
}

// Close closes the connection and stops tracking it.
func (t *trackedConn) Close() error {
	t.conns.mu.Lock()
	t.conns.forget(t)
	t.conns.mu.Unlock()
	return t.Conn.Close()
}
