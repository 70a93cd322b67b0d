package train

import (
	"time"

	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// When the plan of a run with a time limit is reviewed: after parts of the time that is left then.
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
func (l *loop) replan() error {
	if l.deadline == 0 || l.out.End != Running || l.out.Steps%reportEvery > 0 {
		return nil
	}
	steps, err := first(l.ranks(), l.revised())
	if err != nil || steps == l.Config.Steps {
		return err
	}
	l.Config = l.Config.Replan(l.out.Steps, steps)
	l.last = l.Config.Last()
	l.schedule()
	return nil
}

// revised is how many steps the run is to have, by the time of those since the last review.
func (l *loop) revised() int {
	now, step, steps := time.Since(l.Started), l.out.Steps, l.Config.Steps
	if now < l.pace.next || step <= l.pace.step || l.Config.StopAfter > 0 {
		return steps
	}
	perStep := max(1, (now-l.pace.since)/time.Duration(step-l.pace.step))
	l.pace = newPace(step, now, l.deadline, nextReview)
	left := l.deadline - now
	if need := time.Duration(steps-step) * perStep; need <= left && need >= share(longEnough, left) {
		return steps
	}
	return min(step+max(1, int(share(planned, left)/perStep)), options.MaxSteps)
}
