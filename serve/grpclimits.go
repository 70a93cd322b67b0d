package serve

import (
	"context"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/tap"
)

// What gRPC has in work at most: requests of a connection, and of all.
const (
	streamsAtOnce = 128
	callsAtOnce   = 256
)

// enter lets a request in before its message is read. From here on its time runs, so that a slow
// sender is left.
func (s *Server) enter(visitors *conns) tap.ServerInHandle {
	return func(ctx context.Context, _ *tap.Info) (context.Context, error) {
		if visitors.calls() >= callsAtOnce {
			return nil, status.Error(codes.ResourceExhausted, "too many requests at a time: try again in a second")
		}
		timed, cancel := context.WithTimeout(ctx, s.Timeout)
		context.AfterFunc(ctx, cancel)
		return timed, nil
	}
}

// TagRPC changes nothing: conns follows the requests of gRPC as a stats.Handler.
func (c *conns) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context { return ctx }

// HandleRPC counts the requests in work.
func (c *conns) HandleRPC(ctx context.Context, now stats.RPCStats) {
	p, ok := peer.FromContext(ctx)
	if !ok {
		return
	}
	switch now.(type) {
	case *stats.Begin:
		c.work(p.Addr, 1)
	case *stats.End:
		c.work(p.Addr, -1)
	}
}

// TagConn changes nothing.
func (c *conns) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }

// HandleConn changes nothing.
func (c *conns) HandleConn(context.Context, stats.ConnStats) {}
