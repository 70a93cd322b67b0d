package train

import (
	"time"

	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// clock is the time of a run.
type clock struct {
	limit    Limit         // whose time also runs without a limit
	deadline time.Duration // of its time; 0: no deadline
	first    time.Time     // when this process began its first step
	before   float64       // seconds of the steps of other processes
	pace     pace
}

// start begins the time of the steps, of which some may be done.
func (c *clock) start(steps int) {
	c.first = time.Now()
	c.pace = newPace(steps, c.used(), c.deadline, firstReview)
}

// used is the time of the limit that is over.
func (c *clock) used() time.Duration { return time.Since(c.limit.Began) }

// late reports whether another step would end after the limit.
func (c *clock) late() bool { return c.deadline > 0 && c.used() > c.deadline }

// seconds is the time in steps.
func (c *clock) seconds() float64 { return c.before + time.Since(c.first).Seconds() }

// When the plan of a run with a time limit is reviewed: after parts of the time that remains then.
// A plan stays that takes no more than that time, and not much less.
const (
	firstReview = 1.0 / 16
	nextReview  = 1.0 / 3
	longEnough  = 0.85
)

// pace is how fast a run goes since a review.
type pace struct {
	step  int
	since time.Duration // of the clock of the time limit, as next
	next  time.Duration // the time of the next review
}

func newPace(step int, now, deadline time.Duration, after float64) pace {
	return pace{step, now, now + share(after, deadline-now)}
}

// replan plans the rest of a run with a time limit again, where the machine has become slower or
// faster. Rank 0 decides.
func (r *run) replan() error {
	if r.clock.deadline == 0 || r.out.End != Running || r.out.Steps%reportEvery > 0 {
		return nil
	}
	c := r.job.Config
	steps := c.Steps
	if c.StopAfter == 0 {
		steps = r.clock.revised(r.out.Steps, steps)
	}
	if c.RowsChoseLength {
		steps = min(steps, c.Steps)
	}
	steps, err := first(r.job.ranks(), steps)
	if err != nil || steps == c.Steps {
		return err
	}
	r.job.Config = c.Replan(r.out.Steps, steps)
	r.last = r.job.Config.Last()
	r.schedule = newSchedule(r.job.Config)
	return nil
}

// revised is the number of steps that a run is to have in place of steps, by the pace since the
// last review.
func (c *clock) revised(step, steps int) int {
	now := c.used()
	if now < c.pace.next || step <= c.pace.step {
		return steps
	}
	perStep := max(1, (now-c.pace.since)/time.Duration(step-c.pace.step))
	c.pace = newPace(step, now, c.deadline, nextReview)
	remaining := c.deadline - now
	if need := time.Duration(steps-step) * perStep; need <= remaining && need >= share(longEnough, remaining) {
		return steps
	}
	return min(step+max(1, int(share(planned, remaining)/perStep)), options.MaxSteps)
}
