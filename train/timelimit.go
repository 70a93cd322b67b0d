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

// Planning for a time limit. What remains of it, when the first step can begin, is divided: two
// thirds or more are for steps and the evaluations among them, the rest for the test.
const (
	timingWarmup = 3               // steps before the clock starts
	timingShare  = 1.0 / 24        // share of the remaining time for timing steps
	timingAtMost = 5 * time.Second // longest time for them
	leastTrained = 2.0 / 3         // least share of the remaining time for training
	planned      = 0.92            // planned share of the time for training: a slower run may take all of it
	// largest share of the time for training that evaluations get, where the user does not give their number
	validated   = 0.2
	reportShare = 0.03 // share of the remaining time for the report and the warm-up of the test
	fewSteps    = 10   // fewer steps train next to nothing
)

// Limit is a time limit, and when its time began; 0 is no limit.
type Limit struct {
	Began time.Time
	Time  time.Duration
}

// Limit is the time limit of the run, from its first command on.
func (j *Job) Limit() Limit {
	so := j.attempted
	if j.From != nil {
		so = j.From.State
	}
	return Limit{j.Started.Add(-so.Used), max(so.Limit, j.Config.TimeLimit)}
}

// Until is ctx until the end of the time. It is for what comes before the length of a run is planned: the cause
// of its end is then a *usererror.Error.
func (l Limit) Until(ctx context.Context) (context.Context, context.CancelFunc) {
	if l.Time == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithDeadlineCause(ctx, l.Began.Add(l.Time), l.over())
}

// ErrOver is in the error of a limit that leaves no time for a step.
var ErrOver = errors.New("over before the first step, so nothing was trained")

func (l Limit) over() error {
	return usererror.Errorf("time limit %s: %w: give a longer limit, fewer rows, or a smaller model", l.Time, ErrOver)
}

// ErrLate is the cause of an end at the latest time that a time limit allows.
var ErrLate = errors.New("there was no time")

// Latest is ctx until the latest time, a twentieth of the limit after it: nothing is begun or
// continued then.
func (l Limit) Latest(ctx context.Context) (context.Context, context.CancelFunc) {
	if l.Time == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithDeadlineCause(ctx, l.Began.Add(l.Time).Add(l.Time/20), ErrLate)
}

// share is a part of some time.
func share(part float64, of time.Duration) time.Duration { return time.Duration(part * float64(of)) }

// fitTimeLimit times the first steps and an evaluation, and chooses how many steps fit into the
// rest of the limit. Then it puts the run back to its start, so that a run with that many steps
// repeats it bit for bit.
func (r *run) fitTimeLimit(ctx context.Context) error {
	c, limit := r.job.Config, r.clock.limit.Time
	remaining := limit - r.clock.used()
	r.schedule.steps = 1 << 20 // the schedules need a length; these steps are thrown away
	perStep, err := r.stepTime(ctx, min(timingAtMost, share(timingShare, remaining)))
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
	now := r.clock.used()
	after := evaluation + share(reportShare, remaining)
	training := min(max(limit-now-after, share(leastTrained/planned, remaining)), limit-now)
	// a step that begins before ends in time, and so does the evaluation of a run that is cut short
	r.clock.deadline = max(1, now+training-validation-perStep)
	steps, evaluations := fitting(share(planned, training), perStep, validation, time.Duration(c.EvalEvery))
	if steps, err = fromRankZero(r.job.ranks(), steps); err == nil {
		evaluations, err = fromRankZero(r.job.ranks(), evaluations)
	}
	if err != nil {
		return err
	}
	if c.RowsChoseLength { // already, in a search
		steps = min(steps, c.Steps)
	}
	var notes []string
	if r.job.Config, notes = c.ForSteps(steps, options.ForTime(limit)); evaluations > 0 {
		r.job.Config = r.job.Config.With("eval-every", (steps+evaluations-1)/evaluations)
	}
	for _, n := range notes {
		r.job.Reporter.Note("%s", n)
	}
	r.tellFit(steps, perStep)
	r.reset()
	return nil
}

// tellFit tells how many steps fit into the time limit.
func (r *run) tellFit(steps int, perStep time.Duration) {
	what := "time limit %s: %d steps of %.1f ms fit"
	if steps < fewSteps {
		what = "warning: time limit %s is too short: %d steps of %.1f ms fit"
	}
	r.job.Reporter.Note(what, r.clock.limit.Time, steps, perStep.Seconds()*1e3)
}

// fitting is the number of steps that the time allows, at least one, with an evaluation after each
// interval every. Where every is 0, it also returns the number of evaluations.
func fitting(training, perStep, validation, every time.Duration) (steps, evaluations int) {
	switch {
	case validation == 0:
	case every > 0:
		perStep += validation / every
		training -= validation // the last one
	default:
		evaluations = min(max(1, int(share(validated, training)/validation)), options.Evaluations)
		training -= time.Duration(evaluations) * validation
	}
	return min(max(1, int(training/max(perStep, 1))), options.MaxSteps), evaluations
}

// stepTime is how long a step takes: the median of several times, since other programs come and go.
// The steps are thrown away.
func (r *run) stepTime(ctx context.Context, budget time.Duration) (time.Duration, error) {
	start, warmup := time.Now(), 0
	err := r.stepWhile(func() bool {
		warmup++
		return warmup <= timingWarmup && ctx.Err() == nil && time.Since(start) < budget
	}, 1, 1)
	if err != nil {
		return 0, err
	}
	var times []time.Duration
	start = time.Now()
	steps, mark := 0, start
	err = r.stepWhile(func() bool {
		now := time.Now()
		if steps == reportEvery {
			times, steps, mark = append(times, now.Sub(mark)/reportEvery), 0, now
		}
		more := ctx.Err() == nil && (steps == 0 && times == nil || now.Sub(start) < budget)
		if more {
			steps++
		}
		return more
	}, timingWarmup+1, reportEvery)
	if err != nil {
		return 0, err
	}
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	if times == nil {
		return time.Since(mark) / time.Duration(max(steps, 1)), nil
	}
	slices.Sort(times)
	return times[len(times)/2], nil
}

// stepWhile takes steps that are thrown away, from number on, while more says so, on rank 0. It
// waits for the device every few steps, and at the end.
func (r *run) stepWhile(more func() bool, number, every int) error {
	for n := 1; ; n++ {
		if on, err := r.agreed(more()); err != nil || !on {
			r.wait()
			return err
		}
		if _, err := r.advance(number + n - 1); err != nil {
			return err
		}
		if n%every == 0 {
			r.wait()
		}
	}
}

// wait waits for a device that runs ahead, as a reading does. What is wrong with a step that is
// thrown away does not matter.
func (r *run) wait() { _, _ = r.step.Model.Report(1) }

// evaluationTime extrapolates, from a few rows, the time of the scores and of the predictions for
// the test rows and those of Generalise. Each is done twice, and the second time counts: the first
// one makes memory.
func (r *run) evaluationTime(ctx context.Context) (time.Duration, error) {
	const predicted, samples, scored = 256, 20, 16
	c := r.job.Config
	rows := r.job.testRows() + r.job.moreRows()
	if rows == 0 {
		return 0, nil
	}
	predictor := func(n, s int) *model.Predictor {
		p := r.step.Model.NewPredictor(r.step.Rows.Head(min(r.step.Rows.N, n)), s)
		p.Leave = func() bool { return ctx.Err() != nil }
		return p
	}
	of := predictor(predicted, min(samples, c.EvalSamples))
	one, err := timeWarm(func() error { _, err := of.Predict(c.Seed); return err })
	var p *model.Prediction
	if err == nil {
		p, err = predictor(scored, c.EvalSamples).Predict(c.Seed)
	}
	if errors.Is(err, model.ErrLeft) {
		err = context.Cause(ctx)
	}
	if err != nil {
		return 0, err
	}
	one = one * time.Duration(p.S) / time.Duration(of.Samples())
	all := share(math.Ceil(float64(rows)/float64(min(r.step.Rows.N, predicted))), one)
	few := r.job.Train.Slice(0, p.N)
	score, _ := timeWarm(func() error { r.trained.Score(p, few, c.PredictDraws); return nil })
	inputs := r.trained.Inputs(ctx, few)
	read, _ := timeWarm(func() error { inputs(0, few.N()); return nil })
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	return all + (score*time.Duration(r.job.testRows())+read*time.Duration(rows))/time.Duration(few.N()), nil
}

// timeWarm is how long something takes the second time: the first time makes memory.
func timeWarm(do func() error) (time.Duration, error) {
	if err := do(); err != nil {
		return 0, err
	}
	start := time.Now()
	err := do()
	return time.Since(start), err
}

// clock is the time of a run.
type clock struct {
	limit    Limit         // whose time also runs without a limit
	deadline time.Duration // of its time; 0: no deadline
	first    time.Time     // when this process began its first step
	before   float64       // seconds of the steps of other processes
	pace     pace
}

// start begins the time of the steps, of which some may be done.
func (c *clock) start(steps int) {
	c.first = time.Now()
	c.pace = newPace(steps, c.used(), c.deadline, firstReview)
}

// used is the time of the limit that is over.
func (c *clock) used() time.Duration { return time.Since(c.limit.Began) }

// late reports whether another step would end after the limit.
func (c *clock) late() bool { return c.deadline > 0 && c.used() > c.deadline }

// seconds is the time in steps.
func (c *clock) seconds() float64 { return c.before + time.Since(c.first).Seconds() }

// When the plan of a run with a time limit is reviewed: after parts of the time that remains then.
// A plan stays that takes no more than that time, and not much less.
const (
	firstReview = 1.0 / 16
	nextReview  = 1.0 / 3
	longEnough  = 0.85
)

// pace is how fast a run goes since a review.
type pace struct {
	step  int
	since time.Duration // of the clock of the time limit, as next
	next  time.Duration // the time of the next review
}

func newPace(step int, now, deadline time.Duration, after float64) pace {
	return pace{step, now, now + share(after, deadline-now)}
}

// replan plans the rest of a run with a time limit again, where the machine has become slower or
// faster. Rank 0 decides.
func (r *run) replan() error {
	if r.clock.deadline == 0 || r.out.End != Running || r.out.Steps%reportEvery > 0 {
		return nil
	}
	c := r.job.Config
	steps := c.Steps
	if c.StopAfter == 0 {
		steps = r.clock.revised(r.out.Steps, steps)
	}
	if c.RowsChoseLength || c.Temperature > 0 && !c.Explicit("temperature") { // that of a length that was scored
		steps = min(steps, c.Steps)
	}
	steps, err := fromRankZero(r.job.ranks(), steps)
	if err != nil || steps == c.Steps {
		return err
	}
	r.job.Config = c.Replan(r.out.Steps, steps)
	r.last = r.job.Config.Last()
	r.schedule = newSchedule(r.job.Config)
	return nil
}

// revised is the number of steps that a run is to have in place of steps, by the pace since the
// last review.
func (c *clock) revised(step, steps int) int {
	now := c.used()
	if now < c.pace.next || step <= c.pace.step {
		return steps
	}
	perStep := max(1, (now-c.pace.since)/time.Duration(step-c.pace.step))
	c.pace = newPace(step, now, c.deadline, nextReview)
	remaining := c.deadline - now
	if need := time.Duration(steps-step) * perStep; need <= remaining && need >= share(longEnough, remaining) {
		return steps
	}
	return min(step+affordable(remaining, perStep), options.MaxSteps)
}

// affordable is how many steps are planned for some time, at least one.
func affordable(remaining, perStep time.Duration) int {
	return max(1, int(share(planned, remaining)/perStep))
}
