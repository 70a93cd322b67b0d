package train

import (
	"context"
	"time"

	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// clock is the time of a run.
type clock struct {
	limit          TimeLimit     // the time limit, whose clock also runs if there is no limit
	deadline       time.Duration // time on the limit's clock after which no step begins; 0 without a limit
	firstStepTime  time.Time     // time when this process began its first step
	earlierSeconds float64       // seconds of attempts, and of the steps before a resume
	interval       timingInterval
}

// start begins to time the steps; the given number is done already.
func (c *clock) start(steps int) {
	c.firstStepTime = time.Now()
	c.interval = newTimingInterval(steps, c.used(), c.deadline, firstInterval)
}

// used returns the time since the limit began to run.
func (c *clock) used() time.Duration { return time.Since(c.limit.Began) }

// within returns a context that ends after a share of the time that remains, and this end on the limit's clock. Without
// a limit, it ends with ctx, and end is 0.
func (c *clock) within(ctx context.Context, share float64) (_ context.Context, cancel func(), end time.Duration) {
	if c.deadline == 0 {
		ctx, cancel = context.WithCancel(ctx)
		return ctx, cancel, 0
	}
	used := c.used()
	end = used + portion(share, c.deadline-used)
	ctx, cancel = context.WithDeadline(ctx, c.limit.Began.Add(end))
	return ctx, cancel, end
}

// late reports whether another step would end after the limit.
func (c *clock) late() bool { return c.deadline > 0 && c.used() > c.deadline }

// seconds returns the time in steps, and in those of attempts.
func (c *clock) seconds() float64 { return c.earlierSeconds + time.Since(c.firstStepTime).Seconds() }

// The timing intervals of a run with a time limit, in shares of the time that remains. A plan is kept at their end if
// it takes no more than that time, and at least minPlanShare of it.
const (
	firstInterval = 1.0 / 16
	nextInterval  = 1.0 / 3
	minPlanShare  = 0.85
)

// timingInterval is a time over which the speed of the steps is measured, on the clock of the time limit.
type timingInterval struct {
	steps      int // number of steps before it
	begin, end time.Duration
}

func newTimingInterval(steps int, now, deadline time.Duration, share float64) timingInterval {
	return timingInterval{steps, now, now + portion(share, deadline-now)}
}

// replan plans the rest of a run with a time limit again if the machine has become slower or faster. Rank 0 decides.
func (r *run) replan() error {
	if r.clock.deadline == 0 || r.out.StopReason != Running || r.out.Steps%reportEvery > 0 {
		return nil
	}
	c := r.config
	steps := c.Steps
	if c.StopAfter == 0 {
		steps = r.clock.revisedSteps(r.out.Steps, steps)
	}
	if c.RowsChoseLength || c.Temperature > 0 && !c.Explicit("temperature") {
		// the choice holds up to the length that was scored
		steps = min(steps, c.Steps)
	}
	steps, err := broadcastInt(r.job.ranks(), steps)
	if err != nil || steps == c.Steps {
		return err
	}
	r.config = c.WithLength(r.out.Steps, steps)
	r.finalStep = r.config.Last()
	r.schedule = newSchedule(r.config)
	return nil
}

// revisedSteps returns the number of steps that the run is to have now, by its speed in a timing interval; steps is the
// plan until then.
func (c *clock) revisedSteps(step, steps int) int {
	used := c.used()
	if used < c.interval.end || step <= c.interval.steps {
		return steps
	}
	perStep := max(1, (used-c.interval.begin)/time.Duration(step-c.interval.steps))
	c.interval = newTimingInterval(step, used, c.deadline, nextInterval)
	remaining := c.deadline - used
	planTime := time.Duration(steps-step) * perStep
	if planTime <= remaining && planTime >= portion(minPlanShare, remaining) {
		return steps
	}
	return min(step+affordableSteps(remaining, perStep), options.MaxSteps)
}

// affordableSteps returns the number of steps that are planned for the remaining time, at least one.
func affordableSteps(remaining, perStep time.Duration) int {
	return max(1, int(portion(plannedShare, remaining)/perStep))
}
