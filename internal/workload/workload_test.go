package workload

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gpdrf/gpdrf-gpu/device"
	_ "github.com/gpdrf/gpdrf-gpu/device/cpu"
)

// small are steps of every form.
var small = []Size{
	{D: 5, J: 3, M: 8, L: 2, Hidden: 4, R: 10, B: 20, S: 2, Classes: 4},
	{D: 5, J: 3, M: 8, L: 1, Hidden: 1, R: 10, B: 20, S: 2},
	{D: 5, J: 3, M: 8, L: 1, Hidden: 3, R: 10, B: 20, S: 1, Light: true},
	{D: 5, J: 3, M: 8, L: 1, Hidden: 3, R: 10, B: 20, S: 2, Shared: true},
	{D: 5, J: 3, M: 8, L: 2, Hidden: 3, R: 10, B: 20, S: 2, Integrated: true},
	{D: 5, J: 3, M: 8, L: 1, Hidden: 3, R: 10, B: 20, S: 1, Classes: 4, Light: true, Integrated: true},
	{D: 5, J: 1, M: 8, B: 20, S: 1},
	{I: 2, J: 3, M: 8, L: 1, Hidden: 3, R: 10, B: 20, S: 1, Classes: 3, Light: true},
	{I: 2, J: 3, M: 8, L: 1, Hidden: 3, R: 10, B: 20, S: 1, Classes: 3, Light: true, Steps: true},
}

func openDevice(t *testing.T, name string) device.Device {
	t.Helper()
	dev, err := device.Open(name)
	if err != nil {
		t.Fatal(err)
	}
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
		s, err := NewStep(dev, n)
		if err != nil {
			t.Fatal(err)
		}
		bound := func(steps int) float64 {
			for range steps {
				s.Run()
			}
			e, err := s.wait()
			if err != nil {
				t.Fatal(err)
			}
			return e.Value
		}
		if first, last := bound(1), bound(300); !(last > first) || math.IsNaN(last) {
			t.Errorf("%s: bound from %g to %g", n, first, last)
		}
	}
}

// A meter changes nothing, misses no operation, and counts the same on a device without memory.
func TestOperations(t *testing.T) {
	for _, name := range []string{"cpu:f32", "cpu:f64"} {
		dev := openDevice(t, name)
		for _, n := range small {
			m := Machine{Device: dev, Peak: PeakOf("NVIDIA H200, 139.8 GiB")}
			figures, err := m.Operations(t.Context(), n, time.Millisecond)
			if err != nil {
				t.Fatal(err)
			}
			var sum Cost
			for _, f := range figures {
				sum.add(f.Cost)
				if f.MS < 0 || f.Repeats < 1 || f.Calls < 1 || f.Unit == "" || f.Cost.Bytes <= 0 {
					t.Errorf("%s: %+v", n, f)
				}
			}
			step, err := m.Step(t.Context(), "small", n, time.Millisecond)
			if err != nil {
				t.Fatal(err)
			}
			if sum != step.Cost {
				t.Errorf("%s: the operations sum to %+v, the step is %+v", n, sum, step.Cost)
			}
			if step.Samples != step.Steps*float64(n.S*n.B) || !(step.MS > 0) ||
				math.Abs(step.Share*step.MS-step.FloorMS) > 1e-9 || step.ELBO == 0 {
				t.Errorf("%s: %+v", n, step)
			}
		}
	}
}

// One operation counts each call, and only the first step's.
func TestMeterAddsCalls(t *testing.T) {
	figures, err := Machine{Device: openDevice(t, "cpu:f64")}.Operations(t.Context(), small[0], 300*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	find := func(name string) Figure {
		i := slices.IndexFunc(figures, func(f Figure) bool { return f.Name == name })
		if i < 0 {
			t.Fatalf("no operation %s in %+v", name, figures)
		}
		return figures[i]
	}
	if kl := find("KLDiag"); kl.Calls != 4 || kl.Repeats < 2 || kl.Unit != "" {
		t.Errorf("%+v", kl)
	}
	for _, name := range []string{"RandomFeatures 3→4", "RandomFeaturesBackward 4→4", "ARD Kuu",
		"ARDBackward Kuf", "Adam"} {
		if f := find(name); f.Calls != 1 {
			t.Errorf("%+v", f)
		}
	}
}

// Ctrl-C is answered between two steps.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	m := Machine{Device: openDevice(t, "cpu:f32")}
	if _, err := m.Operations(ctx, small[0], time.Hour); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := m.Step(ctx, "small", small[0], time.Hour); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestFloor(t *testing.T) {
	h200 := PeakOf("NVIDIA H200, 139.8 GiB, compute capability 9.0")
	if h200 == nil {
		t.Fatal("the H200 is not known")
	}
	for _, c := range []struct {
		cost      Cost
		precision string
		ms        float64
		unit      string
	}{
		{Cost{Double: 66.9e9}, "f32", 1, "DMMA"},
		{Cost{Real: 66.9e9, Double: 60e9}, "f32", 1, "FP32"},
		{Cost{Real: 494.7e9}, "tf32", 1, "TF32"},
		{Cost{Real: 494.7e9}, "3xtf32", 3, "TF32"},
		{Cost{Real: 66.9e9}, "f64", 1, "DMMA"},
		{Cost{Real: 66.9e9, Bytes: 9.6e9}, "f32", 2, "bandwidth"},
	} {
		floor, unit := h200.Floor(c.cost, c.precision)
		if math.Abs(1e3*floor.Seconds()-c.ms) > 1e-3 || unit != c.unit {
			t.Errorf("%+v: %v on %s", c, floor, unit)
		}
	}
	if _, unit := PeakOf("NVIDIA GeForce RTX 4090, 23 GiB").Floor(Cost{Double: 1}, "f32"); unit != "FP64" {
		t.Errorf("a GPU without DMMA has %s", unit)
	}
	for about, fp32 := range map[string]float64{"NVIDIA H100 PCIe, 80 GiB": 51.2,
		"NVIDIA H100 80GB HBM3": 66.9, "NVIDIA L4, 22 GiB": 30.3, "NVIDIA L40S": 91.6, "Tesla T4": 8.1} {
		if p := PeakOf(about); p == nil || p.FP32 != fp32 {
			t.Errorf("%s: %+v", about, p)
		}
	}
	for _, about := range []string{"2 threads, avx512", "driver test double, 4.0 GiB", "NVIDIA T400",
		"NVIDIA L40, 48 GiB, H200"} {
		if p := PeakOf(about); p != nil {
			t.Errorf("%s: %+v", about, p)
		}
	}
}

func TestWith(t *testing.T) {
	n, err := small[0].With("S=100, M=9,shared")
	if want := small[0]; err != nil || n.S != 100 || n.M != 9 || !n.Shared || n.B != want.B {
		t.Errorf("%+v, %v", n, err)
	}
	last := small[len(small)-2]
	if steps, err := last.With("I=3,steps"); err != nil || steps.I != 3 || !steps.Steps ||
		steps.String() != "I=3 J=3 M=8 B=20 S=1 L=1 R=10 classes=3 light steps" {
		t.Errorf("%+v, %v", steps, err)
	}
	for _, bad := range []string{"D=3", "I=33", "steps=1"} {
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
	text, err := os.ReadFile("../../bench/peers/steps.py")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range Names() {
		n, err := Preset(name)
		if err != nil {
			t.Fatal(err)
		}
		if n.I > 0 {
			continue
		}
		line := fmt.Sprintf("%q: dict(d=%d, j=%d, m=%d, l=%d, hidden=%d, r=%d, b=%d, s=%d, classes=%d),",
			name, n.D, n.J, n.M, n.L, n.Hidden, n.R, n.B, n.S, n.Classes)
		if strings.Contains(string(text), line) == n.Light {
			t.Errorf("bench/peers/steps.py: expected the line %s, unless the step is light", line)
		}
	}
}
