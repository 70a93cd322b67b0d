//go:build cuda && cgo

package gpu

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// walk is work with each kind of argument that follows the step, whose result depends on every step so far.
type walk struct {
	d                *Device
	rows, labels     *device.Tensor
	p, g, m, v, rate *device.Tensor
	mean, dmean      *device.Tensor
	logvar, dlogvar  *device.Tensor
	kl               *device.Tensor
	change           func(*device.LiveScalars) // makes the work wrong
}

func newWalk(d *Device) *walk {
	const n = 37
	real := func() *device.Tensor { return d.New(device.Real, n) }
	w := &walk{
		d: d, rows: d.New(device.Int, n), labels: d.New(device.Int, n),
		p: real(), g: real(), m: real(), v: real(), rate: real(), kl: d.New(device.Double, 1),
	}
	w.mean, w.logvar, w.dmean, w.dlogvar = w.p.View(0, n), w.rate.View(0, n), w.g.View(0, n), d.New(device.Real, n)
	ones := make([]float64, n)
	for i := range ones {
		ones[i] = 1 + float64(i)/n
	}
	d.Upload(w.p, ones)
	d.Upload(w.rate, ones)
	return w
}

// work moves p by Adam along the gradient of a KL, on whose mean the rows that are drawn have a part.
func (w *walk) work(now device.LiveScalars) {
	d := w.d
	if w.change != nil {
		w.change(&now)
	}
	d.Zero(w.g)
	d.KLDiag(w.kl, device.DiagArgs{Mean: w.dmean, LogVar: w.dlogvar}, device.DiagArgs{Mean: w.mean, LogVar: w.logvar},
		now.KLWeight)
	d.DrawRows(w.rows, w.p.Len(), device.Key{Seed: 1, Step: now.Step, Site: device.SiteBatch})
	d.Gather(w.m.View(0, 1, 1), w.p.View(0, w.p.Len(), 1), w.rows.View(0, 1))
	d.DrawRows(w.rows, w.p.Len(), device.Key{Seed: 1, Site: device.SiteBatch}) // frozen
	d.Gather(w.m.View(1, 1, 1), w.p.View(0, w.p.Len(), 1), w.rows.View(0, 1))
	d.Adam(w.p, w.g, w.m, w.v, w.rate, device.AdamStep{LR: now.LR, Beta1: 0.9, Beta2: 0.99, Eps: 1e-8, Scale: -1,
		Step: now.Step})
}

func (w *walk) values() []float64 { return download(w.d, w.p) }

func at(step int) device.StepScalars {
	return device.StepScalars{Step: uint32(step), LR: 0.1 / float64(step), KLWeight: min(1, 0.3*float64(step))}
}

func equal(t *testing.T, step int, got, want []float64) {
	t.Helper()
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("step %d: element %d is %g, and %g where each step is launched", step, i, got[i], want[i])
		}
	}
}

// A replayed step has the bits of a launched one, and calls the driver twice. Memory that moves in between has the step
// recorded again.
func TestLoop(t *testing.T) {
	for _, single := range []bool{true, false} {
		replayed, launched := newWalk(open(t, single)), newWalk(open(t, single))
		launched.d.graphs = false
		a, b := device.NewLoop(replayed.d, replayed.work), device.NewLoop(launched.d, launched.work)
		for step := 1; step <= 12; step++ {
			before := replayed.d.Usage()
			a(at(step))
			after := replayed.d.Usage()
			b(at(step))
			equal(t, step, replayed.values(), launched.values())
			recorded := step >= 3 && step < 8 || step >= 9
			if now := len(replayed.d.records) == 1; now != recorded {
				t.Fatalf("step %d: recorded: %v", step, now)
			}
			if calls := after.Calls - before.Calls; recorded && step != 3 && step != 9 && calls != 2 {
				t.Errorf("step %d: %d calls of the driver", step, calls)
			}
			if step == 7 { // scratch of the KL grows, and its old memory goes to another tensor
				x := replayed.d.New(device.Real, 5000)
				big := device.DiagArgs{Mean: x, LogVar: x}
				replayed.d.KLDiag(replayed.kl, big, big, device.Scalar{Value: 1})
				runtime.GC()
				runtime.GC()
				replayed.d.Upload(replayed.d.New(device.Double, 1), []float64{1e9})
			}
		}
		if len(launched.d.records) != 0 {
			t.Error("a loop that is not to be recorded is")
		}
	}
}

// A driver without graphs launches each step.
func TestLoopWithoutGraphs(t *testing.T) {
	t.Setenv("EMU_GRAPHS", "0")
	old, launched := newWalk(openDouble(t)), newWalk(open(t, true))
	loop := device.NewLoop(old.d, old.work)
	for step := 1; step <= 5; step++ {
		loop(at(step))
		launched.work(at(step).Live())
		equal(t, step, old.values(), launched.values())
	}
	if old.d.graphs || len(old.d.records) != 0 {
		t.Error("the loop still tries to record")
	}
}

// Work that cannot be replayed panics, and the message names the bug.
func TestLoopMisuse(t *testing.T) {
	const differs = "gpu: the work of a loop is not the same at each step: "
	for want, wrong := range map[string]func(w *walk, now *device.LiveScalars){
		"gpu: Upload in the work of a loop, which is recorded": func(w *walk, _ *device.LiveScalars) {
			w.d.Upload(w.g, make([]float64, w.g.Len()))
		},
		"gpu: Download in the work of a loop, which is recorded": func(w *walk, _ *device.LiveScalars) { w.values() },
		"gpu: the work of a loop needs more memory than the step before": func(w *walk, now *device.LiveScalars) {
			if now.Step.N >= 3 {
				w.d.New(device.Real, 1)
			}
		},
		differs + "argument 4 of call 3, draw_rows, is 0x3e8, and 0x3e9": func(w *walk, now *device.LiveScalars) {
			now.Step = device.StepNumber{N: now.Step.N + 997}
		},
		differs + "argument 1 of call 1, kl_diag_f32, is ": func(w *walk, now *device.LiveScalars) {
			now.KLWeight = device.Scalar{Value: now.KLWeight.Value / 2}
		},
		differs + "argument 10 of call 7, adam_f32, is ": func(w *walk, now *device.LiveScalars) {
			now.LR = device.Scalar{Value: 2 * now.LR.Value}
		},
		differs + "argument 0 of call 0, clear, is ": func(w *walk, now *device.LiveScalars) {
			if now.Step.N%2 == 0 {
				w.d.Zero(w.dlogvar)
			}
		},
		"gpu: the optimisers of a loop have different betas": func(w *walk, now *device.LiveScalars) {
			w.d.Adam(w.p, w.g, w.m, w.v, w.rate, device.AdamStep{LR: now.LR, Beta1: 0.8, Beta2: 0.99, Eps: 1e-8,
				Scale: -1, Step: now.Step})
		},
		"gpu: a key has a step number that means another": func(_ *walk, now *device.LiveScalars) {
			now.Step.N = liveStep
		},
	} {
		t.Run(want, func(t *testing.T) {
			w := newWalk(open(t, true))
			w.change = func(now *device.LiveScalars) { wrong(w, now) }
			loop := device.NewLoop(w.d, w.work)
			text, _ := must.PanicOf(func() {
				for step := 1; step <= 3; step++ {
					loop(at(step))
				}
			}).(string)
			if !strings.HasPrefix(text, want) {
				t.Errorf("panic %q", text)
			}
		})
	}
}

// A GPU that has no memory for a graph launches each step, with the same bits, and says so once. A GPU that has no
// memory for a kernel is a fault.
func TestNoRoom(t *testing.T) {
	openDouble(t)
	var said []string
	d := must.Get(New(0, true, func(line string) { said = append(said, line) }))(t)
	said = nil // forget the lines about the driver's compiler
	replayed, launched := newWalk(open(t, true)), newWalk(d)
	loop, other := device.NewLoop(replayed.d, replayed.work), device.NewLoop(d, launched.work)
	for step := 1; step <= 6; step++ {
		loop(at(step))
		t.Setenv("EMU_NO_ROOM", "graph")
		other(at(step))
		t.Setenv("EMU_NO_ROOM", "")
	}
	equal(t, 6, replayed.values(), launched.values())
	if len(d.records) > 0 || len(replayed.d.records) == 0 || len(said) != 1 ||
		!strings.HasPrefix(said[0], "cuda:0:f32 has no memory for a recorded step") {
		t.Errorf("%d records, said %q", len(d.records), said)
	}
	t.Setenv("EMU_NO_ROOM", "widen_f32")
	err := func() (err error) {
		defer device.RecoverFault(&err)
		d.Widen(d.New(device.Double, 3), d.New(device.Real, 3))
		return nil
	}()
	if fault, ok := errors.AsType[*device.FaultError](err); !ok || fault.Op != "widen" ||
		!strings.Contains(err.Error(), "loading kernel widen_f32: CUDA error 2, ") {
		t.Errorf("%v", err)
	}
	must.OK(t, d.Close())
}

// A driver that is lost in a replay is a fault, as in a launch.
func TestLostInReplay(t *testing.T) {
	lost(t, "26", func(d *Device) func(int) {
		loop := device.NewLoop(d, newWalk(d).work)
		return func(step int) { loop(at(step)) }
	}, func(_ *Device, step int, err error) {
		if f, ok := errors.AsType[*device.FaultError](err); !ok || f.Op != "replaying a step" && f.Op != "set_live" {
			t.Errorf("step %d: %v", step, err)
		}
	})
}
