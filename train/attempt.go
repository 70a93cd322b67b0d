package train

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/options"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// attemptEach makes an attempt of each candidate.
func (ch *objectiveChoice) attemptEach(ctx context.Context, candidates []objectiveCandidate, steps int) error {
	for _, c := range candidates {
		if err := ch.attempt(ctx, c, steps); err != nil {
			return err
		}
	}
	return nil
}

// attempt trains from the start of the run on the rows that are not held out. It returns ErrTimeLimit if there is no
// time. An attempt that breaks off or is cut short does not count. One of a checkpoint is taken from there.
func (ch *objectiveChoice) attempt(ctx context.Context, c objectiveCandidate, steps int) error {
	in := ch.inputs
	saved := slices.IndexFunc(ch.savedAttempts, func(of rundir.Attempt) bool {
		return candidateOf(&of) == c && of.Steps == steps && of.Columns == in.name
	})
	a := &rundir.Attempt{Likelihood: c.likelihood, Objective: c.objective, KLWeight: c.klWeight, Steps: steps,
		Columns: in.name}
	if saved >= 0 {
		*a = ch.savedAttempts[saved]
		all := steps * len(in.splits)
		ch.doneSteps += all
		ch.seconds += a.Seconds
		if a.Seconds > 0 {
			in.speed.add(all, a.Seconds)
		}
	} else if err := ch.score(ctx, a); err != nil {
		return err
	}
	ch.attempts = append(ch.attempts, *a)
	if ch.run.save != nil && saved < 0 { // the run can resume after the attempts
		ch.run.checkpointAttempts(ch.attempts)
	}
	if a.Logs != nil {
		what := c.String()
		if a.Columns != "" {
			what += " on " + a.Columns
		}
		ch.run.reporter.Note("%d rows held out%s: %-43s %6d steps, log density %.4f", len(a.Logs), in.inTurn(), what,
			steps, ch.meanOf(a))
	}
	return nil
}

// score trains an attempt on each split, and fills in its log densities. It returns ErrTimeLimit if there is no time
// for it to end, or an error that this rank alone has. An attempt that breaks off has no log densities, and no error.
func (ch *objectiveChoice) score(ctx context.Context, a *rundir.Attempt) error {
	if more, err := ch.run.broadcastBool(ctx.Err() == nil); err != nil || !more {
		return cmp.Or(err, ErrTimeLimit)
	}
	shared := ch.run.job.shared()
	workCtx := ctx // ranks vote to end between steps: other work runs to its end on all of them
	if shared {
		workCtx = context.WithoutCancel(ctx)
	}
	var scored Scored
	for _, rows := range ch.inputs.splits {
		r := ch.runOf(workCtx, a, rows.train)
		p, err := ch.trainAndPredict(ctx, workCtx, r, a, rows.heldOut)
		switch {
		case workCtx.Err() != nil, errors.Is(err, ErrTimeLimit):
			return ErrTimeLimit
		case err != nil && shared && !Diverged(err):
			return err
		case err != nil:
			ch.run.reporter.Note("an attempt with %s broke off, and does not count: %v", candidateOf(a), err)
			return nil
		}
		scored = append(scored, ScoredRows{r.trained, p, rows.heldOut})
	}
	logs := scored.logs(1)
	if mean, _ := ch.weights.MeanStdErr(logs); math.IsNaN(mean) || math.IsInf(mean, 0) {
		ch.run.reporter.Note("an attempt with %s does not count: its log density is %g", candidateOf(a), mean)
		return nil
	}
	a.Logs, a.RMSE = logs, scored.rmse()
	if ch.run.config.Temperature == 0 {
		a.Temperature, _, _ = scored.FitTemperature()
		if ch.run.train.Task == data.Regression { // the rows flatter the attempt that they choose: it gets no surer
			a.Temperature = max(1, a.Temperature)
		}
	}
	return nil
}

// runOf returns the run of an attempt on some rows, on no device yet.
func (ch *objectiveChoice) runOf(ctx context.Context, a *rundir.Attempt, rows *data.Dataset) *run {
	in := ch.inputs
	trained := *in.run.trained
	r := &run{spec: in.run.spec, trained: &trained, init: in.run.init}
	r.train, r.validation = rows, nil
	r.save, r.reporter = nil, attemptReporter{choice: ch}
	if r.distancesInSteps {
		r.sequences = r.sequences.withRows(ctx, r.train)
	}
	r.adopt(candidateOf(a), in.run.train)
	r.config.Batch = min(r.config.Batch, r.train.N())
	r.config, _ = r.config.ForChosenSteps(a.Steps, a.Steps)
	return r
}

// adopt gives the run the settings of a candidate. rows are all its training rows.
func (r *run) adopt(c objectiveCandidate, rows *data.Dataset) {
	r.config.Objective, r.config.KLWeight = c.objective, c.klWeight
	if c.likelihood != r.config.Likelihood {
		r.config = r.config.ForLikelihood(c.likelihood, rows)
		r.trained.Config = r.config.ModelConfig(rows)
	}
}

// trainAndPredict takes the steps of an attempt under stepsCtx, whose time a gets. It does all else under
// workCtx: it builds the run, and predicts the rows that were held out. Too little memory on the device is an error.
func (ch *objectiveChoice) trainAndPredict(stepsCtx, workCtx context.Context, r *run, a *rundir.Attempt,
	heldOut *data.Dataset) (p *model.Prediction, err error) {

	defer device.RecoverFault(&err)
	if err := r.build(workCtx); err != nil {
		return nil, err
	}
	r.reset()
	out, err := r.takeSteps(stepsCtx)
	if err != nil {
		return nil, err
	}
	a.Seconds += out.Seconds
	ch.trainings, ch.seconds, ch.doneSteps = ch.trainings+1, ch.seconds+out.Seconds, ch.doneSteps+out.Steps
	ch.inputs.speed.add(out.Steps, out.Seconds)
	if out.StopReason != Finished {
		return nil, ErrTimeLimit
	}
	rows := model.HostRows{N: heldOut.N(), X: r.trained.Inputs(workCtx, heldOut)}
	if r.distancesInSteps {
		rows.X, rows.Features = r.trained.ScaledColumns(heldOut), r.sequences.withRows(workCtx, heldOut).train
	}
	deviceRows := r.step.Model.UploadRows(rows, nil, nil)
	if p, err = r.step.Model.NewPredictor(deviceRows, options.ValidationSamples).Predict(r.config.Seed); err != nil {
		return nil, err
	}
	p.AddOffset(heldOut.Offset)
	return p, nil
}

// attemptReporter is the Reporter of the attempts. It passes their progress on to the run's own Reporter, and ends them
// where they are late.
type attemptReporter struct {
	Silent
	choice *objectiveChoice
}

func (r attemptReporter) Step(p rundir.Progress) {
	ch := r.choice
	ch.run.reporter.Phase("choosing the objective", float64(ch.doneSteps+p.Step)/float64(ch.totalSteps))
	if p.Step >= reportEvery && ch.run.job.ranks().Rank() == 0 && ch.late(p.Step, p.Elapsed.Seconds()) {
		ch.cancel()
	}
}

// late reports whether a time limit leaves too little time for the run that follows, at the speed of all attempts and
// of the one that has taken steps in seconds. The run is as long as the longest attempt so far.
func (ch *objectiveChoice) late(steps int, seconds float64) bool {
	following := minSteps
	for _, a := range ch.attempts {
		following = max(following, a.Steps)
	}
	all, clock := ch.inputs.speed, ch.run.clock
	all.add(steps, seconds)
	return clock.deadline > 0 && clock.used()+time.Duration(following)*all.perStep() > clock.deadline
}
