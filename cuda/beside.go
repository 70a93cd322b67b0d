//go:build cuda && cgo

package cuda

import (
	"errors"

	"gorgonia.org/cu"
)

// beside is the second stream of a recorded step, and what the two have used since they parted. A
// kernel that needs memory of the other stream waits for it.
type beside struct {
	stream      cu.Stream
	parted, met cu.Event
	open        bool // the second stream has work that the first has not waited for
	inside      bool // work goes to the second stream now
	first       map[any]bool
	second      map[any]bool // except what nobody writes
	fixed       map[any]bool // what nobody writes, of the work now
}

// Beside lets what is launched until Back go to the second stream of a recorded step, if opens is
// set or if that has work already. Its kernels may read the memory of fixed, which the step does
// not write before the streams meet. The owners of their arguments say what else they use. What
// comes later on the first stream, and has one of these, waits for them. Outside of a capture there
// is one stream.
func (c *Context) Beside(opens bool, fixed []any) error {
	b := c.beside
	if !c.captures() || !opens && !b.open {
		return nil
	}
	if !b.open {
		if err := c.part(); err != nil {
			return err
		}
		b.second = map[any]bool{}
	}
	b.fixed = map[any]bool{}
	for _, owner := range fixed {
		b.fixed[owner] = true
	}
	b.open, b.inside = true, true
	return nil
}

// Back ends what Beside began.
func (c *Context) Back() {
	if c.beside != nil {
		c.beside.inside = false
	}
}

// captures says whether work is put into a graph now.
func (c *Context) captures() bool { return c.trace != nil && !c.trace.dry }

// besides makes the second stream, before the first capture.
func (c *Context) besides() error {
	if c.beside != nil {
		return nil
	}
	b := &beside{}
	var err error
	if b.stream, b.parted, b.met, err = anotherStream(); err != nil {
		return fail("making a second stream", err)
	}
	c.beside = b
	return nil
}

// part lets the second stream wait for what the first has got so far.
func (c *Context) part() error {
	c.beside.first = map[any]bool{}
	return c.order(c.stream, c.beside.parted, c.beside.stream)
}

// meet lets the first stream wait for the second, if it has work.
func (c *Context) meet() error {
	if b := c.beside; b != nil && b.open {
		b.open = false
		return c.order(b.stream, b.met, c.stream)
	}
	return nil
}

// apart forgets what the streams have used, whose memory may be freed then.
func (b *beside) apart() {
	if b != nil {
		b.open, b.inside, b.first, b.second, b.fixed = false, false, nil, nil, nil
	}
}

// turn is the stream for a kernel with these arguments, which has waited for the other if it must.
func (c *Context) turn(args []Arg) (cu.Stream, error) {
	b := c.beside
	if b == nil || !b.open {
		return c.stream, nil
	}
	for _, a := range args {
		var err error
		switch {
		case a.owner == nil && a.kind == U64 && a.bits != 0:
			panic("cuda: a kernel beside others has memory without an owner")
		case a.owner == nil:
		case !b.inside:
			if b.second[a.owner] {
				return c.stream, c.meet()
			}
			b.first[a.owner] = true
		case !b.fixed[a.owner]:
			if b.first[a.owner] {
				err = c.part()
			}
			b.second[a.owner] = true
		}
		if err != nil {
			return b.stream, err
		}
	}
	if b.inside {
		return b.stream, nil
	}
	return c.stream, nil
}

// close frees the stream.
func (b *beside) close() error {
	if b == nil {
		return nil
	}
	return errors.Join(
		fail("freeing an event", cu.DestroyEvent(&b.parted)),
		fail("freeing an event", cu.DestroyEvent(&b.met)),
		fail("closing the second stream", b.stream.Destroy()),
	)
}
