//go:build cuda && cgo

package cuda

import (
	"errors"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// captured captures a graph of work that is freed with the test.
func captured(t *testing.T, c *Context, work func()) *Graph {
	t.Helper()
	g, _, err := c.Capture(work)
	must.OK(t, err)
	t.Cleanup(func() { must.OK(t, g.Close()) })
	return g
}

// What is captured does not run, and a launch of the graph does all of it, each time.
func TestGraph(t *testing.T) {
	c := open(t)
	x, y, z := put(t, c, []float64{3}), put(t, c, []float64{10}), put(t, c, []float64{1})
	fold := kernel(t, c, "fold_f64")
	work := func() { // y += 2x, z = y, x = 0
		must.OK(t, fold.Launch(Grid{1, 1, 1}, 0, Int(1), Int(1), Float64(2), Pointer(y), Pointer(x)))
		must.OK(t, c.Copy(z, y, 8))
		must.OK(t, c.Clear(x, 8))
	}
	is := func(wantX, wantY, wantZ float64) {
		t.Helper()
		for p, want := range map[Ptr]float64{x: wantX, y: wantY, z: wantZ} {
			got := make([]float64, 1)
			if get(t, c, got, p); got[0] != want {
				t.Errorf("%g, want %g", got[0], want)
			}
		}
	}
	g := captured(t, c, work)
	is(3, 10, 1)
	must.OK(t, g.Launch())
	must.OK(t, g.Launch())
	is(0, 16, 16)

	empty := captured(t, c, func() {})
	must.OK(t, empty.Launch())
	is(0, 16, 16)
}

// A trace lists the work that a capture puts into the graph, and runs nothing.
func TestTrace(t *testing.T) {
	c := open(t)
	x, fold := put(t, c, []float64{3}), kernel(t, c, "fold_f64")
	work := func(scale float64, times int) func() {
		return func() {
			for range times {
				must.OK(t, fold.Launch(Grid{1, 1, 1}, 0, Int(1), Int(0), Float64(scale), Pointer(x), Pointer(x)))
			}
			must.OK(t, c.Clear(x, 8))
		}
	}
	g, calls, err := c.Capture(work(2, 1))
	must.OK(t, err)
	must.OK(t, g.Close())
	traced := c.Trace(work(2, 1))
	got := make([]float64, 1)
	if get(t, c, got, x); got[0] != 3 || len(traced) != 2 {
		t.Errorf("%d calls of a trace, after which x is %g", len(traced), got[0])
	}
	for want, other := range map[string][]Call{
		"": traced,
		"argument 2 of call 0, fold_f64, is 0x4000000000000000, and 0x4008000000000000": c.Trace(work(3, 1)),
		"call 1 is clear, and fold_f64": c.Trace(work(2, 2)),
		"there are 2 calls, and 0":      c.Trace(func() {}),
		"call 0, fold_f64, has the grid {1 1 1} with 0 bytes, and {2 1 1} with 8": c.Trace(func() {
			must.OK(t, fold.Launch(Grid{2, 1, 1}, 8, Int(1), Int(0), Float64(2), Pointer(x), Pointer(x)))
		}),
	} {
		if is := Difference(calls, other); is != want {
			t.Errorf("difference %q, want %q", is, want)
		}
	}
}

// Work that panics, or that a capture cannot hold, leaves the stream usable.
func TestCaptureFails(t *testing.T) {
	c := open(t)
	if must.PanicOf(func() { c.Capture(func() { panic("our own") }) }) != "our own" {
		t.Error("the panic of the work is lost")
	}
	if _, _, err := c.Capture(func() {
		if err := c.Wait(); err == nil || !strings.Contains(err.Error(), "900") {
			t.Errorf("a wait in a capture: %v", err)
		}
	}); err == nil || !strings.Contains(err.Error(), "ending a capture: CUDA error 901") {
		t.Errorf("a spoiled capture: %v", err)
	}
	got := []float64{0}
	if get(t, c, got, put(t, c, []float64{5})); got[0] != 5 {
		t.Error("the stream does not work after a capture that failed")
	}
}

// A driver may lack graphs.
func TestNoGraphs(t *testing.T) {
	c := open(t)
	if !emulated() {
		t.Skip("this driver has graphs")
	}
	t.Setenv("EMU_GRAPHS", "0")
	if _, _, err := c.Capture(func() { t.Error("the work runs") }); !errors.Is(err, ErrNoGraphs) {
		t.Errorf("%v", err)
	}
}

// Where the GPU has no memory for a graph, that is an error, and nothing else is lost.
func TestGraphOutOfMemory(t *testing.T) {
	c := open(t)
	if !emulated() {
		t.Skip("this GPU has room for graphs")
	}
	t.Setenv("EMU_NO_ROOM", "graph")
	if _, _, err := c.Capture(func() {}); !OutOfMemory(err) || !strings.HasPrefix(err.Error(), "making a graph: ") {
		t.Errorf("%v", err)
	}
	t.Setenv("EMU_NO_ROOM", "")
	captured(t, c, func() {})
}

// Work beside the first stream's runs before the work that needs its results, after the work whose results it needs,
// and not beside work that uses its memory.
func TestBeside(t *testing.T) {
	for _, early := range []string{"0", "1"} {
		t.Run("early "+early, func(t *testing.T) {
			t.Setenv("EMU_EARLY", early)
			c := open(t)
			numbers := map[string]Ptr{}
			for i, name := range []string{"w", "x", "y", "z"} {
				numbers[name] = put(t, c, []float64{float64(1 + i)})
			}
			at := func(name string) Arg { return Owned(numbers[name], name) }
			k := kernel(t, c, "fold_f64")
			fold := func(to, from string, add int, scale float64) {
				must.OK(t, k.Launch(Grid{1, 1, 1}, 0, Int(1), Int(add), Float64(scale), at(to), at(from)))
			}
			set := func(to, from string, scale float64) { fold(to, from, 0, scale) }
			add := func(to, from string, scale float64) { fold(to, from, 1, scale) }
			beside := func(opens bool, fixed []any, work func()) {
				must.OK(t, c.OnSecondStream(opens, fixed))
				work()
				c.OnFirstStream()
			}
			g := captured(t, c, func() {
				add("x", "w", 1)                                // 3
				beside(false, nil, func() { add("x", "w", 1) }) // 4, on the first stream
				beside(true, []any{"w"}, func() {
					set("y", "x", 2) // 8
					add("y", "w", 1) // 9
				})
				set("z", "w", 3) // 3, beside it
				if !c.second.open {
					t.Error("the first stream waits for memory that both read")
				}
				beside(false, []any{"w"}, func() { add("z", "w", 1) }) // 4, after it
				add("x", "y", 1)                                       // 13, after all
				beside(true, nil, func() { set("w", "x", 1) })         // 13, before the end
			})
			if s := c.second; len(s.ofFirst)+len(s.ofSecond)+len(s.fixed) > 0 {
				t.Error("what has the memory of a step is kept after its capture")
			}
			must.OK(t, g.Launch())
			for name, want := range map[string]float64{"w": 13, "x": 13, "y": 9, "z": 4} {
				got := make([]float64, 1)
				if get(t, c, got, numbers[name]); got[0] != want {
					t.Errorf("%s is %g, want %g", name, got[0], want)
				}
			}
			if !emulated() {
				return
			}
			if _, _, err := c.Capture(func() {
				beside(true, nil, func() { add("w", "x", 1) })
				c.second.open = false // nobody waits for it
			}); err == nil || !strings.Contains(err.Error(), "ending a capture: CUDA error 904") {
				t.Errorf("work that nobody waits for: %v", err)
			}
			work := func() {
				beside(true, nil, func() { add("w", "x", 1) })
				kernel(t, c, "fold_f64").Launch(Grid{1, 1, 1}, 0, Int(1), Int(1), Float64(1), at("y"),
					Pointer(numbers["z"]))
			}
			if must.PanicOf(func() { c.Capture(work) }) == nil {
				t.Error("memory of unknown owners is used beside other work")
			}
		})
	}
}
