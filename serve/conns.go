package serve

import (
	"cmp"
	"container/list"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// conns is a listener with a bound on its open connections. Beyond it, a new connection takes the
// place of the oldest one that never sent a request, or else of the one that has been idle longest;
// where all are busy, it is closed at once. So clients that hold connections without a request
// cannot keep others out. A connection that never sent a request keeps its place for patience, in
// which its request may come; others wait to be accepted.
type conns struct {
	net.Listener
	most    int
	open    prometheus.Gauge
	evicted prometheus.Counter
	refused prometheus.Counter
	large   prometheus.Counter

	bodies   *bodies // of gRPC, see grpcbodies.go; nil of HTTP
	accepted atomic.Int64

	mu    sync.Mutex
	known map[string]*guest // by remote address
	fresh list.List         // of *guest: those that never sent a request, the oldest first
	idle  list.List         // of *guest: those between two requests, the longest idle first
	busy  int               // requests in work
}

// patience is how long a new connection keeps its place at least.
const patience = 20 * time.Millisecond

// guest is an open connection.
type guest struct {
	net.Conn
	since  time.Time
	remote net.Addr
	at     *conns
	busy   int           // requests in work
	coming int           // those of them whose message has not come whole, of gRPC
	unread int64         // bytes that have come for these
	list   *list.List    // fresh, and then idle
	place  *list.Element // in the list; nil while busy or closed
	once   sync.Once
}

func newConns(l net.Listener, protocol string, most int, m *metrics) *conns {
	return &conns{Listener: l, most: most, known: map[string]*guest{}, open: m.connections.WithLabelValues(protocol),
		evicted: m.refused.WithLabelValues(protocol, "idle"), refused: m.refused.WithLabelValues(protocol, "new"),
		large: m.refused.WithLabelValues(protocol, "large")}
}

// Accept waits for a connection for which there is room.
func (c *conns) Accept() (net.Conn, error) {
	for {
		conn, err := c.Listener.Accept()
		if err != nil {
			return nil, err
		}
		g := &guest{Conn: conn, since: time.Now(), remote: conn.RemoteAddr(), at: c}
		if g.remote.Network() == "unix" {
			g.remote = &net.UnixAddr{Net: "unix", Name: fmt.Sprintf("client %d", c.accepted.Add(1))}
		}
		evicted, early, ok := c.admit(g)
		for early > 0 {
			time.Sleep(early)
			evicted, early, ok = c.admit(g)
		}
		if evicted != nil {
			c.evicted.Inc()
			evicted.Close()
		}
		if ok {
			return g, nil
		}
		c.refused.Inc()
		conn.Close()
	}
}

// admit takes a connection in, and returns one to close for it, or the time until one may be
// closed.
func (c *conns) admit(g *guest) (evicted *guest, early time.Duration, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.known) >= c.most {
		evicted = cmp.Or(silent(&c.fresh), silent(&c.idle))
		if evicted == nil {
			return nil, 0, false
		}
		if early = patience - time.Since(evicted.since); early > 0 && evicted.list == &c.fresh {
			return nil, early, false
		}
		c.forget(evicted)
	}
	c.known[g.RemoteAddr().String()] = g
	c.wait(g, &c.fresh)
	c.open.Set(float64(len(c.known)))
	return evicted, 0, true
}

// silent is the first connection of a list whose client has sent nothing that waits to be read: a
// request may be there before the server has had time for it.
func silent(in *list.List) *guest {
	for e := in.Front(); e != nil; e = e.Next() {
		if g := e.Value.(*guest); !hasSent(g.Conn) {
			return g
		}
	}
	return nil
}

// forget takes a connection out of the lists.
func (c *conns) forget(g *guest) {
	if name := g.RemoteAddr().String(); c.known[name] == g {
		delete(c.known, name)
	}
	c.leave(g)
	c.busy -= g.busy
	g.busy = 0
	c.counted(g, -g.unread)
	c.open.Set(float64(len(c.known)))
}

// empty waits until all connections are closed, at most so long.
func (c *conns) empty(most time.Duration) {
	for end := time.Now().Add(most); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		c.mu.Lock()
		open := len(c.known)
		c.mu.Unlock()
		if open == 0 {
			return
		}
	}
}

// calls is how many requests are in work.
func (c *conns) calls() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.busy
}

// work says that a connection has begun (1) or ended (−1) a request.
func (c *conns) work(remote net.Addr, change int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	g := c.known[remote.String()]
	if g == nil {
		return
	}
	before := g.busy
	g.busy = max(0, g.busy+change)
	c.busy += g.busy - before
	c.leave(g)
	if g.busy == 0 {
		c.wait(g, &c.idle)
	}
}

// wait puts a connection at the end of a list.
func (c *conns) wait(g *guest, in *list.List) { g.list, g.place = in, in.PushBack(g) }

// leave takes a connection out of its list.
func (c *conns) leave(g *guest) {
	if g.place != nil {
		g.list.Remove(g.place)
		g.place = nil
	}
}

// RemoteAddr tells connections apart, also those of a Unix socket, whose clients have no addresses.
func (g *guest) RemoteAddr() net.Addr { return g.remote }

// Close closes the connection and gives its place free.
func (g *guest) Close() error {
	g.once.Do(func() {
		g.at.mu.Lock()
		defer g.at.mu.Unlock()
		g.at.forget(g)
	})
	return g.Conn.Close()
}
