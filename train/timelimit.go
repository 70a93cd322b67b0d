package train

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// Planning for a time limit. The time that remains when the first step can begin is divided: two thirds or more are for
// the steps and the evaluations among them, and the rest is for the test.
const (
	timingWarmup     = 3               // steps before the clock starts
	timingShare      = 1.0 / 24        // share of the remaining time for timing steps
	longestTiming    = 5 * time.Second // longest time for timing steps
	minTrainingShare = 2.0 / 3         // least share of the remaining time for training
	plannedShare     = 0.92            // planned share of the time for training: a slower run may take all of it
	// largest share of the time for training that evaluations get if the user does not give their number
	validationShare = 0.2
	reportShare     = 0.03 // share of the remaining time for the report and the warm-up of the test
	fewSteps        = 10   // fewer steps train next to nothing
)

// TimeLimit is a time limit and the time when it began to run; a Time of 0 is no limit.
type TimeLimit struct {
	Began time.Time
	Time  time.Duration
}

// TimeLimit returns the time limit of the run, from the start of its first command.
func (j *Job) TimeLimit() TimeLimit {
	state := j.state()
	return TimeLimit{j.Started.Add(-state.Used), max(state.Limit, j.Config.TimeLimit)}
}

// WithDeadline returns ctx until the end of the time, for the work before the length of the run is planned. The cause
// of its end is a *usererror.Error.
func (l TimeLimit) WithDeadline(ctx context.Context) (context.Context, context.CancelFunc) {
	if l.Time == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithDeadlineCause(ctx, l.Began.Add(l.Time), usererror.Errorf(
		"time limit %s: %w: give a longer limit, fewer rows, or a smaller model", l.Time, ErrTooShort))
}

// ErrTooShort is in the error of a limit that leaves no time for a step.
var ErrTooShort = errors.New("over before the first step, so nothing was trained")

// ErrTimeLimit is the cause of the end of a context from TimeLimit.WithGrace.
var ErrTimeLimit = errors.New("time limit passed")

// WithGrace ends ctx at 1.05 times the limit: no work begins or continues then.
func (l TimeLimit) WithGrace(ctx context.Context) (context.Context, context.CancelFunc) {
	if l.Time == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithDeadlineCause(ctx, l.Began.Add(l.Time).Add(l.Time/20), ErrTimeLimit)
}

// portion returns a fraction of a duration.
func portion(fraction float64, duration time.Duration) time.Duration {
	return time.Duration(fraction * float64(duration))
}

// fitTimeLimit times the first steps and an evaluation, and chooses the number of steps that fit into the rest of the
// limit. Then it puts the run back to its start, so that a run with that number of steps repeats it bit for bit.
func (r *run) fitTimeLimit(ctx context.Context) error {
	c := r.config
	limit := r.clock.limit.Time
	remaining := limit - r.clock.used()
	r.schedule.length = 1 << 20 // the schedules need a length; these steps are thrown away
	perStep, err := r.stepTime(ctx, min(longestTiming, portion(timingShare, remaining)))
	if err != nil {
		return err
	}
	evaluation, err := r.evaluationTime(ctx)
	if err != nil {
		return err
	}
	var validation time.Duration
	if r.validator != nil {
		if validation, err = timeWarm(func() error { return r.validator.evaluate(1) }); err != nil {
			return err
		}
	}
	used := r.clock.used()
	testTime := evaluation + portion(reportShare, remaining)
	training := min(max(limit-used-testTime, portion(minTrainingShare/plannedShare, remaining)), limit-used)
	// a step that begins before the deadline ends in time, and so does the evaluation of a run that is cut short
	r.clock.deadline = max(1, used+training-validation-perStep)
	steps, evaluations := stepsAndEvaluations(portion(plannedShare, training), perStep, validation, c.EvalEvery)
	if steps, err = broadcastInt(r.job.ranks(), steps); err != nil {
		return err
	}
	if evaluations, err = broadcastInt(r.job.ranks(), evaluations); err != nil {
		return err
	}
	if c.RowsChoseLength { // held-out rows have chosen a length before, in a search
		steps = min(steps, c.Steps)
	}
	var notes []string
	r.config, notes = c.ForSteps(steps, options.ForTime(limit))
	if evaluations > 0 {
		r.config.EvalEvery = (steps + evaluations - 1) / evaluations
	}
	r.noteAll(notes)
	r.noteFit(steps, perStep)
	r.reset()
	return nil
}

// noteFit notes the number of steps that fit into the time limit.
func (r *run) noteFit(steps int, perStep time.Duration) {
	what := "time limit %s: %d steps of %.1f ms fit"
	if steps < fewSteps {
		what = "warning: time limit %s is too short: %d steps of %.1f ms fit"
	}
	r.reporter.Note(what, r.clock.limit.Time, steps, perStep.Seconds()*1e3)
}

// stepsAndEvaluations returns the number of steps that the time allows, at least one. An evaluation follows each
// interval of the given number of steps. If that is 0, it also chooses the number of evaluations.
func stepsAndEvaluations(training, perStep, validation time.Duration, every int) (steps, evaluations int) {
	switch {
	case validation == 0:
	case every > 0:
		perStep += validation / time.Duration(every)
		training -= validation // leave time for the evaluation after the last step
	default:
		evaluations = min(max(1, int(portion(validationShare, training)/validation)), options.Evaluations)
		training -= time.Duration(evaluations) * validation
	}
	return min(max(1, int(training/max(perStep, 1))), options.MaxSteps), evaluations
}

// stepTime measures the time of a step: it returns the median of several times, since other programs come and go. These
// steps do not count.
func (r *run) stepTime(ctx context.Context, budget time.Duration) (time.Duration, error) {
	if _, _, err := r.timeSteps(ctx, 1, timingWarmup, budget); err != nil {
		return 0, err
	}
	var times []time.Duration
	for start, done := time.Now(), reportEvery; done == reportEvery; {
		var perStep time.Duration
		var err error
		first := 1 + timingWarmup + reportEvery*len(times)
		if perStep, done, err = r.timeSteps(ctx, first, reportEvery, budget-time.Since(start)); err != nil {
			return 0, err
		}
		if done == reportEvery || times == nil {
			times = append(times, perStep)
		}
	}
	slices.Sort(times)
	return times[len(times)/2], context.Cause(ctx)
}

// evaluationTime extrapolates from a few rows the time of all predictions after training, and of the scores of the
// test. Each is done twice, and the second time counts: the first one allocates memory.
func (r *run) evaluationTime(ctx context.Context) (time.Duration, error) {
	const predicted, samples, scored = 256, 20, 16
	c := r.config
	rows := r.job.testRows() + r.job.otherPredictedRows()
	if rows == 0 {
		return 0, nil
	}
	predictor := func(n, s int) *model.Predictor {
		p := r.step.Model.NewPredictor(r.step.Rows.Head(min(r.step.Rows.N, n)), s)
		p.Abandon = func() bool { return ctx.Err() != nil }
		return p
	}
	few := predictor(predicted, min(samples, c.EvalSamples))
	pass, err := timeWarm(func() error { _, err := few.Predict(c.Seed); return err })
	var p *model.Prediction
	if err == nil {
		p, err = predictor(scored, c.EvalSamples).Predict(c.Seed)
	}
	if errors.Is(err, model.ErrAbandoned) {
		err = context.Cause(ctx)
	}
	if err != nil {
		return 0, err
	}
	passes := math.Ceil(float64(rows) / float64(min(r.step.Rows.N, predicted)))
	predictionTime := portion(passes*float64(p.S)/float64(few.Samples()), pass)
	sample := r.train.Slice(0, p.N)
	scoreTime, _ := timeWarm(func() error { r.trained.Score(p, sample, c.PredictDraws); return nil })
	scoreTime = scoreTime * time.Duration(r.job.testRows()) / time.Duration(p.N)
	inputs := r.trained.Inputs(ctx, sample)
	inputTime, _ := timeWarm(func() error { inputs(0, p.N); return nil })
	inputTime = inputTime * time.Duration(rows) / time.Duration(p.N)
	return predictionTime + scoreTime + inputTime, context.Cause(ctx)
}

// timeWarm returns the time of the second of two calls: the first one allocates memory.
func timeWarm(do func() error) (time.Duration, error) {
	if err := do(); err != nil {
		return 0, err
	}
	start := time.Now()
	err := do()
	return time.Since(start), err
}

// timeSteps returns the mean time of steps that do not count, from a number on. It takes the given number of steps, or
// as many as begin on rank 0 within the time most, and before ctx is done. It waits for their end, and ignores that
// their objective is not finite.
func (r *run) timeSteps(ctx context.Context, first, steps int, most time.Duration) (mean time.Duration, done int,
	err error) {
	for start := time.Now(); ; done++ {
		more, err := r.broadcastBool(ctx.Err() == nil && (done == 0 || done < steps && time.Since(start) < most))
		if err != nil {
			return 0, 0, err
		}
		if !more {
			_, _ = r.step.Model.ReadELBO(1) // it waits for the device
			return time.Since(start) / time.Duration(max(1, done)), done, nil
		}
		if _, err := r.doStep(first + done); err != nil {
			return 0, 0, err
		}
	}
}
