package train

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gpdrf/gpdrf-gpu/internal/usage"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// Planning for a time limit.
const (
	timingWarmup = 3               // steps before the clock starts
	timingShare  = 1.0 / 16        // of the limit goes to timing steps,
	timingAtMost = 5 * time.Second // and no more than this
	planned      = 0.92            // of the time left goes to steps and the final evaluation
	// of the limit: a run that is slower than measured stops there, and so does its evaluation
	latestShare   = 1.1
	shortestSteps = 10
)

// Until is ctx until the time limit, 0 for none, of a run that began at started. It is for what
// comes before the first step: the cause of its end is then a *usage.Error.
func Until(ctx context.Context, started time.Time, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit == 0 {
		return context.WithCancel(ctx)
	}
	over := usage.Errorf("time limit %s: over before the first step, so nothing was trained: give a "+
		"longer limit, fewer rows, or fewer --inducing", limit)
	return context.WithDeadlineCause(ctx, started.Add(limit), over)
}

// ErrLate is the cause of an end at the latest time that a time limit allows.
var ErrLate = errors.New("the time limit is over")

// Latest is ctx until the latest time of a run that began at started with a limit; 0 is none.
func Latest(ctx context.Context, started time.Time, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithDeadlineCause(ctx, started.Add(latest(limit)), ErrLate)
}

func latest(limit time.Duration) time.Duration { return time.Duration(latestShare * float64(limit)) }

// plan times the first steps and an evaluation, and chooses how many steps fit into the rest of the
// limit. Then it puts the run back to its start, so that a run with that many steps repeats it bit
// for bit.
func (t *trainer) plan(ctx context.Context) error {
	c, limit := t.Config, t.Config.TimeLimit
	t.sched.steps = 1 << 20 // the schedules need a length; these steps are thrown away
	budget := min(timingAtMost, time.Duration(timingShare*float64(limit)))
	start, warmup := time.Now(), 0
	err := t.stepWhile(func() bool {
		warmup++
		return warmup <= timingWarmup && ctx.Err() == nil && time.Since(start) < budget
	}, 1, 1)
	if err != nil {
		return err
	}
	start = time.Now()
	steps := 0
	err = t.stepWhile(func() bool {
		more := ctx.Err() == nil && (steps == 0 || time.Since(start) < budget)
		if more {
			steps++
		}
		return more
	}, timingWarmup+1, reportEvery)
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	perStep := time.Since(start) / time.Duration(max(steps, 1))
	evaluation, err := t.evaluationTime(ctx)
	if err != nil {
		return err
	}

	var validation time.Duration // that does not grow with the steps
	if t.val != nil {
		one, err := t.validationTime()
		if err != nil {
			return err
		}
		if every := time.Duration(c.EvalEvery); every > 0 {
			perStep += one / every
			validation = one // the last one
		} else {
			validation = options.Evaluations * one
		}
	}
	left := time.Duration(planned * float64(limit-time.Since(t.Started)-evaluation-validation))
	steps = min(int(left/max(perStep, 1)), options.MaxSteps)
	note := fmt.Sprintf("time limit %s: %d steps of %.1f ms fit", limit, steps, perStep.Seconds()*1e3)
	t.deadline = latest(limit) - evaluation
	if steps < shortestSteps {
		steps, t.deadline = shortestSteps, latest(limit)
		note = fmt.Sprintf("time limit %s is too short: the minimum of %d steps of %.1f ms and %.1f s "+
			"of evaluation take longer",
			limit, steps, perStep.Seconds()*1e3, evaluation.Seconds())
	}
	if steps, err = first(t.ranks(), steps); err != nil {
		return err
	}
	var notes []string
	t.Config, notes = c.ForSteps(steps, options.ForTime(limit))
	for _, n := range notes {
		t.Reporter.Note("%s", n)
	}
	t.Reporter.Note("%s", note)
	t.reset()
	return nil
}

// stepWhile takes steps that are thrown away, from number on, while more says so, on rank 0. It
// waits for the device every few steps, and at the end.
func (t *trainer) stepWhile(more func() bool, number, every int) error {
	for n := 1; ; n++ {
		if on, err := t.goOn(more()); err != nil || !on {
			t.wait()
			return err
		}
		if _, err := t.step(number + n - 1); err != nil {
			return err
		}
		if n%every == 0 {
			t.wait()
		}
	}
}

// wait waits for a device that runs ahead, as a reading does. What is wrong with a step that is
// thrown away does not matter.
func (t *trainer) wait() { _, _ = t.Model.Report(1) }

// validationTime is how long an evaluation on the validation rows takes; the first one makes memory
// for the next.
func (t *trainer) validationTime() (time.Duration, error) {
	if err := t.val.evaluate(1); err != nil {
		return 0, err
	}
	start := time.Now()
	err := t.val.evaluate(2)
	return time.Since(start), err
}

// evaluationTime extrapolates what the prediction of the test rows and of those of Generalise, and
// the scores, will take from a few training rows.
func (t *trainer) evaluationTime(ctx context.Context) (time.Duration, error) {
	const predicted, scored = 256, 16
	c := t.Config
	start := time.Now()
	predict := func(rows int) (*model.Prediction, error) {
		predictor := t.Model.NewPredictor(t.Rows.Head(rows), c.EvalSamples)
		predictor.Leave = func() bool { return ctx.Err() != nil }
		p, err := predictor.Predict(c.Seed)
		if errors.Is(err, model.ErrLeft) {
			err = context.Cause(ctx)
		}
		return p, err
	}
	if _, err := predict(min(t.Rows.N, predicted)); err != nil {
		return 0, err
	}
	prediction := time.Since(start) * time.Duration((t.testRows()+t.moreRows())/predicted+1)

	rows := make([]int, min(t.Rows.N, scored))
	for i := range rows {
		rows[i] = i
	}
	p, err := predict(len(rows))
	if err != nil {
		return 0, err
	}
	start = time.Now()
	t.trained.Score(p, t.Train.Subset(rows), c.PredictDraws)
	return prediction + time.Since(start)*time.Duration(t.testRows())/time.Duration(len(rows)), nil
}
