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

// attemptEach makes an attempt of each candidate.
func (ch *chooser) attemptEach(ctx context.Context, candidates []candidate, steps int) error {
	for _, c := range candidates {
		if err := ch.attempt(ctx, c, steps); err != nil {
			return err
		}
	}
	return nil
}

// attempt trains from the start of the run on the rows that are not held out. It returns ErrLate if there is no time.
// An attempt that breaks off or is cut short does not count. One of a checkpoint is taken from there.
func (ch *chooser) attempt(ctx context.Context, c candidate, steps int) error {
	in := ch.inputs
	saved := slices.IndexFunc(ch.savedAttempts, func(of rundir.Attempt) bool {
		return candidateOf(&of) == c && of.Steps == steps && of.Columns == in.name
	})
	a := &rundir.Attempt{Objective: c.objective, KLWeight: c.klWeight, Steps: steps, Columns: in.name}
	if saved >= 0 {
		*a = ch.savedAttempts[saved]
		if a.Seconds > 0 {
			in.speed.add(a.Steps, a.Seconds)
		}
	} else if err := ch.score(ctx, a); err != nil {
		return err
	}
	ch.doneSteps += steps
	ch.attempts = append(ch.attempts, *a)
	if ch.run.save != nil && saved < 0 { // the run can resume after the attempts
		ch.run.checkpointAttempts(ch.attempts)
	}
	if a.Logs != nil {
		what := c.String()
		if a.Columns != "" {
			what += " on " + a.Columns
		}
		ch.run.reporter.Note("%d rows held out: %-43s %6d steps, log density %.4f", in.heldOut.N(), what, steps,
			ch.meanOf(a))
	}
	return nil
}

// score trains an attempt and fills in its log densities. It returns ErrLate if there is no time for it to end, or an
// error that this rank alone has. An attempt that breaks off has no log densities, and no error.
func (ch *chooser) score(ctx context.Context, a *rundir.Attempt) error {
	if more, err := ch.run.broadcastBool(ctx.Err() == nil); err != nil {
		return err
	} else if !more {
		return ErrLate
	}
	in := ch.inputs
	shared := ch.run.job.shared()
	s := in.run.setup
	trained := *in.run.trained
	s.train, s.validation = in.trainRows, nil
	s.save, s.reporter = nil, attemptReporter{chooser: ch}
	uncancelled := ctx // ranks vote to end between steps: other work runs to its end on all of them
	if shared {
		uncancelled = context.WithoutCancel(ctx)
	}
	if s.distancesInSteps {
		s.sequences = s.sequences.withRows(uncancelled, s.train)
	}
	s.config.Objective, s.config.KLWeight = a.Objective, a.KLWeight
	s.config.Batch = min(s.config.Batch, s.train.N())
	s.config, _ = s.config.ForChosenSteps(a.Steps, a.Steps)
	p, err := ch.trainAndPredict(ctx, uncancelled, &run{setup: s, trained: &trained, init: in.run.init}, a)
	if uncancelled.Err() != nil || errors.Is(err, ErrLate) {
		return ErrLate
	}
	if err != nil && shared && !Diverged(err) {
		return err
	}
	if err != nil {
		ch.run.reporter.Note("an attempt with %s broke off, and does not count: %v", candidateOf(a), err)
		return nil
	}
	logs := trained.DensitiesOf(p, in.heldOut, 0).Log
	if mean, _ := ch.weights.MeanError(logs); math.IsNaN(mean) || math.IsInf(mean, 0) {
		ch.run.reporter.Note("an attempt with %s does not count: its log density is %g", candidateOf(a), mean)
		return nil
	}
	a.Logs = logs
	if s.config.Temperature == 0 {
		a.Temperature, _, _ = Temperature(&trained, p, in.heldOut)
		if in.heldOut.Task == data.Regression { // the rows flatter the attempt that they choose: it gets no surer
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
	out, err := r.takeSteps(ctx)
	if err != nil {
		return nil, err
	}
	in := ch.inputs
	a.Seconds = out.Seconds
	in.speed.add(out.Steps, out.Seconds)
	if out.End != Finished {
		return nil, ErrLate
	}
	rows := model.HostRows{N: in.heldOut.N(), X: r.trained.Inputs(uncancelled, in.heldOut)}
	if r.distancesInSteps {
		rows.X, rows.Features = r.trained.Numbers(in.heldOut), r.sequences.withRows(uncancelled, in.heldOut).train
	}
	deviceRows := r.step.Model.UploadRows(rows, nil, nil)
	if p, err = r.step.Model.NewPredictor(deviceRows, options.ValidationSamples).Predict(r.config.Seed); err != nil {
		return nil, err
	}
	p.AddOffset(in.heldOut.Offset)
	return p, nil
}

// attemptReporter is the Reporter of the attempts. It passes their progress on to the run's own Reporter. It ends them
// if, at their speed, the time limit leaves too little time for the run that follows.
type attemptReporter struct {
	Silent
	chooser *chooser
}

func (r attemptReporter) Step(p rundir.Progress) {
	ch := r.chooser
	ch.run.reporter.Doing("choosing the objective", float64(ch.doneSteps+p.Step)/float64(ch.totalSteps))
	followingSteps := minSteps // the run that follows is as long as the longest attempt so far
	for _, a := range ch.attempts {
		followingSteps = max(followingSteps, a.Steps)
	}
	so := ch.inputs.speed
	perStep := (so.seconds + p.Elapsed.Seconds()) / float64(so.steps+p.Step)
	reserve := time.Duration(float64(followingSteps) * perStep * float64(time.Second))
	clock := ch.run.clock
	first := ch.run.job.ranks().Rank() == 0
	if first && clock.deadline > 0 && p.Step >= reportEvery && clock.used()+reserve > clock.deadline {
		ch.cancel()
	}
}
