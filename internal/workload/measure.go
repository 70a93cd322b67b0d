package workload

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// Figure is the time and the work of an operation, or of a whole step.
type Figure struct {
	Name    string  `json:"name"`
	Calls   int     `json:"calls"`   // in a step
	MS      float64 `json:"ms"`      // of these together: the median of the repeats
	Repeats int     `json:"repeats"` // steps, or rounds of them
	GFLOPs  float64 `json:"gflop_per_second"`
	GBs     float64 `json:"gbyte_per_second"`
	FloorMS float64 `json:"floor_ms,omitempty"` // 0: the peak is not known
	Unit    string  `json:"floor_unit,omitempty"`
	Share   float64 `json:"share_of_floor,omitempty"` // FloorMS/MS
	Cost    Cost    `json:"cost"`
}

// StepFigure is a whole step.
type StepFigure struct {
	Figure
	Preset  string  `json:"preset"`
	Size    Size    `json:"shape"`
	Steps   float64 `json:"steps_per_second"`
	Samples float64 `json:"samples_per_second"` // S·B in a step
	ELBO    float64 `json:"elbo"`               // of the last step: nobody times nonsense
}

// Machine is a device to measure, with its peak and precision.
type Machine struct {
	Device device.Device
	Peak   *Peak // nil: not known
	// Precision is the precision of products of Real tensors; "" is device.Highest.
	Precision device.Precision
}

func (m Machine) figure(name string, calls int, times []time.Duration, cost Cost) Figure {
	seconds := median(times).Seconds()
	f := Figure{Name: name, Calls: calls, MS: 1e3 * seconds, Repeats: len(times), Cost: cost}
	if seconds > 0 {
		f.GFLOPs, f.GBs = cost.FLOPs()/seconds/1e9, cost.Bytes/seconds/1e9
	}
	if m.Peak != nil {
		floor, unit := m.Peak.Floor(cost, m.real())
		f.FloorMS, f.Unit = 1e3*floor.Seconds(), unit
		if seconds > 0 {
			f.Share = f.FloorMS / f.MS
		}
	}
	return f
}

// Operations times each operation of a step by itself until the time is spent: after a step to warm
// up, at least one. It ends with the context's error between two steps.
func (m Machine) Operations(ctx context.Context, n Size, limit time.Duration) ([]Figure, error) {
	meter := newMeter(m.Device)
	s, err := NewStep(meter, n)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	s.Run()
	if _, err := s.wait(); err != nil {
		return nil, err
	}
	meter.begin()
	for once := true; once || time.Since(start) < limit; once = false {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		s.Run()
		meter.end()
	}
	if _, err := s.wait(); err != nil {
		return nil, err
	}
	var figures []Figure
	for _, name := range meter.order {
		p := meter.places[name]
		figures = append(figures, m.figure(name, p.calls, p.seconds, p.cost))
	}
	return figures, nil
}

// Step times whole steps until the time is spent: after some to warm up, at least one round. It
// ends with the context's error between two rounds.
func (m Machine) Step(ctx context.Context, preset string, n Size, limit time.Duration) (f StepFigure, err error) {
	start := time.Now()
	cost, err := n.Cost(m.Device.Name())
	if err != nil {
		return f, err
	}
	s, err := NewStep(m.Device, n)
	if err != nil {
		return f, err
	}
	r := Rounds{Step: s}
	var times []time.Duration
	for once := true; once || time.Since(start) < limit; once = false {
		if ctx.Err() != nil {
			return f, ctx.Err()
		}
		t, err := r.Next()
		if err != nil {
			return f, err
		}
		times = append(times, t)
	}
	f = StepFigure{Figure: m.figure("step", 1, times, cost), Preset: preset, Size: n, ELBO: r.ELBO}
	f.Steps = 1e3 / f.MS
	f.Samples = float64(n.S*n.B) * f.Steps
	return f, nil
}

// round is the time that a round takes at least, so that waiting for its end is little of it.
const round = 100 * time.Millisecond

// Rounds runs a step in rounds: several steps in a row that are waited for together.
type Rounds struct {
	Step  *Step
	ELBO  float64 // of the last step
	steps int     // in a round
}

// Next is the time of a step in the next round. The first call warms up, which takes three steps
// where a device compiles and records them, and finds how many steps a round has.
func (r *Rounds) Next() (time.Duration, error) {
	if r.steps > 0 {
		t, err := r.run(r.steps)
		return t / time.Duration(r.steps), err
	}
	for warm := range 4 {
		t, err := r.run(1)
		if err != nil {
			return 0, err
		}
		r.steps = 1 + int(round/(t+1))
		if warm > 0 && r.steps == 1 { // a slow one is warm after one step
			return t, nil
		}
	}
	return r.Next()
}

func (r *Rounds) run(steps int) (time.Duration, error) {
	start := time.Now()
	for range steps {
		r.Step.Run()
	}
	elbo, err := r.Step.wait()
	r.ELBO = elbo.Value
	return time.Since(start), err
}

// median is the middle of an ordered copy, of two the greater.
func median[T cmp.Ordered](x []T) T {
	s := slices.Sorted(slices.Values(x))
	return s[len(s)/2]
}
