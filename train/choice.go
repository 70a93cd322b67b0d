package train

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/train/options"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// How the objective is chosen. A weight of the KL terms below 1, or the log density of the prediction in place of
// the bound, is much better on most tables, and memorises others. So rows that are held out choose after short
// trainings, called attempts. Attempts and run together take no more steps than a run without a choice, or a sixteenth
// more where they choose between components and columns. With a time limit, they share the time.
//
// If rows outnumber the parameters that can follow them, the predictive objective is safe. An attempt then takes the
// same share of the rows and of the steps. For other tables, longer attempts choose the number of steps, too.
//
// Where many columns say much the same, attempts have their principal components as inputs. A further short attempt
// has the columns. If it is clearly better, these are the inputs from then on.
const (
	heldOutShare     = 0.2 // share of the rows that score attempts, at most options.ValidationRows
	attemptTimeShare = 0.8 // largest share of the remaining time that attempts take
	// largest share of the remaining time in which components are fitted
	componentTimeShare = 0.1
	shortShare         = 1.0 / 16 // share of the steps for a short attempt
	longShare          = 1.0 / 4  // share of the steps for each of two long attempts, and largest share for the run
	safeShare          = 1.0 / 8  // share of rows and steps for an attempt with a safe objective; the run takes the rest
	leastSteps         = 30       // least number of steps of an attempt: a shorter one shows nothing
	// largest number of steps of a short attempt: after more, low weights have memorised few rows
	longestShort = 1000
	lengthFactor = 4 // factor from one length of attempts to the next
	// weights of the KL terms below 1; a short attempt prefers the lowest one, and a long attempt has to confirm it
	lowerWeight, lowestWeight = 0.3, 0.1
)

// variant is a run with some inputs, and the rows and the pace of its attempts.
type variant struct {
	run                *run
	columns            string // options.Components, or "" for columns
	trainRows, heldOut *data.Dataset
	pace               pace
}

// pace is steps that this process has taken, and their time. The run that follows is as fast.
type pace struct {
	steps   int
	seconds float64
}

func (p pace) perStep() time.Duration {
	return max(1, time.Duration(p.seconds/float64(p.steps)*float64(time.Second)))
}

// chooser makes the attempts of a run.
type chooser struct {
	variant                                // variant of the attempts so far
	first                 variant          // columns, as the run began: checkpoints are of its run
	candidates            []candidate      // the first one stays unless another is clearly better
	weights               metrics.Weights  // weights of the rows that score the attempts
	savedAttempts         []rundir.Attempt // attempts of a checkpoint
	attempts              []rundir.Attempt
	doneSteps, totalSteps int    // steps of finished attempts, and of all
	cancel                func() // ends the attempts
}

// choose settles the objective, the weight of its KL terms and, if the objective is not safe, the number of
// steps. Attempts that break off, or that a time limit has no time for, do not count.
func (r *run) choose(ctx context.Context) (err error) {
	defer device.Guard(&err)
	cfg := r.job.Config
	if cfg.Objective != options.Auto {
		return nil
	}
	ch := &chooser{variant: variant{run: r}, candidates: candidates(cfg, r.job.Train),
		savedAttempts: r.job.attemptState.Attempts}
	longSteps, err := ch.makeAll(ctx)
	if err != nil {
		return err
	}
	if ch.best() != nil && ch.columns != "" {
		ch.settleComponents()
	}
	ch.run = r
	chosen := ch.decide(cfg.Steps, longSteps)
	r.setTemperature(chosen.temperature)
	fit, err := ch.stepsInTime(chosen.steps)
	if err != nil {
		return err
	}
	r.job.Reporter.Note("%s", ch.note(chosen.candidate, fit, cfg.Steps, r.clock.deadline > 0))
	return r.restart(ctx, chosen.candidate, fit, chosen.longest-chosen.steps+fit)
}

// makeAll makes all attempts, if rows and steps suffice, and returns the steps of a long one; 0 if the objective is
// safe.
func (ch *chooser) makeAll(ctx context.Context) (longSteps int, err error) {
	r, cfg := ch.run, ch.run.job.Config
	steps := float64(cfg.Steps)
	shortSteps, longSteps := min(int(shortShare*steps), longestShort), int(longShare*steps)
	rows := longSteps * cfg.Batch // the largest number of rows that an attempt draws
	if cfg.ObjectiveOf(r.job.Train) == options.Predictive {
		shortSteps, longSteps, rows = int(safeShare*steps), 0, int(safeShare*float64(r.job.Train.N()))
	}
	if err := ch.holdOutFor(shortSteps, rows); err != nil {
		if cfg.Explicit("objective") {
			r.job.Reporter.Note("objective: held-out rows choose nothing: %v", err)
		}
		return longSteps, nil
	}
	r.saver = newSaver(cfg)
	r.step, r.validator = nil, nil // their memory is free for the attempts
	return ch.makeAttempts(ctx, shortSteps, longSteps)
}

// stepsInTime is the number of the steps that fit into the rest of a time limit, at the pace of the attempts. The
// machine may be slower than it was when the first steps were timed.
func (ch *chooser) stepsInTime(steps int) (int, error) {
	r := ch.run
	if r.clock.deadline == 0 || ch.pace.steps == 0 {
		return steps, nil
	}
	// the run has a little time even if the attempts were late
	r.clock.deadline = max(r.clock.deadline, r.clock.used()+r.clock.limit.Time/20)
	perStep := ch.pace.perStep()
	fit := steps
	if remaining := r.clock.deadline - r.clock.used(); time.Duration(steps)*perStep > remaining {
		fit = affordableSteps(remaining, perStep)
	}
	fit, err := fromRankZero(r.job.ranks(), fit)
	if err == nil && fit < steps {
		r.noteFit(fit, perStep)
	}
	return fit, err
}

// setTemperature gives the model the temperature of an attempt; 0 leaves it open.
func (r *run) setTemperature(t float64) {
	if t == 0 {
		return
	}
	r.job.Config.Temperature = t
	if t != 1 {
		r.trained.Config.Temperature = t
		r.job.Reporter.Note("temperature %.2f, by rows that were held out", t)
	}
}

// holdOutFor draws the rows of attempts with some steps. The error tells why there can be none: an attempt would be
// too short, or the remaining rows lack a class, are fewer than the ranks, or have equal targets.
func (ch *chooser) holdOutFor(steps, most int) error {
	if steps < leastSteps {
		return fmt.Errorf("an attempt of %d steps is too short", steps)
	}
	return ch.holdOut(most)
}

// holdOut draws the rows of attempts: at most the given number to train on, and others to score them.
func (ch *chooser) holdOut(most int) (err error) {
	ds, seed := ch.run.job.Train, ch.run.job.Config.Seed
	heldOutRows := min(heldOutShare*float64(ds.N()), options.ValidationRows)
	trainRows := min(float64(ds.N())-heldOutRows, float64(most))
	rows, _ := ds.Sample(int(math.Round(trainRows+heldOutRows)), seed)
	if ch.trainRows, ch.heldOut, err = data.HoldOut(rows, heldOutRows/(trainRows+heldOutRows), seed); err != nil {
		return err
	}
	ch.weights = ch.heldOut.Weights
	return CheckRanks(ch.run.job.ranks(), ch.run.job.Config, ch.trainRows.N())
}

// restart puts the run at its start, with a candidate and a number of steps. longest is the largest number of steps
// that could have been chosen.
func (r *run) restart(ctx context.Context, c candidate, steps, longest int) error {
	var notes []string
	r.job.Config.Objective, r.job.Config.KLWeight = c.objective, c.klWeight
	r.job.Config, notes = r.job.Config.ForChosenSteps(steps, longest)
	r.job.noteAll(notes)
	r.trained.KLWeight = c.klWeight
	if err := r.build(ctx); err != nil {
		return err
	}
	r.reset()
	return nil
}

// makeAttempts makes a short attempt of each candidate, and longer ones of the two best, as far as there is time. It
// returns the steps of the longest attempts, which the pace of the others may change.
func (ch *chooser) makeAttempts(ctx context.Context, shortSteps, longSteps int) (int, error) {
	attemptCtx, cancel := context.WithCancel(ctx)
	var end time.Duration // end of all attempts, on the clock of a time limit
	if used, deadline := ch.run.clock.used(), ch.run.clock.deadline; deadline > 0 {
		end = used + portion(attemptTimeShare, deadline-used)
		attemptCtx, cancel = context.WithDeadline(ctx, ch.run.clock.limit.Began.Add(end))
	}
	defer cancel()
	ch.cancel = cancel
	ch.first = ch.variant
	if err := ch.takeComponents(attemptCtx); err != nil {
		return longSteps, err
	}
	between := lengthsBetween(shortSteps, longSteps)
	ch.totalSteps = len(ch.candidates)*shortSteps + 2*longSteps
	for _, steps := range between {
		ch.totalSteps += 2 * steps
	}
	if ch.columns != "" {
		ch.totalSteps += shortSteps
	}
	more, err := ch.attemptEach(attemptCtx, ch.candidates, shortSteps)
	if more && err == nil && ch.columns != "" && ch.best() == nil { // all have broken off
		ch.variant = ch.first
		more, err = ch.attemptEach(attemptCtx, ch.candidates, shortSteps)
	}
	ranked := slices.Clone(ch.scored())
	slices.SortStableFunc(ranked, func(a, b *rundir.Attempt) int { return cmp.Compare(ch.meanOf(b), ch.meanOf(a)) })
	if more && err == nil {
		more, err = ch.tryColumns(attemptCtx, shortSteps)
	}
	if !more || err != nil {
		return longSteps, cmp.Or(err, context.Cause(ctx))
	}
	if longSteps == 0 {
		return 0, nil
	}
	var best []candidate
	for _, a := range ranked[:min(2, len(ranked))] {
		best = append(best, candidateOf(a))
	}
	longest := shortSteps
	for _, longest = range between {
		if more, err := ch.attemptEach(attemptCtx, best, longest); !more || err != nil {
			return longSteps, cmp.Or(err, context.Cause(ctx))
		}
	}
	if longSteps, err = ch.longStepsInTime(longest, longSteps, end); err != nil {
		return longSteps, err
	}
	ch.totalSteps = ch.doneSteps + 2*longSteps
	if more, err := ch.attemptEach(attemptCtx, best, longSteps); !more || err != nil {
		return longSteps, cmp.Or(err, context.Cause(ctx))
	}
	return longSteps, nil
}

// lengthsBetween are the numbers of steps of attempts between short and long ones that have many more steps. The best
// length on few rows may be far below that of a long attempt.
func lengthsBetween(shortSteps, longSteps int) (all []int) {
	for steps := lengthFactor * shortSteps; lengthFactor*steps <= longSteps; steps *= lengthFactor {
		all = append(all, steps)
	}
	return all
}

// longStepsInTime is the number of steps of a long attempt. With a time limit, two of these and the run share the time
// that is left, at the pace of the attempts before, of which the longest has the given number: the machine may have
// been slower or faster when the first steps were timed. The two end by the end of all attempts. A resumed run keeps
// the number of its attempts.
func (ch *chooser) longStepsInTime(longest, planned int, end time.Duration) (int, error) {
	steps, clock := planned, &ch.run.clock
	if clock.deadline > 0 && ch.pace.steps > 0 {
		used, perStep := clock.used(), ch.pace.perStep()
		fit := min(affordableSteps(clock.deadline-used, perStep)/3, affordableSteps(end-used, perStep)/2)
		if ch.run.job.Validation != nil { // evaluations during the run need what is left
			fit = min(fit, planned)
		}
		steps = min(max(2*longest, fit), options.MaxSteps)
	}
	for _, a := range ch.savedAttempts {
		if a.Steps > longest {
			steps = a.Steps
		}
	}
	return fromRankZero(ch.run.job.ranks(), steps)
}

// attemptEach makes an attempt of each candidate. It reports whether there is time for more.
func (ch *chooser) attemptEach(ctx context.Context, candidates []candidate, steps int) (more bool, err error) {
	for _, c := range candidates {
		if more, err = ch.attempt(ctx, c, steps); !more || err != nil {
			return more, err
		}
	}
	return true, nil
}

// takeComponents makes components the inputs, if they may pay and there is time to fit them. A resumed run has the
// inputs of its attempts.
func (ch *chooser) takeComponents(ctx context.Context) error {
	r, resumed := ch.first.run, len(ch.savedAttempts) > 0
	if resumed && !slices.ContainsFunc(ch.savedAttempts, onComponents) {
		return nil
	}
	if resumed {
		ctx = context.WithoutCancel(ctx)
	} else if used, deadline := r.clock.used(), r.clock.deadline; deadline > 0 {
		end := used + portion(componentTimeShare, deadline-used)
		timed, cancel := context.WithDeadline(ctx, r.clock.limit.Began.Add(end))
		defer cancel()
		ctx = timed
	}
	if r.job.shared() { // ranks end together
		ctx = context.WithoutCancel(ctx)
	}
	run, err := r.withComponents(ctx)
	if ctx.Err() != nil {
		return nil
	}
	if run == nil || err != nil {
		return err
	}
	p := run.job.projection
	ch.variant = variant{run: run, columns: options.Components, trainRows: p.Apply(ch.trainRows),
		heldOut: p.Apply(ch.heldOut)}
	return nil
}

// settleComponents makes the run of components the run itself.
func (ch *chooser) settleComponents() {
	r, before := ch.first.run, ch.first.run.job.Config
	*r = *ch.run
	r.job.Reporter.Note("inputs: %s (%s=all keeps each column)", r.job.projection, usererror.Key("columns"))
	now := r.job.Config
	if now.Lengthscales != before.Lengthscales {
		r.job.Reporter.Note("lengthscales: %s for components", now.Lengthscales)
	}
}

// tryColumns makes an attempt of the best candidate so far with columns in place of components. If it surpasses the
// one with components, columns are the inputs from then on. It reports whether there is time for more attempts.
func (ch *chooser) tryColumns(ctx context.Context, steps int) (more bool, err error) {
	before, best := ch.variant, ch.best()
	if ch.columns == "" {
		return true, nil
	}
	ch.variant = ch.first
	more, err = ch.attempt(ctx, candidateOf(best), steps)
	if of := ch.scored(); len(of) == 0 || !ch.weights.Surpass(of[0].Logs, best.Logs) {
		ch.variant = before
	}
	return more, err
}
