package train

import (
	"context"
	"time"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// timedSteps is the number of steps that MeanStepTime times.
const timedSteps = 10

// MeanStepTime returns the mean time of a step of the Job on its Device. It times ten steps, or as many as begin within
// the time of ten steps that are as long as slow. It does not change the Job.
func (j *Job) MeanStepTime(ctx context.Context, slow time.Duration) (mean time.Duration, err error) {
	defer device.RecoverFault(&err)
	r := j.newRun()
	r.reporter, r.save, r.validation = Silent{}, nil, nil
	if err := r.resolve(ctx); err != nil {
		return 0, err
	}
	plan, err := r.planMemory(ctx)
	if err != nil {
		return 0, err
	}
	if err := r.usePlan(plan); err != nil {
		return 0, err
	}
	if err := r.prepare(ctx); err != nil {
		return 0, err
	}
	_, compiles := j.Device.(device.Recorder) // its first step may compile kernels
	first, most := 1, timedSteps*slow
	for _, steps := range []int{1, timingWarmup - 1, timedSteps} {
		if mean, _, err = r.timeSteps(ctx, first, steps, most); err != nil {
			return 0, err
		}
		if mean > most && !(first == 1 && compiles) {
			break
		}
		first += steps
	}
	if _, err := r.step.Model.Report(1); err != nil {
		return 0, err
	}
	return mean, context.Cause(ctx)
}

// timeSteps returns the mean time of steps that do not count, from a number on. It takes the given number of steps, or
// as many as begin on rank 0 within the time most, and before ctx is done. It waits for their end, and ignores that
// their objective is not finite.
func (r *run) timeSteps(ctx context.Context, first, steps int, most time.Duration) (mean time.Duration, done int,
	err error) {
	for start := time.Now(); ; done++ {
		more, err := r.broadcastBool(ctx.Err() == nil && (done == 0 || done < steps && time.Since(start) < most))
		if err != nil {
			return 0, 0, err
		}
		if !more {
			_, _ = r.step.Model.Report(1) // it waits for the device
			return time.Since(start) / time.Duration(max(1, done)), done, nil
		}
		if _, err := r.doStep(first + done); err != nil {
			return 0, 0, err
		}
	}
}
