package workload

import (
	"context"
	"slices"
	"time"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// StepFigure is the time of a whole step.
type StepFigure struct {
	Name    string  `json:"name"`
	Calls   int     `json:"calls"`
	MS      float64 `json:"ms"`      // the median of the rounds
	Repeats int     `json:"repeats"` // number of rounds of steps
	Preset  string  `json:"preset"`
	Size    Size    `json:"shape"`
	Steps   float64 `json:"steps_per_second"`
	Samples float64 `json:"samples_per_second"` // S·B times the steps of a second
	ELBO    float64 `json:"elbo"`               // ELBO of the last step: a wrong step is not worth a time
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
	f := StepFigure{Name: "step", Calls: 1, MS: 1e3 * median(times).Seconds(), Repeats: len(times), Preset: preset,
		Size: n, ELBO: r.ELBO}
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
