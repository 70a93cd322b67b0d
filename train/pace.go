package train

import (
	"context"
	"time"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// paceSteps is how many steps Pace times, after those in which a device records them.
const paceSteps, paceWarm = 10, 3

// Pace is the time of a step of the Job on its Device, the mean of ten or of those that begin before
// most is over. The Job stays as it is.
func (j *Job) Pace(ctx context.Context, most time.Duration) (pace time.Duration, err error) {
	defer device.Guard(&err)
	probe := *j
	probe.Reporter, probe.Save, probe.Validation = Silent{}, nil, nil
	probed, err := probe.withClassWeights()
	if err != nil {
		return 0, err
	}
	plan, err := probed.settle(ctx)
	if err == nil {
		err = probed.applyPlan(plan)
	}
	if err != nil {
		return 0, err
	}
	r, err := probed.prepare(ctx)
	if err != nil {
		return 0, err
	}
	untimed := 0
	if _, records := j.Device.(device.Recorder); records { // its first step may compile kernels
		if _, err = r.pace(ctx, 1, 1, most); err != nil {
			return 0, err
		}
		untimed = 1
	}
	if pace, err = r.pace(ctx, 1+untimed, paceWarm-untimed, most); err != nil || pace > most {
		return pace, err
	}
	return r.pace(ctx, 1+paceWarm, paceSteps, most)
}

// pace takes steps, and waits for them.
func (r *run) pace(ctx context.Context, first, steps int, most time.Duration) (time.Duration, error) {
	start, done := time.Now(), 0
	for done == 0 || done < steps && time.Since(start) < most {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if _, err := r.advance(first + done); err != nil {
			return 0, err
		}
		done++
	}
	_, err := r.step.Model.Report(1)
	return time.Since(start) / time.Duration(done), err
}
