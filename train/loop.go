package train

import (
	"context"
	"fmt"
	"time"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// End says why a run has ended.
type End int

// The ends of a run.
const (
	Running     End = iota // it goes on
	Finished               // all steps are done
	EarlyStop              // evaluations have not been better for too long
	TimeLimit              // another step would be too late
	Interrupted            // the context was cancelled
)

// cutShort says whether the run could have gone on.
func (e End) cutShort() bool { return e == TimeLimit || e == Interrupted }

// loop is a run between two steps.
type loop struct {
	*trainer
	out         *Outcome
	first, last int     // the steps that were done before the loop; the last step
	before      float64 // seconds in the loop before a Checkpoint
	start       time.Time
	pace        pace
}

// run is the loop, from the start or from where a Checkpoint left it. A context that is cancelled
// ends it after the step, or between two parts of it: then the run ends at the step before. Where
// no step was done, its error is all there is.
func (t *trainer) run(ctx context.Context) (*Outcome, error) {
	l := &loop{trainer: t, last: t.Config.Last(), out: &Outcome{Trained: t.trained, Parameters: t.Model.Params().Len()}}
	if t.From != nil {
		l.first, l.before = t.From.Step, t.From.Seconds
		l.out.Steps = l.first
	}
	t.Reporter.Begin(l.last)
	defer t.Reporter.End()
	t.saver = t.newSaver()
	l.start = time.Now()
	l.pace = newPace(l.out.Steps, time.Since(l.Started), l.deadline, firstReview)
	for l.out.End == Running {
		if err := l.next(ctx); err != nil {
			return nil, err
		}
	}
	if err := l.finish(); err != nil {
		return nil, err
	}
	return l.out, nil
}

// next is a step, what is read and written after it, and whether it was the last.
func (l *loop) next(ctx context.Context) error {
	l.Votes = l.votes(ctx)
	done, err := l.step(l.out.Steps + 1)
	if err != nil {
		return fmt.Errorf("training failed at step %d of %d: %w", l.out.Steps+1, l.last, err)
	}
	if done {
		l.out.Steps++
	} else if l.out.Steps == l.first {
		return context.Cause(ctx)
	}
	l.out.End = l.verdict(ctx)
	if err := l.compare(); err != nil {
		return err
	}
	if done { // a step that was left leaves nothing to look at
		if err := l.look(); err != nil {
			return err
		}
		if err := l.replan(); err != nil {
			return err
		}
	}
	if l.out.End != Finished && l.val.patienceIsOver() {
		l.out.End = EarlyStop
	}
	// Save first: the extra evaluation of finish belongs only to an interrupted run.
	running := l.out.End == Running || l.out.End.cutShort()
	if l.Save != nil && running && (l.saver.due(l.out.Steps) || l.out.End == Interrupted) {
		l.out.Seconds = l.seconds()
		l.checkpoint(l.out)
	}
	return nil
}

// step is one training step. Whether it is done: one that was left between two of its parts has
// changed nothing.
func (t *trainer) step(number int) (done bool, err error) {
	if t.sched.changes(number) {
		t.setRates(number)
	}
	return t.Do(device.Now{Step: uint32(number), LR: t.sched.rate(number),
		KLWeight: t.sched.kl(number), Natural: t.sched.naturalSize(number)})
}

// setRates says which parameters move at a step.
func (t *trainer) setRates(step int) {
	t.SetRates(func(r model.Role) float64 {
		if t.sched.held(r, step) {
			return 0
		}
		return 1
	})
}

// verdict says whether the run continues after a step, as far as steps and time tell.
func (l *loop) verdict(ctx context.Context) End {
	switch {
	case l.out.Steps == l.last:
		return Finished
	case l.ranks().Size() > 1 && l.Votes.Late > 0:
		return TimeLimit
	case l.ranks().Size() > 1 && l.Votes.Interrupted > 0:
		return Interrupted
	case l.ranks().Size() > 1: // by itself no rank leaves the others
		return Running
	case l.deadline > 0 && time.Since(l.Started) > l.deadline, context.Cause(ctx) == ErrLate:
		return TimeLimit
	case ctx.Err() != nil:
		return Interrupted
	}
	return Running
}

// evaluates says whether validation rows are evaluated after the last step.
func (l *loop) evaluates() bool {
	return l.val != nil && (l.out.Steps%l.Config.EvalEvery == 0 || l.out.Steps == l.last)
}

// reports says whether the Reporter hears of the last step.
func (l *loop) reports() bool {
	step := l.out.Steps
	return l.evaluates() || step == 1 || step%reportEvery == 0 || step == l.last
}

// look reads what is to be known of a step. One in parts is long, so each is read: a device that
// runs ahead would be steps behind a Ctrl-C, and the report of a step that is left is lost.
func (l *loop) look() error {
	if l.reports() || l.InParts() || l.out.End.cutShort() {
		var err error
		// the bound itself, also while the KL's weight still rises
		if l.out.ELBO, err = l.Model.Report(l.Config.KLWeight); err != nil {
			return fmt.Errorf("training failed at step %d of %d: %w", l.out.Steps, l.last, err)
		}
		if l.out.Steps%reportEvery == 0 {
			l.readings = append(l.readings, l.out.ELBO.Value)
		}
	}
	if l.evaluates() {
		if err := l.evaluate(); err != nil {
			return err
		}
	}
	if l.reports() {
		l.report()
	}
	return nil
}

func (l *loop) evaluate() error {
	if err := l.val.evaluate(l.out.Steps); err != nil {
		return fmt.Errorf("validation failed at step %d of %d: %w", l.out.Steps, l.last, err)
	}
	return nil
}

// seconds is the time in the loop.
func (l *loop) seconds() float64 { return l.before + time.Since(l.start).Seconds() }

func (l *loop) report() {
	step, elbo, elapsed := l.out.Steps, l.out.ELBO, time.Since(l.start)
	l.Reporter.Step(rundir.Progress{
		Step: step, Total: l.last, ELBO: elbo.Value, ELL: elbo.ELL, KL: elbo.KL, LR: l.sched.rate(step),
		Elapsed:        time.Duration(l.before*float64(time.Second)) + elapsed,
		StepsPerSecond: float64(step-l.first) / elapsed.Seconds(),
		Validation:     l.val.latest(),
	})
}

// finish closes a run that has ended: the parameters that are kept, and what they come to.
func (l *loop) finish() error {
	out := l.out
	if out.End.cutShort() {
		if l.val != nil && !l.evaluates() {
			if err := l.evaluate(); err != nil {
				return err
			}
		}
		if !l.reports() {
			l.report()
		}
		l.Config = l.Config.With("stop-after", out.Steps)
	}
	switch out.End {
	case EarlyStop:
		l.Reporter.Note("stopped at step %d of %d: %d evaluations in a row did not improve on step %d",
			out.Steps, l.last, l.Config.EarlyStop, l.val.best.Step)
	case TimeLimit:
		l.Reporter.Note("stopped at step %d of %d to keep to the time limit", out.Steps, l.last)
	}
	out.Config, out.Seconds = l.Config, l.seconds()
	out.Validation = l.val.finish(out.End)
	out.Rising = l.rising()
	l.trained.Named = l.Model.Export()
	if err := finite(l.trained.Named); err != nil {
		return err
	}
	if out.End != Interrupted || !l.InParts() { // after Ctrl-C nobody waits for another long step
		return l.bound()
	}
	return nil
}

// bound evaluates the objective at the final parameters, on the batch of the last step. If that
// fails, the last reading stays: the model matters more than this number.
func (l *loop) bound() error {
	if err := l.Bound(uint32(l.out.Steps), l.Config.KLWeight); err != nil {
		return err
	}
	elbo, err := l.Model.Report(l.Config.KLWeight)
	if err != nil {
		l.Reporter.Note("warning: the objective at the final parameters cannot be computed; %s has that "+
			"of step %d before its update: %v", rundir.ResultFile, l.out.Steps, err)
		return nil
	}
	l.out.ELBO = elbo
	return nil
}

// finite refuses parameters that are not numbers: the last step may have broken what the last
// reading still found sound.
func finite(named []model.Named) error {
	for _, n := range named {
		if !fitted.AllFinite(n.Data) {
			return fmt.Errorf("training failed: parameter %s is not finite: lower the learning rate", n.Name)
		}
	}
	return nil
}
