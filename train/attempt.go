package train

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/options"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// attempt trains from the start of the run on the rows that are not held out. It reports whether there is time for
// more attempts. An attempt that breaks off or is cut short does not count. One of a checkpoint is taken from there.
func (h *chooser) attempt(ctx context.Context, s candidate, steps int) (more bool, err error) {
	a := rundir.Attempt{Objective: s.objective, KLWeight: s.klWeight, Steps: steps, Columns: h.columns}
	if n := len(h.attempts); n < len(h.savedAttempts) { // it is in the checkpoint
		a = h.savedAttempts[n]
	} else if more, err = h.run.rankZeroAnswer(ctx.Err() == nil); !more || err != nil {
		return more, err
	} else if err := h.score(ctx, &a); errors.Is(err, ErrLate) {
		return true, nil // a time limit or Ctrl-C has ended it
	} else if err != nil {
		return false, err
	}
	h.doneSteps += steps
	h.attempts = append(h.attempts, a)
	if h.run.job.Save != nil && len(h.attempts) > len(h.savedAttempts) { // the run can resume after the attempts
		h.first.run.checkpointAttempts(h.attempts)
	}
	if a.Logs != nil {
		what := s.String()
		if a.Columns != "" {
			what += " on " + a.Columns
		}
		h.run.job.Reporter.Note("%d rows held out: %-43s %6d steps, log density %.4f", h.heldOut.N(), what, steps,
			h.meanOf(&a))
	}
	return true, nil
}

// score trains an attempt and fills in its log densities. It returns ErrLate if the attempt was cut short, or an
// error that this rank alone has. An attempt that breaks off has no log densities, and no error.
func (h *chooser) score(ctx context.Context, a *rundir.Attempt) error {
	job, trained := *h.run.job, *h.run.trained
	job.Train, job.Validation, job.Save, job.Reporter = h.trainRows, nil, nil, listener{chooser: h}
	uncancelled := ctx // ranks vote to end between steps: other work runs to its end on all of them
	if job.shared() {
		uncancelled = context.WithoutCancel(ctx)
	}
	if job.distancesInSteps {
		job.sequences = job.sequences.withRows(uncancelled, h.trainRows)
	}
	job.Config, _ = job.Config.With("objective", a.Objective).With("kl-weight", a.KLWeight).
		With("batch", min(job.Config.Batch, h.trainRows.N())).ForChosenSteps(a.Steps, a.Steps)
	p, err := h.trainAndPredict(ctx, uncancelled, &run{job: &job, trained: &trained, init: h.run.init})
	if uncancelled.Err() != nil || err == ErrLate {
		return ErrLate
	}
	if err != nil && job.shared() && !isSharedError(err) {
		return err
	}
	if err != nil {
		h.run.job.Reporter.Note("an attempt with %s broke off, and does not count: %v", candidateOf(a), err)
		return nil
	}
	logs := trained.DensitiesOf(p, h.heldOut, 0).Log
	if mean, _ := h.weights.MeanError(logs); math.IsNaN(mean) || math.IsInf(mean, 0) {
		h.run.job.Reporter.Note("an attempt with %s does not count: its log density is %g", candidateOf(a), mean)
		return nil
	}
	a.Logs = logs
	if job.Config.Temperature == 0 {
		a.Temperature, _, _ = Temperature(&trained, p, h.heldOut)
	}
	return nil
}

// isSharedError reports whether an error follows from the parameters, so that all ranks have it. After any other
// error, a rank that continued would meet the others in the middle of a sum.
func isSharedError(err error) bool {
	return errors.Is(err, errNotFinite) || errors.As(err, new(*model.NotFiniteError)) ||
		errors.As(err, new(*device.NotPositiveDefiniteError))
}

// trainAndPredict takes the steps of an attempt under ctx, and does all else under uncancelled: it builds the run,
// and predicts the rows that were held out. Too little memory on the device is an error.
func (h *chooser) trainAndPredict(ctx, uncancelled context.Context, r *run) (p *model.Prediction, err error) {
	defer device.Guard(&err)
	if err := r.build(uncancelled); err != nil {
		return nil, err
	}
	r.reset()
	out, err := r.train(ctx)
	if err != nil {
		return nil, err
	}
	h.timedSteps, h.timedSeconds = h.timedSteps+out.Steps, h.timedSeconds+out.Seconds
	if out.End != Finished {
		return nil, ErrLate
	}
	rows := model.HostRows{N: h.heldOut.N(), X: r.trained.Inputs(uncancelled, h.heldOut)}
	if r.job.distancesInSteps {
		rows.X, rows.Features = r.trained.Numbers(h.heldOut), r.job.sequences.withRows(uncancelled, h.heldOut).train
	}
	deviceRows := r.step.Model.UploadRows(rows, nil, nil)
	if p, err = r.step.Model.NewPredictor(deviceRows, options.ValidationSamples).Predict(r.job.Config.Seed); err == nil {
		p.AddOffset(h.heldOut.Offset)
	}
	return p, err
}

// listener is the Reporter of the attempts. It passes their progress on to the run's own Reporter. It ends them
// if, at their pace, the time limit leaves too little time for the run that follows.
type listener struct {
	Silent
	chooser *chooser
}

func (l listener) Step(p rundir.Progress) {
	h := l.chooser
	h.run.job.Reporter.Doing("choosing the objective", float64(h.doneSteps+p.Step)/float64(h.totalSteps))
	followingSteps := leastSteps // the run that follows is as long as the longest attempt so far
	for _, a := range h.attempts {
		followingSteps = max(followingSteps, a.Steps)
	}
	pace := (h.timedSeconds + p.Elapsed.Seconds()) / float64(h.timedSteps+p.Step)
	reserve := time.Duration(float64(followingSteps) * pace * float64(time.Second))
	c, first := h.run.clock, h.run.job.ranks().Rank() == 0
	if first && c.deadline > 0 && p.Step >= reportEvery && c.used()+reserve > c.deadline {
		h.cancel()
	}
}
