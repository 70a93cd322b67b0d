package workload

import (
	"context"
	"slices"
	"time"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// Figure is the time of an operation, or of a whole step.
type Figure struct {
	Name    string  `json:"name"`
	Calls   int     `json:"calls"`   // number of calls in a step
	MS      float64 `json:"ms"`      // time of these calls together: the median of the repeats
	Repeats int     `json:"repeats"` // number of steps, or of rounds of steps
}

// StepFigure is a whole step.
type StepFigure struct {
	Figure
	Preset  string  `json:"preset"`
	Size    Size    `json:"shape"`
	Steps   float64 `json:"steps_per_second"`
	Samples float64 `json:"samples_per_second"` // S·B times the steps of a second
	ELBO    float64 `json:"elbo"`               // ELBO of the last step: a wrong step is not worth a time
}

func figure(name string, calls int, times []time.Duration) Figure {
	return Figure{Name: name, Calls: calls, MS: 1e3 * median(times).Seconds(), Repeats: len(times)}
}

// TimeOperations times each operation of a step by itself until the time is spent: after a step to warm up, at least
// one step. It ends with the context's error between two steps.
func TimeOperations(ctx context.Context, dev device.Device, n Size, limit time.Duration) ([]Figure, error) {
	meter := newMeter(dev)
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
		p := meter.timings[name]
		figures = append(figures, figure(name, p.calls, p.seconds))
	}
	return figures, nil
}

// TimeStep times whole steps until the time is spent: after some to warm up, at least one round. It ends with the
// context's error between two rounds.
func TimeStep(ctx context.Context, dev device.Device, preset string, n Size, limit time.Duration) (StepFigure, error) {
	start := time.Now()
	s, err := NewStep(dev, n)
	if err != nil {
		return StepFigure{}, err
	}
	r := Rounds{Step: s}
	var times []time.Duration
	for once := true; once || time.Since(start) < limit; once = false {
		if ctx.Err() != nil {
			return StepFigure{}, ctx.Err()
		}
		t, err := r.Next()
		if err != nil {
			return StepFigure{}, err
		}
		times = append(times, t)
	}
	f := StepFigure{Figure: figure("step", 1, times), Preset: preset, Size: n, ELBO: r.ELBO}
	f.Steps = 1e3 / f.MS
	f.Samples = float64(n.S*n.B) * f.Steps
	return f, nil
}

// round is the least time of a round, so that waiting for its end takes a small part of it.
const round = 100 * time.Millisecond

// Rounds runs a step in rounds: several steps in a row that are waited for together.
type Rounds struct {
	Step  *Step
	ELBO  float64 // ELBO of the last step
	steps int     // number of steps in a round
}

// Next runs the next round, and returns the time of a step in it. The first call warms up, which takes three steps
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

// median returns the middle element of a sorted copy, or the greater of two.
func median(x []time.Duration) time.Duration {
	s := slices.Sorted(slices.Values(x))
	return s[len(s)/2]
}
