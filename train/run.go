package train

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/stats"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
	"github.com/gpdrf/gpdrf-gpu/train/step"
)

// reportEvery is the number of steps between two readings of the objective.
const reportEvery = 10

// run is a Job on its way to a model. Its config follows what the run settles.
type run struct {
	spec
	trained      *fitted.Model
	init         model.Init
	step         *step.Step
	schedule     schedule
	validator    *validator // nil without validation rows
	checkpointer *checkpointer
	clock        clock
	readings     []float64 // objective after every reportEvery steps

	out                     *Outcome
	earlierSteps, finalStep int // number of steps that earlier processes have done; number of the plan's last step
}

// takeSteps takes the steps, from the start or from a Checkpoint. A context that is cancelled ends the run after the
// step. If it ends a step between two of its chunks, the run ends at the step before. If no step was done, the cause of
// the context is the error.
func (r *run) takeSteps(ctx context.Context) (*Outcome, error) {
	r.finalStep = r.config.Last()
	r.out = &Outcome{Trained: r.trained, Parameters: r.step.Model.Params().Len()}
	if c := r.job.resumed(); c != nil {
		r.earlierSteps = c.Step
		r.clock.earlierSeconds += c.Seconds
		r.out.Steps = r.earlierSteps
	}
	r.reporter.Begin(r.finalStep)
	defer r.reporter.End()
	r.checkpointer = newCheckpointer(r.config)
	r.clock.start(r.out.Steps)
	for r.out.StopReason == Running {
		if err := r.takeStep(ctx); err != nil {
			return nil, err
		}
	}
	if err := r.finish(); err != nil {
		return nil, err
	}
	return r.out, nil
}

// takeStep takes a step, decides whether the run ends after it, and does the readings, evaluations and checkpoints that
// follow it.
func (r *run) takeStep(ctx context.Context) error {
	r.step.Votes = r.votes(ctx)
	done, err := r.doStep(r.out.Steps + 1)
	if err != nil {
		return fmt.Errorf("training failed at step %d of %d: %w", r.out.Steps+1, r.finalStep, err)
	}
	if done {
		r.out.Steps++
	} else if r.out.Steps == r.earlierSteps {
		return context.Cause(ctx)
	}
	r.out.StopReason = r.stopReason(ctx)
	if err := r.compareRanks(); err != nil {
		return err
	}
	if done { // a step that was abandoned has no reading
		if err := r.readObjective(); err != nil {
			return err
		}
		if err := r.replan(); err != nil {
			return err
		}
	}
	if r.out.StopReason != Finished && r.validator.patienceIsOver() {
		r.out.StopReason = EarlyStop
	}
	if r.checkpointIsDue() { // before finish, whose extra evaluation belongs only to an interrupted run
		r.out.Seconds = r.clock.seconds()
		r.checkpoint(r.out)
	}
	return nil
}

// doStep does the work of a step, with the numbers of the schedule. If it was abandoned between two chunks, done is
// false, and nothing has changed.
func (r *run) doStep(number int) (done bool, err error) {
	if r.schedule.changesFixed(number) {
		r.setTrainable(number)
	}
	return r.step.Do(device.StepScalars{Step: uint32(number), LR: r.schedule.learningRate(number),
		KLWeight: r.schedule.klWeight(number), Natural: r.schedule.naturalStepSize(number)})
}

// abandonsStep reports whether to end a step between two of its chunks. A time limit does not end the first step, so
// that the run has a model.
func (r *run) abandonsStep(ctx context.Context) bool {
	return ctx.Err() != nil && (r.out.Steps > r.earlierSteps || !errors.Is(context.Cause(ctx), ErrTimeLimit))
}

// setTrainable holds the parameters that the schedule fixes at a step.
func (r *run) setTrainable(step int) {
	r.step.SetTrainable(func(role model.Role) bool { return !r.schedule.fixed(role, step) })
}

// ownStopReason returns the reason why this rank would end the run, by its clock and its context.
func (r *run) ownStopReason(ctx context.Context) StopReason {
	switch {
	case r.clock.late(), errors.Is(context.Cause(ctx), ErrTimeLimit):
		return LimitReached
	case ctx.Err() != nil:
		return Interrupted
	}
	return Running
}

// votes returns the votes that tell the other ranks, before a step, why this one would end the run.
func (r *run) votes(ctx context.Context) (v step.Votes) {
	switch r.ownStopReason(ctx) {
	case LimitReached:
		v.Late = 1
	case Interrupted:
		v.Interrupted = 1
	}
	return v
}

// stopReason returns the reason why the run ends after a step: its steps are done, or there is no time. Several ranks
// decide together.
func (r *run) stopReason(ctx context.Context) StopReason {
	switch votes := r.step.Votes; {
	case r.out.Steps == r.finalStep:
		return Finished
	case !r.job.shared():
		return r.ownStopReason(ctx)
	case votes.Late > 0:
		return LimitReached
	case votes.Interrupted > 0:
		return Interrupted
	}
	return Running
}

// evaluates reports whether validation rows are evaluated after the step just taken.
func (r *run) evaluates() bool {
	return r.validator != nil && (r.out.Steps%r.config.EvalEvery == 0 || r.out.Steps == r.finalStep)
}

// tellsReporter reports whether the Reporter hears of the step just taken.
func (r *run) tellsReporter() bool {
	step := r.out.Steps
	return r.evaluates() || step == 1 || step%reportEvery == 0 || step == r.finalStep
}

// readObjective reads the objective of a step, evaluates and tells the Reporter where that is due. A step in chunks is
// long, so each is read: a device that runs ahead would end steps after Ctrl-C, and an abandoned step is not reported.
func (r *run) readObjective() error {
	if r.tellsReporter() || r.step.InChunks() || r.out.StopReason.cutShort() {
		var err error
		// the objective with the final weight of the KL, also while that weight still rises
		if r.out.Objective, err = r.step.Model.ReadELBO(r.config.KLWeight); err != nil {
			return fmt.Errorf("training failed at step %d of %d: %w", r.out.Steps, r.finalStep, err)
		}
		if r.out.Steps%reportEvery == 0 {
			r.readings = append(r.readings, r.out.Objective.Value)
		}
		r.out.ObjectiveMean = meanObjective(r.readings)
	}
	if r.evaluates() {
		if err := r.evaluate(); err != nil {
			return err
		}
	}
	if r.tellsReporter() {
		r.tellReporter()
	}
	return nil
}

func (r *run) evaluate() error {
	if err := r.validator.evaluate(r.out.Steps); err != nil {
		return fmt.Errorf("validation failed at step %d of %d: %w", r.out.Steps, r.finalStep, err)
	}
	return nil
}

func (r *run) tellReporter() {
	step, elbo := r.out.Steps, r.out.Objective
	earlierSeconds := r.clock.earlierSeconds
	elapsed := time.Since(r.clock.firstStepTime)
	r.reporter.Step(rundir.Progress{
		Step: step, Total: r.finalStep, Objective: elbo.Value, ELL: elbo.ELL, KL: elbo.KL,
		LR: r.schedule.learningRate(step), ObjectiveMean: r.out.ObjectiveMean, IsELBO: r.config.IsBound(),
		Elapsed:        time.Duration(earlierSeconds*float64(time.Second)) + elapsed,
		StepsPerSecond: float64(step-r.earlierSteps) / elapsed.Seconds(),
		Validation:     r.validator.latest(),
	})
}

// finish closes a run that has ended: it settles the final parameters and their validation.
func (r *run) finish() error {
	out := r.out
	if out.StopReason.cutShort() {
		if err := r.closeEarly(); err != nil {
			return err
		}
	}
	r.announceEnd()
	out.Config = r.config
	out.Seconds = r.clock.seconds()
	out.Validation = r.validator.finish(out.StopReason)
	out.Rising = r.rising()
	r.trained.Parameters = r.step.Model.Export()
	if err := checkFinite(r.trained.Parameters); err != nil {
		return err
	}
	if out.StopReason != Interrupted || !r.step.InChunks() { // after Ctrl-C, there is no other long step
		return r.evaluateBound()
	}
	return nil
}

// closeEarly evaluates and reports the last step of a run that was cut short, and keeps its number.
func (r *run) closeEarly() error {
	if r.validator != nil && !r.evaluates() {
		if err := r.evaluate(); err != nil {
			return err
		}
	}
	if !r.tellsReporter() {
		r.tellReporter()
	}
	r.config.StopAfter = r.out.Steps
	return nil
}

// announceEnd notes why the run has ended before its steps were done.
func (r *run) announceEnd() {
	switch r.out.StopReason {
	case EarlyStop:
		r.reporter.Note("stopped at step %d of %d: %d evaluations in a row did not improve on step %d",
			r.out.Steps, r.finalStep, r.config.EarlyStop, r.validator.best.Step)
	case LimitReached:
		r.reporter.Note("stopped at step %d of %d to keep to the time limit", r.out.Steps, r.finalStep)
	}
	// the user knows that an interrupted run was stopped
	if warning := UnfinishedWarning(r.config); warning != "" && r.out.StopReason != Interrupted {
		r.reporter.Note("%s", warning)
	}
}

// evaluateBound evaluates the objective at the final parameters, on the batch of the last step. If that fails, the last
// reading stays: the model matters more than this number.
func (r *run) evaluateBound() error {
	if err := r.step.Bound(uint32(r.out.Steps), r.config.KLWeight); err != nil {
		return err
	}
	elbo, err := r.step.Model.ReadELBO(r.config.KLWeight)
	if err != nil {
		r.reporter.Note("warning: the objective at the final parameters cannot be computed; %s has that "+
			"of step %d before its update: %v", rundir.ResultFile, r.out.Steps, err)
		return nil
	}
	r.out.Objective = elbo
	return nil
}

var errNotFinite = errors.New("is not finite")

// Diverged reports whether an error follows from the parameters of a run, so that all ranks have it, and the run would
// have it again. After any other error, a rank that continued would meet the others in the middle of a sum.
func Diverged(err error) bool {
	return errors.Is(err, errNotFinite) || errors.As(err, new(*model.NotFiniteError)) ||
		errors.As(err, new(*device.NotPositiveDefiniteError))
}

// checkFinite refuses parameters that are not finite: the last step may have broken them after the last reading.
func checkFinite(named []model.Parameter) error {
	for _, n := range named {
		if !stats.AllFinite(n.Data) {
			return fmt.Errorf("training failed: parameter %s %w: lower the learning rate", n.Name, errNotFinite)
		}
	}
	return nil
}
