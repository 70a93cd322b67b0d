package train

import (
	"context"
	"fmt"
	"time"

	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// run is the loop, from the start or from where a Checkpoint left it. A context that is cancelled
// ends it after the step, or between two parts of it: then the run ends at the step before. Where
// no step was done, its error is all there is.
func (t *trainer) run(ctx context.Context) (*Outcome, error) {
	c := t.Config
	last, done, before := c.Last(), 0, 0.0
	if t.From != nil {
		done, before = t.From.Step, t.From.Seconds
	}
	out := &Outcome{Trained: t.trained, Parameters: t.model.Params().Len()}
	t.Reporter.Begin(last)
	defer t.Reporter.End()
	t.saver = t.newSaver()
	start := time.Now()
	read := func(step int) (err error) {
		// the bound itself, also while the KL's weight still rises
		if out.ELBO, err = t.model.Report(c.KLWeight); err != nil {
			return fmt.Errorf("training failed at step %d of %d: %w", step, last, err)
		}
		return nil
	}
	evaluate := func(step int) error {
		if err := t.val.evaluate(step); err != nil {
			return fmt.Errorf("validation failed at step %d of %d: %w", step, last, err)
		}
		return nil
	}
	report := func(step int) {
		elbo, elapsed := out.ELBO, time.Since(start)
		t.Reporter.Step(rundir.Progress{
			Step: step, Total: last, ELBO: elbo.Value, ELL: elbo.ELL, KL: elbo.KL, LR: t.sched.rate(step),
			Elapsed:        time.Duration(before*float64(time.Second)) + elapsed,
			StepsPerSecond: float64(step-done) / elapsed.Seconds(),
			Validation:     t.val.latest(),
		})
	}
	for step := done + 1; step <= last; step++ {
		left := !t.step(step)
		if left {
			step-- // whose reading and evaluation are done
			if step == done {
				return nil, context.Cause(ctx)
			}
		}
		out.Steps = step
		late := t.deadline > 0 && time.Since(t.Started) > t.deadline || context.Cause(ctx) == ErrLate
		stop := (late || ctx.Err() != nil) && step < last
		evaluated := t.val != nil && (step%c.EvalEvery == 0 || step == last)
		reported := evaluated || step == 1 || step%reportEvery == 0 || step == last
		// A step in parts is long, so each is read: a device that runs ahead would be steps behind
		// a Ctrl-C, and the report of one that is left is lost.
		if !left && (reported || t.parted || stop) {
			if err := read(step); err != nil {
				return nil, err
			}
		}
		if !left && evaluated {
			if err := evaluate(step); err != nil {
				return nil, err
			}
		}
		if !left && reported {
			report(step)
		}
		if t.val.patienceIsOver() && step < last {
			t.val.stopped = true
			t.Reporter.Note("stopped at step %d of %d: %d evaluations in a row were no better than that of step %d", step, last, c.EarlyStop, t.val.best.Step)
			break
		}
		// Save first: the extra evaluation below belongs only to an interrupted run.
		if t.Save != nil && step < last && (t.saver.due(step) || stop && !late) {
			out.Seconds = before + time.Since(start).Seconds()
			t.checkpoint(out)
		}
		if stop {
			if t.val != nil && !evaluated {
				if err := evaluate(step); err != nil {
					return nil, err
				}
			}
			if !reported {
				report(step)
			}
			c.StopAfter = step
			out.Interrupted = !late
			if late {
				t.Reporter.Note("stopped at step %d of %d to keep to the time limit", step, last)
			}
			break
		}
	}
	out.Seconds = before + time.Since(start).Seconds()
	out.Validation = t.val.finish()
	t.trained.Named = t.model.Export()
	if err := finite(t.trained.Named); err != nil {
		return nil, err
	}
	if !out.Interrupted || !t.parted { // after Ctrl-C nobody waits for another long step
		t.bound(out)
	}
	return out, nil
}

// bound evaluates the objective at the parameters that are kept, on the batch of the last step. If
// it cannot be had there, the last reading stays: a model is worth more than this number.
func (t *trainer) bound(out *Outcome) {
	c := t.Config
	t.model.Gradient(t.pass, t.set, model.Step{Seed: c.Seed, Number: uint32(out.Steps), KLWeight: c.KLWeight})
	elbo, err := t.model.Report(c.KLWeight)
	if err != nil {
		t.Reporter.Note("warning: the objective at the parameters that are kept cannot be had, and the one in %s is that of step %d before its update: %v", rundir.ResultFile, out.Steps, err)
		return
	}
	out.ELBO = elbo
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
