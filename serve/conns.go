package serve

import (
	"cmp"
	"container/list"
	"net"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// conns is a listener that limits its open connections. At the limit, a new connection takes the place of the oldest
// one that never sent a request, or else of the one that has been idle longest; where all are busy, it is closed at
// once. So clients that hold connections without a request cannot keep others out. A connection that never sent a
// request keeps its place for patience, in which its request may come; others wait to be accepted.
type conns struct {
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
	conns  *conns
	list   *list.List    // fresh, and then idle
	place  *list.Element // place in the list; nil while busy or closed
	closed bool
}

func newConns(l net.Listener, protocol string, maxConns int, m *metrics) *conns {
	return &conns{Listener: l, max: maxConns,
		open: m.connections.WithLabelValues(protocol), evicted: m.refused.WithLabelValues(protocol, "idle"),
		refused: m.refused.WithLabelValues(protocol, "new")}
}

// Accept waits for a connection and admits it; at the limit it closes another one, or the new one.
func (c *conns) Accept() (net.Conn, error) {
	for {
		conn, err := c.Listener.Accept()
		if err != nil {
			return nil, err
		}
		t := &trackedConn{Conn: conn, since: time.Now(), conns: c}
		evicted, early, ok := c.admit(t)
		for early > 0 {
			time.Sleep(early)
			evicted, early, ok = c.admit(t)
		}
		if evicted != nil {
			c.evicted.Inc()
			evicted.Close()
		}
		if ok {
			return t, nil
		}
		c.refused.Inc()
		conn.Close()
	}
}

// admit tracks a new connection. At the limit it returns the connection to close in its place, or the time until one
// may be closed.
func (c *conns) admit(t *trackedConn) (evicted *trackedConn, early time.Duration, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known >= c.max {
		evicted = cmp.Or(firstSilent(&c.fresh), firstSilent(&c.idle))
		if evicted == nil {
			return nil, 0, false
		}
		if early = patience - time.Since(evicted.since); early > 0 && evicted.list == &c.fresh {
			return nil, early, false
		}
		c.forget(evicted)
	}
	c.known++
	c.enqueue(t, &c.fresh)
	c.open.Set(float64(c.known))
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
func (c *conns) forget(t *trackedConn) {
	if !t.closed {
		t.closed = true
		c.known--
		c.dequeue(t)
		c.open.Set(float64(c.known))
	}
}

// waitEmpty waits until all connections are closed, or until the timeout.
func (c *conns) waitEmpty(timeout time.Duration) {
	for end := time.Now().Add(timeout); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		c.mu.Lock()
		open := c.known
		c.mu.Unlock()
		if open == 0 {
			return
		}
	}
}

// setBusy records that a connection has begun a request, or has none in progress.
func (c *conns) setBusy(t *trackedConn, busy bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dequeue(t)
	if !busy && !t.closed {
		c.enqueue(t, &c.idle)
	}
}

// enqueue puts a connection at the end of a list. The caller holds the lock.
func (c *conns) enqueue(t *trackedConn, in *list.List) { t.list, t.place = in, in.PushBack(t) }

// dequeue takes a connection out of its list. The caller holds the lock.
func (c *conns) dequeue(t *trackedConn) {
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
