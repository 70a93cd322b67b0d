//go:build cuda && cgo

package cuda

import (
	"errors"

	"gorgonia.org/cu"
)

// Ahead is a stream of a Context for copies to the GPU that go on while the first one computes.
type Ahead struct {
	context *Context
	stream  cu.Stream
	staging
	copied, taken cu.Event // on this stream, and on the first
}

// Ahead is the stream for uploads. The first call makes it.
func (c *Context) Ahead() (*Ahead, error) {
	if c.ahead != nil {
		return c.ahead, nil
	}
	if err := c.enter(); err != nil {
		return nil, err
	}
	defer c.leave()
	a := &Ahead{context: c}
	var err error
	if a.stream, a.copied, a.taken, err = anotherStream(); err != nil {
		return nil, fail("making a stream for uploads", err)
	}
	if err := a.staging.open(); err != nil {
		return nil, err
	}
	c.ahead = a
	return a, nil
}

// anotherStream is a stream, and an event for each of the two directions in which it and the first
// one wait for each other.
func anotherStream() (s cu.Stream, there, back cu.Event, err error) {
	if s, err = cu.MakeStream(cu.NonBlocking); err != nil {
		return s, there, back, err
	}
	if there, err = cu.MakeEvent(cu.DisableTiming); err != nil {
		return s, there, back, errors.Join(err, s.Destroy())
	}
	if back, err = cu.MakeEvent(cu.DisableTiming); err != nil {
		return s, there, back, errors.Join(err, cu.DestroyEvent(&there), s.Destroy())
	}
	return s, there, back, nil
}

// Stage gives n bytes of pinned memory, at most StageSize, for Write.
func (a *Ahead) Stage(n int) ([]byte, error) { return a.take(n, a.wait) }

func (a *Ahead) wait() error {
	if err := a.context.enter(); err != nil {
		return err
	}
	defer a.context.leave()
	return fail("waiting for an upload", a.stream.Synchronize())
}

// Write copies what Stage gave to device memory, beside the work of the first stream.
func (a *Ahead) Write(dst Ptr, staged []byte) error {
	return a.context.write(dst, staged, a.stream)
}

// Join lets the work after it, on the first stream, wait for the copies so far.
func (a *Ahead) Join() error { return a.context.order(a.stream, a.copied, a.context.stream) }

// Part lets the copies after it wait for the work so far on the first stream.
func (a *Ahead) Part() error { return a.context.order(a.context.stream, a.taken, a.stream) }

// order lets a stream wait for what another has got so far.
func (c *Context) order(first cu.Stream, reached cu.Event, then cu.Stream) error {
	if err := c.enter(); err != nil {
		return err
	}
	defer c.leave()
	if err := reached.Record(first); err != nil {
		return fail("recording an event", err)
	}
	return fail("waiting for an event", then.Wait(reached, 0))
}

// close frees the stream, also where work on it has failed.
func (a *Ahead) close() error {
	if a == nil {
		return nil
	}
	return errors.Join(
		fail("waiting for an upload", a.stream.Synchronize()),
		a.staging.close(),
		fail("freeing an event", cu.DestroyEvent(&a.copied)),
		fail("freeing an event", cu.DestroyEvent(&a.taken)),
		fail("closing the stream of uploads", a.stream.Destroy()),
	)
}
