//go:build cuda && cgo

package cuda

// Graphs, whose capture gorgonia.org/cu lacks: work that was put on the stream once, and is launched again as a whole.

/*
int cuStreamBeginCapture_v2(void *stream, int mode);
int cuStreamEndCapture(void *stream, void **graph);
int cuGraphInstantiateWithFlags(void **exec, void *graph, unsigned long long flags);
int cuGraphLaunch(void *exec, void *stream);
int cuGraphExecDestroy(void *exec);
int cuGraphDestroy(void *graph);
*/
import "C"

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"
)

// ErrNoGraphs is the error of a driver that is too old for graphs.
var ErrNoGraphs = errors.New("this driver has no graphs")

// Call is work on the stream: a kernel, or "clear" and "copy" with their addresses and bytes.
type Call struct {
	Name   string
	Grid   Grid
	Shared int
	Args   []Arg
}

// trace is the calls since a Trace or a Capture began.
type trace struct {
	calls []Call
	dry   bool // nothing is put on the stream
}

// traced records a call if there is a trace. It reports whether the call must not be made.
func (c *Context) traced(name string, grid Grid, shared int, args ...Arg) bool {
	if c.trace == nil {
		return false
	}
	c.trace.calls = append(c.trace.calls, Call{name, grid, shared, slices.Clone(args)})
	return c.trace.dry
}

// Trace returns the calls that work makes. None of them reaches the stream.
func (c *Context) Trace(work func()) []Call {
	t := &trace{dry: true}
	c.trace = t
	defer func() { c.trace = nil }()
	work()
	return t.calls
}

// Difference describes the first difference of two lists of calls; "" if they are equal.
func Difference(a, b []Call) string {
	for i := range min(len(a), len(b)) {
		x, y := a[i], b[i]
		switch {
		case x.Name != y.Name:
			return fmt.Sprintf("call %d is %s, and %s", i, x.Name, y.Name)
		case x.Grid != y.Grid || x.Shared != y.Shared:
			return fmt.Sprintf("call %d, %s, has the grid %v with %d bytes, and %v with %d", i, x.Name, x.Grid,
				x.Shared, y.Grid, y.Shared)
		}
		for k := range x.Args {
			if x.Args[k] != y.Args[k] {
				return fmt.Sprintf("argument %d of call %d, %s, is %#x, and %#x", k, i, x.Name, x.Args[k].bits,
					y.Args[k].bits)
			}
		}
	}
	if len(a) != len(b) {
		return fmt.Sprintf("there are %d calls, and %d", len(a), len(b))
	}
	return ""
}

// Graph is captured work.
type Graph struct {
	context *Context
	exec    unsafe.Pointer
}

// Capture makes a graph of the calls of work, on the stream and on a second one by OnSecondStream. The calls do not
// run. Work may launch loaded kernels, clear, copy and Put, and nothing else. The error is ErrNoGraphs if the driver is
// too old.
func (c *Context) Capture(work func()) (g *Graph, calls []Call, err error) {
	// It stays entered until the end, since the driver binds a capture to its thread.
	if err := c.enter(); err != nil {
		return nil, nil, err
	}
	defer c.leave()
	if err := c.openSecond(); err != nil {
		return nil, nil, err
	}
	const threadLocal = 1
	stream := c.handle()
	if err := graphResult("capturing the stream", C.cuStreamBeginCapture_v2(stream, threadLocal)); err != nil {
		return nil, nil, err
	}
	t := &trace{}
	done := false
	c.trace = t
	defer func() { // this also runs if work panics
		c.trace = nil
		joined := c.join()
		c.second.forget()
		var graph unsafe.Pointer
		ended := graphResult("ending a capture", C.cuStreamEndCapture(stream, &graph))
		if ended == nil {
			ended = joined
		}
		if ended == nil && done {
			g = &Graph{context: c}
			ended = graphResult("making a graph", C.cuGraphInstantiateWithFlags(&g.exec, graph, 0))
		}
		if graph != nil {
			C.cuGraphDestroy(graph)
		}
		if ended != nil {
			g, err = nil, ended
		}
	}()
	work()
	done = true
	return nil, t.calls, nil
}

// handle returns the driver's handle of the stream, which is all that a Stream holds.
func (c *Context) handle() unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&c.stream)) }

// graphResult acts as result does, with ErrNoGraphs for a function that the driver lacks or does not support.
func graphResult(op string, code C.int) error {
	const notFound, notSupported = 500, 801
	if code == notFound || code == notSupported {
		return ErrNoGraphs
	}
	return result(op, code)
}

// Launch puts the work of the graph on the stream, with the captured arguments.
func (g *Graph) Launch() error {
	if err := g.context.enter(); err != nil {
		return err
	}
	defer g.context.leave()
	return result("launching a graph", C.cuGraphLaunch(g.exec, g.context.handle()))
}

// Close frees the graph after the work before it, even if that has failed.
func (g *Graph) Close() error {
	waited := g.context.Wait()
	if err := g.context.enter(); err != nil {
		return errors.Join(waited, err)
	}
	defer g.context.leave()
	return errors.Join(waited, result("freeing a graph", C.cuGraphExecDestroy(g.exec)))
}
