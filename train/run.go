package train

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
	"github.com/gpdrf/gpdrf-gpu/train/step"
)

// reportEvery is the number of steps between two readings from the device.
const reportEvery = 10

// run is a Job from its first step to its last: the model on its device, the rows uploaded.
type run struct {
	job       *Job // all that the run settles is in its Config
	trained   *fitted.Model
	init      model.Init
	step      *step.Step
	schedule  schedule
	validator *validator // nil for none
	saver     *saver
	clock     clock
	readings  []float64 // of the objective, every reportEvery steps

	out         *Outcome
	first, last int // the steps that were done before this process; the last step
}

// train takes the steps, from the start or from where a Checkpoint left the run. A context that is
// cancelled ends it after the step, or between two parts of it: then the run ends at the step
// before. Where no step was done, its error is all there is.
func (r *run) train(ctx context.Context) (*Outcome, error) {
	j := r.job
	r.last, r.out = j.Config.Last(), &Outcome{Trained: r.trained, Parameters: r.step.Model.Params().Len()}
	if j.From != nil {
		r.first, r.clock.before = j.From.Step, j.From.Seconds
		r.out.Steps = r.first
	}
	j.Reporter.Begin(r.last)
	defer j.Reporter.End()
	r.saver = newSaver(j.Config)
	r.clock.start(r.out.Steps)
	for r.out.End == Running {
		if err := r.next(ctx); err != nil {
			return nil, err
		}
	}
	if err := r.finish(); err != nil {
		return nil, err
	}
	return r.out, nil
}

// next is a step, with the readings and writings after it. It also checks whether it was the last.
func (r *run) next(ctx context.Context) error {
	r.step.Votes = r.votes(ctx)
	done, err := r.advance(r.out.Steps + 1)
	if err != nil {
		return fmt.Errorf("training failed at step %d of %d: %w", r.out.Steps+1, r.last, err)
	}
	if done {
		r.out.Steps++
	} else if r.out.Steps == r.first {
		return context.Cause(ctx)
	}
	r.out.End = r.end(ctx)
	if err := r.compare(); err != nil {
		return err
	}
	if done { // a step that was left leaves nothing to look at
		if err := r.readReport(); err != nil {
			return err
		}
		if err := r.replan(); err != nil {
			return err
		}
	}
	if r.out.End != Finished && r.validator.patienceIsOver() {
		r.out.End = EarlyStop
	}
	// Save first: the extra evaluation of finish belongs only to an interrupted run.
	running := r.out.End == Running || r.out.End.cutShort()
	if r.job.Save != nil && running && (r.saver.due(r.out.Steps) || r.out.End == Interrupted) {
		r.out.Seconds = r.clock.seconds()
		r.checkpoint(r.out)
	}
	return nil
}

// advance takes one training step. If it was left between two of its parts, done is false, and
// nothing has changed.
func (r *run) advance(number int) (done bool, err error) {
	if r.schedule.changes(number) {
		r.setRates(number)
	}
	return r.step.Do(device.StepScalars{Step: uint32(number), LR: r.schedule.rate(number),
		KLWeight: r.schedule.kl(number), Natural: r.schedule.naturalSize(number)})
}

// leaves reports whether a step ends between two of its parts. A time limit leaves the first one whole: the
// run ends with a model.
func (r *run) leaves(ctx context.Context) bool {
	return ctx.Err() != nil && (r.out.Steps > r.first || context.Cause(ctx) != ErrLate)
}

// setRates decides which parameters move at a step.
func (r *run) setRates(step int) {
	r.step.SetRates(func(role model.Role) float64 {
		if r.schedule.fixed(role, step) {
			return 0
		}
		return 1
	})
}

// ownEnd is why this rank would end the run, by its clock and its context.
func (r *run) ownEnd(ctx context.Context) End {
	switch {
	case r.clock.late(), context.Cause(ctx) == ErrLate:
		return TimeLimit
	case ctx.Err() != nil:
		return Interrupted
	}
	return Running
}

// votes tell the other ranks, before a step, why this one would end the run.
func (r *run) votes(ctx context.Context) (v step.Votes) {
	switch r.ownEnd(ctx) {
	case TimeLimit:
		v.Late = 1
	case Interrupted:
		v.Interrupted = 1
	}
	return v
}

// end is why the run ends after a step, as far as steps and time tell. By itself no rank leaves the
// others.
func (r *run) end(ctx context.Context) End {
	switch votes := r.step.Votes; {
	case r.out.Steps == r.last:
		return Finished
	case !r.job.shared():
		return r.ownEnd(ctx)
	case votes.Late > 0:
		return TimeLimit
	case votes.Interrupted > 0:
		return Interrupted
	}
	return Running
}

// evaluates reports whether validation rows are evaluated after the last step.
func (r *run) evaluates() bool {
	return r.validator != nil && (r.out.Steps%r.job.Config.EvalEvery == 0 || r.out.Steps == r.last)
}

// reportDue reports whether the Reporter hears of the last step.
func (r *run) reportDue() bool {
	step := r.out.Steps
	return r.evaluates() || step == 1 || step%reportEvery == 0 || step == r.last
}

// readReport reads the report of a step, where one is due. A step in parts is long, so each is read: a
// device that runs ahead would be steps behind a Ctrl-C, and an abandoned step loses its report.
func (r *run) readReport() error {
	if r.reportDue() || r.step.InParts() || r.out.End.cutShort() {
		var err error
		// the bound itself, also while the KL's weight still rises
		if r.out.ELBO, err = r.step.Model.Report(r.job.Config.KLWeight); err != nil {
			return fmt.Errorf("training failed at step %d of %d: %w", r.out.Steps, r.last, err)
		}
		if r.out.Steps%reportEvery == 0 {
			r.readings = append(r.readings, r.out.ELBO.Value)
		}
		r.out.Recent = recent(r.readings)
	}
	if r.evaluates() {
		if err := r.evaluate(); err != nil {
			return err
		}
	}
	if r.reportDue() {
		r.report()
	}
	return nil
}

func (r *run) evaluate() error {
	if err := r.validator.evaluate(r.out.Steps); err != nil {
		return fmt.Errorf("validation failed at step %d of %d: %w", r.out.Steps, r.last, err)
	}
	return nil
}

func (r *run) report() {
	step, elbo := r.out.Steps, r.out.ELBO
	before, elapsed := r.clock.before, time.Since(r.clock.first)
	r.job.Reporter.Step(rundir.Progress{
		Step: step, Total: r.last, ELBO: elbo.Value, ELL: elbo.ELL, KL: elbo.KL, LR: r.schedule.rate(step),
		Recent: r.out.Recent, Bound: r.job.Config.IsBound(),
		Elapsed:        time.Duration(before*float64(time.Second)) + elapsed,
		StepsPerSecond: float64(step-r.first) / elapsed.Seconds(),
		Validation:     r.validator.latest(),
	})
}

// finish closes a run that has ended: it settles the final parameters and their validation.
func (r *run) finish() error {
	out := r.out
	if out.End.cutShort() {
		if r.validator != nil && !r.evaluates() {
			if err := r.evaluate(); err != nil {
				return err
			}
		}
		if !r.reportDue() {
			r.report()
		}
		r.job.Config = r.job.Config.With("stop-after", out.Steps)
	}
	switch out.End {
	case EarlyStop:
		r.job.Reporter.Note("stopped at step %d of %d: %d evaluations in a row did not improve on step %d",
			out.Steps, r.last, r.job.Config.EarlyStop, r.validator.best.Step)
	case TimeLimit:
		r.job.Reporter.Note("stopped at step %d of %d to keep to the time limit", out.Steps, r.last)
	}
	if warning := Unfinished(r.job.Config); warning != "" {
		r.job.Reporter.Note("%s", warning)
	}
	out.Config, out.Seconds = r.job.Config, r.clock.seconds()
	out.Validation = r.validator.finish(out.End)
	out.Rising = r.rising()
	r.trained.Parameters = r.step.Model.Export()
	if err := finite(r.trained.Parameters); err != nil {
		return err
	}
	if out.End != Interrupted || !r.step.InParts() { // after Ctrl-C nobody waits for another long step
		return r.bound()
	}
	return nil
}

// bound evaluates the objective at the final parameters, on the batch of the last step. If that
// fails, the last reading stays: the model matters more than this number.
func (r *run) bound() error {
	if err := r.step.Bound(uint32(r.out.Steps), r.job.Config.KLWeight); err != nil {
		return err
	}
	elbo, err := r.step.Model.Report(r.job.Config.KLWeight)
	if err != nil {
		r.job.Reporter.Note("warning: the objective at the final parameters cannot be computed; %s has that "+
			"of step %d before its update: %v", rundir.ResultFile, r.out.Steps, err)
		return nil
	}
	r.out.ELBO = elbo
	return nil
}

var errNotFinite = errors.New("is not finite")

// finite refuses parameters that are not numbers: the last step may have broken what the last
// reading still found sound.
func finite(named []model.Parameter) error {
	for _, n := range named {
		if !fitted.AllFinite(n.Data) {
			return fmt.Errorf("training failed: parameter %s %w: lower the learning rate", n.Name, errNotFinite)
		}
	}
	return nil
}
