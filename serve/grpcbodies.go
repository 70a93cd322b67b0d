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

// fewUnread is the number of bytes that any connection may have read.
const fewUnread = 64 << 10

// Read counts the bytes for gRPC.
func (g *guest) Read(to []byte) (int, error) {
	n, err := g.Conn.Read(to)
	if g.at.bodies != nil && n > 0 {
		if most := g.at.read(g, int64(n)); most != nil {
			g.at.large.Inc()
			most.Close()
		}
	}
	return n, err
}

// read counts n bytes that a connection has read, and returns a connection to close, if any.
func (c *conns) read(g *guest, n int64) (most *guest) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known[g.RemoteAddr().String()] != g || !c.counted(g, n) {
		return nil
	}
	for _, other := range c.known {
		if other.unread > fewUnread && (most == nil || other.unread > most.unread) {
			most = other
		}
	}
	return most
}

// counted adds to the bytes that a connection has read. The caller holds the lock.
func (c *conns) counted(g *guest, n int64) (tooMany bool) {
	g.unread += n
	return c.bodies != nil && c.bodies.add(n)
}

// comes records that a connection expects one message more, or has received one; bytes is its size.
// Where none is expected, it forgets the bytes read besides messages.
func (c *conns) comes(remote net.Addr, change int, bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	g := c.known[remote.String()]
	if g == nil {
		return
	}
	g.coming = max(0, g.coming+change)
	if bytes = min(bytes, g.unread); g.coming == 0 {
		bytes = g.unread
	}
	c.counted(g, -bytes)
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

// HandleRPC counts the requests in work, and the bytes of their messages.
func (c *conns) HandleRPC(ctx context.Context, now stats.RPCStats) {
	p, ok := peer.FromContext(ctx)
	m, tagged := ctx.Value(messageKey{}).(*message)
	if !ok || !tagged {
		return
	}
	switch now := now.(type) {
	case *stats.Begin:
		c.work(p.Addr, 1)
		c.comes(p.Addr, 1, 0)
	case *stats.InPayload:
		m.whole, m.bytes = true, int64(now.Length)
		c.bodies.add(m.bytes)
		c.comes(p.Addr, -1, int64(now.WireLength))
	case *stats.End:
		if !m.whole {
			c.comes(p.Addr, -1, 0)
		}
		c.bodies.add(-m.bytes)
		if m.free != nil {
			m.free()
		}
		c.work(p.Addr, -1)
	}
}

// TagConn changes nothing.
func (c *conns) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }

// HandleConn changes nothing.
func (c *conns) HandleConn(context.Context, stats.ConnStats) {}
