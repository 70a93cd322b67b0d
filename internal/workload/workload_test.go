package workload

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gpdrf/gpdrf-gpu/device"
	_ "github.com/gpdrf/gpdrf-gpu/device/cpu"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// small are steps of every form.
var small = []Size{
	{D: 5, J: 3, M: 8, L: 2, Hidden: 4, R: 10, B: 20, S: 2, Classes: 4},
	{D: 5, J: 3, M: 8, L: 1, Hidden: 1, R: 10, B: 20, S: 2},
	{N: 60, D: 5, J: 3, M: 8, L: 1, Hidden: 3, R: 10, B: 20, S: 1, Defaults: true},
	{N: 600, D: 5, J: 3, M: 8, L: 2, Hidden: 3, R: 10, B: 20, S: 1, Defaults: true},
	{D: 5, J: 3, M: 8, L: 1, Hidden: 3, R: 10, B: 20, S: 2, Shared: true},
	{D: 5, J: 3, M: 8, L: 2, Hidden: 3, R: 10, B: 20, S: 2, Integrated: true},
	{N: 60, D: 5, J: 4, M: 8, L: 1, Hidden: 3, R: 10, B: 20, S: 1, Classes: 4, Defaults: true},
	{D: 5, J: 1, M: 8, B: 20, S: 1},
	{N: 60, I: 2, J: 3, M: 8, L: 1, Hidden: 3, R: 10, B: 20, S: 1, Classes: 3, Defaults: true},
	{N: 60, I: 2, J: 3, M: 8, L: 1, Hidden: 3, R: 10, B: 20, S: 1, Classes: 3, Defaults: true, Steps: true},
}

func openDevice(t *testing.T, name string) device.Device {
	t.Helper()
	dev := must.Get(device.Open(name))(t)
	t.Cleanup(func() {
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	})
	return dev
}

// What is timed is a training step: the bound rises.
func TestStepTrains(t *testing.T) {
	dev := openDevice(t, "cpu:f32")
	for _, n := range small {
		s := must.Get(NewStep(dev, n))(t)
		bound := func(steps int) float64 {
			for range steps {
				s.Run()
			}
			e := must.Get(s.wait())(t)
			return e.Value
		}
		if first, last := bound(1), bound(300); !(last > first) || math.IsNaN(last) {
			t.Errorf("%s: bound from %g to %g", n, first, last)
		}
	}
}

// Steps of every form are timed.
func TestTimeStep(t *testing.T) {
	for _, name := range []string{"cpu:f32", "cpu:f64"} {
		dev := openDevice(t, name)
		for _, n := range small {
			step := must.Get(TimeStep(t.Context(), dev, "small", n, time.Millisecond))(t)
			if step.Samples != step.Steps*float64(n.S*n.B) || !(step.MS > 0) || step.ELBO == 0 || step.Repeats < 1 {
				t.Errorf("%s: %+v", n, step)
			}
		}
	}
}

// Ctrl-C is answered between two rounds of steps.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dev := openDevice(t, "cpu:f32")
	if _, err := TimeStep(ctx, dev, "small", small[0], time.Hour); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestWith(t *testing.T) {
	n, err := small[0].With("S=100, M=9,shared")
	if want := small[0]; err != nil || n.S != 100 || n.M != 9 || !n.Shared || n.B != want.B {
		t.Errorf("%+v, %v", n, err)
	}
	last := small[len(small)-2]
	if steps, err := last.With("I=3,steps"); err != nil || steps.I != 3 || !steps.Steps ||
		steps.String() != "I=3 J=3 M=8 B=20 S=1 L=1 R=10 classes=3 defaults steps" {
		t.Errorf("%+v, %v", steps, err)
	}
	for _, bad := range []string{"D=3", "I=33", "steps=1", "shared"} {
		if _, err := last.With(bad); err == nil {
			t.Errorf("%q is accepted of sequences", bad)
		}
	}
	for _, bad := range []string{"I=2", "steps", "S", "S=", "S=0", "S=1e3", "L=256", "B=70000",
		"Q=1", "shared=1", "S:1"} {
		if _, err := small[0].With(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

// The other side of the comparisons has the same table.
func TestPeersHaveThePresets(t *testing.T) {
	text := must.Get(os.ReadFile("../../bench/peers/steps.py"))(t)
	for _, name := range Names() {
		n := must.Get(Preset(name))(t)
		if n.I > 0 {
			continue
		}
		line := fmt.Sprintf("%q: dict(d=%d, j=%d, m=%d, l=%d, hidden=%d, r=%d, b=%d, s=%d, classes=%d),",
			name, n.D, n.J, n.M, n.L, n.Hidden, n.R, n.B, n.S, n.Classes)
		if strings.Contains(string(text), line) == n.Defaults {
			t.Errorf("bench/peers/steps.py: expected the line %s, unless the step has defaults", line)
		}
	}
}

// The memory of a step is known before it is made.
func TestMemory(t *testing.T) {
	for _, name := range []string{"cpu:f32", "cpu:f64"} {
		dev := openDevice(t, name)
		for _, n := range small {
			ledger, doubles, err := n.Memory(dev)
			must.OK(t, err)
			before := dev.Taken()
			s := must.Get(NewStep(dev, n))(t)
			s.Run()
			taken, most := dev.Taken()-before, ledger.Total()*21/20 // the lengths of sequences are random
			if taken > most || doubles < s.step.Model.Params().Len() {
				t.Errorf("%s: at most %d bytes are planned, and %d taken, with %d doubles", n, most, taken, doubles)
			}
		}
	}
}
