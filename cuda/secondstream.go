//go:build cuda && cgo

package cuda

import "gorgonia.org/cu"

// secondStream is the second stream of a recorded step, with the memory that each stream has used since the fork. A
// kernel that needs memory of the other stream waits for it.
type secondStream struct {
	side     *side
	open     bool         // it has work that the first stream has not waited for
	inside   bool         // work goes to it now
	ofFirst  map[any]bool // the owners of the memory that the first stream has used
	ofSecond map[any]bool // the owners of the memory that the second stream has used, except memory that nobody writes
	fixed    map[any]bool // the owners of memory that nobody writes
}

// OnSecondStream sends the launches until OnFirstStream to the second stream of a recorded step, if opens is set or if
// that stream has work already. Their kernels may read the memory of fixed, which the step does not write before the
// streams join. The owners of their arguments tell what else they use: a later launch on the first stream with one of
// these waits. Outside of a capture there is one stream.
func (c *Context) OnSecondStream(opens bool, fixed []any) error {
	s := c.second
	capturing := c.trace != nil && !c.trace.dry
	if !capturing || !opens && !s.open {
		return nil
	}
	if !s.open {
		if err := c.fork(); err != nil {
			return err
		}
		s.ofSecond = map[any]bool{}
	}
	s.fixed = map[any]bool{}
	for _, owner := range fixed {
		s.fixed[owner] = true
	}
	s.open, s.inside = true, true
	return nil
}

// OnFirstStream sends later launches to the first stream.
func (c *Context) OnFirstStream() {
	if c.second != nil {
		c.second.inside = false
	}
}

// openSecond makes the second stream, before the first capture.
func (c *Context) openSecond() error {
	if c.second != nil {
		return nil
	}
	side, err := c.newSide()
	if err != nil {
		return err
	}
	c.second = &secondStream{side: side}
	return nil
}

// fork makes the second stream wait for the work so far of the first.
func (c *Context) fork() error {
	c.second.ofFirst = map[any]bool{}
	return c.second.side.fork()
}

// join makes the first stream wait for the second, if that has work.
func (c *Context) join() error {
	if s := c.second; s != nil && s.open {
		s.open = false
		return s.side.join()
	}
	return nil
}

// streamFor returns the stream of a launch with these arguments. It has waited for the other stream if it must.
func (c *Context) streamFor(args []Arg) (cu.Stream, error) {
	s := c.second
	if s == nil || !s.open {
		return c.stream, nil
	}
	for _, a := range args {
		switch {
		case a.owner == nil && a.kind == U64 && a.bits != 0:
			panic("cuda: a kernel beside others has memory without an owner")
		case a.owner == nil:
		case !s.inside && s.ofSecond[a.owner]:
			return c.stream, c.join()
		case !s.inside:
			s.ofFirst[a.owner] = true
		case !s.fixed[a.owner]:
			if s.ofFirst[a.owner] {
				if err := c.fork(); err != nil {
					return s.side.stream, err
				}
			}
			s.ofSecond[a.owner] = true
		}
	}
	if s.inside {
		return s.side.stream, nil
	}
	return c.stream, nil
}

// forget drops the memory that the streams have used, which may be freed then.
func (s *secondStream) forget() { *s = secondStream{side: s.side} }

func (s *secondStream) close() error {
	if s == nil {
		return nil
	}
	return s.side.close()
}
