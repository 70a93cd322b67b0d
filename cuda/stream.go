//go:build cuda && cgo

package cuda

import (
	"errors"

	"gorgonia.org/cu"
)

// side is a second stream of a Context, with an event for each direction in which it and the first stream wait for each
// other.
type side struct {
	context        *Context
	stream         cu.Stream
	forked, joined cu.Event
}

func (c *Context) newSide() (*side, error) {
	s := &side{context: c}
	var err error
	if s.stream, err = cu.MakeStream(cu.NonBlocking); err != nil {
		return nil, fail("making a second stream", err)
	}
	if s.forked, err = cu.MakeEvent(cu.DisableTiming); err == nil {
		s.joined, err = cu.MakeEvent(cu.DisableTiming)
	}
	return s, fail("making an event", err)
}

// fork makes the later work of the side wait for the work so far on the first stream.
func (s *side) fork() error { return s.context.order(s.context.stream, s.forked, s.stream) }

// join makes the later work of the first stream wait for the work so far of the side.
func (s *side) join() error { return s.context.order(s.stream, s.joined, s.context.stream) }

// order makes a stream wait for the work so far on another, by an event.
func (c *Context) order(first cu.Stream, reached cu.Event, then cu.Stream) error {
	return c.do("ordering two streams", func() error {
		if err := reached.Record(first); err != nil {
			return err
		}
		return then.Wait(reached, 0)
	})
}

// close frees the stream, also where work on it has failed.
func (s *side) close() error {
	return errors.Join(
		fail("waiting for a second stream", s.stream.Synchronize()),
		fail("freeing an event", cu.DestroyEvent(&s.forked)),
		fail("freeing an event", cu.DestroyEvent(&s.joined)),
		fail("closing a second stream", s.stream.Destroy()),
	)
}
