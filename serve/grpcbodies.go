package serve

import (
	"context"
	"net"

	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/stats"
)

// A message of gRPC cannot be left while it comes, and its size is unknown until then. So each
// connection counts the bytes it has read of incomplete messages. Where all bodies
// together take too much memory, the connection with the most of it is closed. A message that has
// come whole counts until its request is answered.

// allowedUnread is the number of unread bytes with which a connection is never closed.
const allowedUnread = 64 << 10

// Read reads from the connection. For gRPC it counts the bytes, and may close the largest connection.
func (t *trackedConn) Read(to []byte) (int, error) {
	n, err := t.Conn.Read(to)
	if t.conns.bodies != nil && n > 0 {
		if largest := t.conns.countRead(t, int64(n)); largest != nil {
			t.conns.large.Inc()
			largest.Close()
		}
	}
	return n, err
}

// countRead counts n bytes that a connection has read, and returns the connection to close, if any.
func (c *conns) countRead(t *trackedConn, n int64) (largest *trackedConn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known[t.RemoteAddr().String()] != t || !c.addUnread(t, n) {
		return nil
	}
	for _, other := range c.known {
		if other.unread > allowedUnread && (largest == nil || other.unread > largest.unread) {
			largest = other
		}
	}
	return largest
}

// addUnread adds n to the unread bytes of a connection, and reports whether all bodies together exceed
// the limit. The caller holds the lock.
func (c *conns) addUnread(t *trackedConn, n int64) (tooMany bool) {
	t.unread += n
	return c.bodies != nil && c.bodies.add(n)
}

// countMessage records that a connection expects one message more (1) or less (−1); bytes came for it.
// Where none is expected, it forgets the bytes read besides messages.
func (c *conns) countMessage(remote net.Addr, change int, bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.known[remote.String()]
	if t == nil {
		return
	}
	t.coming = max(0, t.coming+change)
	if bytes = min(bytes, t.unread); t.coming == 0 {
		bytes = t.unread
	}
	c.addUnread(t, -bytes)
}

// message is the state of a request; messageKey has it in the context.
type message struct {
	whole bool
	bytes int64
	free  func() // gives the memory of the answer back, which gRPC has encoded when the request ends; nil without one
}

type messageKey struct{}

// TagRPC gives a request its message.
func (c *conns) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context {
	return context.WithValue(ctx, messageKey{}, &message{})
}

// HandleRPC counts the requests in progress, and the bytes of their messages.
func (c *conns) HandleRPC(ctx context.Context, now stats.RPCStats) {
	p, ok := peer.FromContext(ctx)
	m, tagged := ctx.Value(messageKey{}).(*message)
	if !ok || !tagged {
		return
	}
	switch now := now.(type) {
	case *stats.Begin:
		c.countRequest(p.Addr, 1)
		c.countMessage(p.Addr, 1, 0)
	case *stats.InPayload:
		m.whole, m.bytes = true, int64(now.Length)
		c.bodies.add(m.bytes)
		c.countMessage(p.Addr, -1, int64(now.WireLength))
	case *stats.End:
		if !m.whole {
			c.countMessage(p.Addr, -1, 0)
		}
		c.bodies.add(-m.bytes)
		if m.free != nil {
			m.free()
		}
		c.countRequest(p.Addr, -1)
	}
}

// TagConn changes nothing.
func (c *conns) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }

// HandleConn changes nothing.
func (c *conns) HandleConn(context.Context, stats.ConnStats) {}
