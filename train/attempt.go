package train

import (
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

// attempt trains from the start of the run on the rows that are not held out. It reports whether there is time for
// more attempts. An attempt that breaks off or is cut short does not count. One of a checkpoint is taken from there.
func (ch *chooser) attempt(ctx context.Context, c candidate, steps int) (more bool, err error) {
	a := rundir.Attempt{Objective: c.objective, KLWeight: c.klWeight, Steps: steps, Columns: ch.columns}
	saved := slices.IndexFunc(ch.savedAttempts, func(of rundir.Attempt) bool {
		return candidateOf(&of) == c && of.Steps == steps && of.Columns == ch.columns
	})
	if saved >= 0 { // it is in the checkpoint
		if a = ch.savedAttempts[saved]; a.Seconds > 0 {
			ch.pace = pace{ch.pace.steps + a.Steps, ch.pace.seconds + a.Seconds}
		}
	} else if more, err = ch.run.rankZeroAnswer(ctx.Err() == nil); !more || err != nil {
		return more, err
	} else if err := ch.score(ctx, &a); errors.Is(err, ErrLate) {
		return true, nil // a time limit or Ctrl-C has ended it
	} else if err != nil {
		return false, err
	}
	ch.doneSteps += steps
	ch.attempts = append(ch.attempts, a)
	if ch.run.job.Save != nil && saved < 0 { // the run can resume after the attempts
		ch.first.run.checkpointAttempts(ch.attempts)
	}
	if a.Logs != nil {
		what := c.String()
		if a.Columns != "" {
			what += " on " + a.Columns
		}
		ch.run.job.Reporter.Note("%d rows held out: %-43s %6d steps, log density %.4f", ch.heldOut.N(), what, steps,
			ch.meanOf(&a))
	}
	return true, nil
}

// score trains an attempt and fills in its log densities. It returns ErrLate if the attempt was cut short, or an
// error that this rank alone has. An attempt that breaks off has no log densities, and no error.
func (ch *chooser) score(ctx context.Context, a *rundir.Attempt) error {
	job, trained := *ch.run.job, *ch.run.trained
	job.Train, job.Validation, job.Save, job.Reporter = ch.trainRows, nil, nil, attemptReporter{chooser: ch}
	uncancelled := ctx // ranks vote to end between steps: other work runs to its end on all of them
	if job.shared() {
		uncancelled = context.WithoutCancel(ctx)
	}
	if job.distancesInSteps {
		job.sequences = job.sequences.withRows(uncancelled, ch.trainRows)
	}
	job.Config.Objective, job.Config.KLWeight = a.Objective, a.KLWeight
	job.Config.Batch = min(job.Config.Batch, ch.trainRows.N())
	job.Config, _ = job.Config.ForChosenSteps(a.Steps, a.Steps)
	p, err := ch.trainAndPredict(ctx, uncancelled, &run{job: &job, trained: &trained, init: ch.run.init}, a)
	if uncancelled.Err() != nil || err == ErrLate {
		return ErrLate
	}
	if err != nil && job.shared() && !Diverged(err) {
		return err
	}
	if err != nil {
		ch.run.job.Reporter.Note("an attempt with %s broke off, and does not count: %v", candidateOf(a), err)
		return nil
	}
	logs := trained.DensitiesOf(p, ch.heldOut, 0).Log
	if mean, _ := ch.weights.MeanError(logs); math.IsNaN(mean) || math.IsInf(mean, 0) {
		ch.run.job.Reporter.Note("an attempt with %s does not count: its log density is %g", candidateOf(a), mean)
		return nil
	}
	a.Logs = logs
	if job.Config.Temperature == 0 {
		a.Temperature, _, _ = Temperature(&trained, p, ch.heldOut)
		if ch.heldOut.Task == data.Regression { // the rows flatter the attempt that they choose: it gets no surer
			a.Temperature = max(1, a.Temperature)
		}
	}
	return nil
}

// trainAndPredict takes the steps of an attempt under ctx, whose time a gets. It does all else under uncancelled: it
// builds the run, and predicts the rows that were held out. Too little memory on the device is an error.
func (ch *chooser) trainAndPredict(ctx, uncancelled context.Context, r *run, a *rundir.Attempt) (
	p *model.Prediction, err error) {

	defer device.Guard(&err)
	if err := r.build(uncancelled); err != nil {
		return nil, err
	}
	r.reset()
	out, err := r.train(ctx)
	if err != nil {
		return nil, err
	}
	a.Seconds = out.Seconds
	ch.pace = pace{ch.pace.steps + out.Steps, ch.pace.seconds + out.Seconds}
	if out.End != Finished {
		return nil, ErrLate
	}
	rows := model.HostRows{N: ch.heldOut.N(), X: r.trained.Inputs(uncancelled, ch.heldOut)}
	if r.job.distancesInSteps {
		rows.X, rows.Features = r.trained.Numbers(ch.heldOut), r.job.sequences.withRows(uncancelled, ch.heldOut).train
	}
	deviceRows := r.step.Model.UploadRows(rows, nil, nil)
	if p, err = r.step.Model.NewPredictor(deviceRows, options.ValidationSamples).Predict(r.job.Config.Seed); err == nil {
		p.AddOffset(ch.heldOut.Offset)
	}
	return p, err
}

// attemptReporter is the Reporter of the attempts. It passes their progress on to the run's own Reporter. It ends them
// if, at their pace, the time limit leaves too little time for the run that follows.
type attemptReporter struct {
	Silent
	chooser *chooser
}

func (r attemptReporter) Step(p rundir.Progress) {
	ch := r.chooser
	ch.run.job.Reporter.Doing("choosing the objective", float64(ch.doneSteps+p.Step)/float64(ch.totalSteps))
	followingSteps := leastSteps // the run that follows is as long as the longest attempt so far
	for _, a := range ch.attempts {
		followingSteps = max(followingSteps, a.Steps)
	}
	perStep := (ch.pace.seconds + p.Elapsed.Seconds()) / float64(ch.pace.steps+p.Step)
	reserve := time.Duration(float64(followingSteps) * perStep * float64(time.Second))
	clock, first := ch.run.clock, ch.run.job.ranks().Rank() == 0
	if first && clock.deadline > 0 && p.Step >= reportEvery && clock.used()+reserve > clock.deadline {
		ch.cancel()
	}
}
