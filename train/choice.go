package train

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/train/options"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// How the objective is chosen. A weight of the divergences below 1, or the log density of the prediction in place of
// the bound, is much better on most tables, and memorises others. So rows that are held out choose after short
// trainings, called attempts. Attempts and run together take no more steps than a run without a choice, or a sixteenth
// more where they choose between components and columns.
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
	// weights of the divergences below 1; a short attempt prefers the lowest one, and a long attempt has to confirm it
	lowerWeight, lowestWeight = 0.3, 0.1
)

// candidate is an objective with the weight of its divergences.
type candidate struct {
	objective string
	klWeight  float64
}

func (s candidate) String() string {
	if s.klWeight == 1 {
		return s.objective
	}
	return fmt.Sprintf("%s with kl-weight %g", s.objective, s.klWeight)
}

// inputs are a run with some inputs, and the rows of its attempts.
type inputs struct {
	run                *run
	columns            string // options.Components, or "" for columns
	trainRows, heldOut *data.Dataset
}

// chooser makes the attempts of a run.
type chooser struct {
	inputs                                 // of the attempts so far
	first                 inputs           // columns, as the run began: checkpoints are of its run
	candidates            []candidate      // the first one stays unless another is clearly better
	weights               metrics.Weights  // weights of the rows that score the attempts
	savedAttempts         []rundir.Attempt // attempts of a checkpoint
	attempts              []rundir.Attempt
	doneSteps, totalSteps int // steps of finished attempts, and of all
	// steps that this process has taken, and their time: they give the pace of the run that follows
	timedSteps   int
	timedSeconds float64
	cancel       func() // ends the attempts
}

// choose settles the objective, the weight of its divergences and, if the objective is not safe, the number of
// steps. Attempts that break off, or that a time limit has no time for, do not count.
func (r *run) choose(ctx context.Context) (err error) {
	c := r.job.Config
	if c.Objective != options.Auto {
		return nil
	}
	safe := c.ObjectiveOf(r.job.Train) == options.Predictive
	h := &chooser{inputs: inputs{run: r}, candidates: candidates(c, r.job.Train),
		savedAttempts: r.job.attemptState.Attempts}
	shortSteps, longSteps := int(shortShare*float64(c.Steps)), int(longShare*float64(c.Steps))
	rows := longSteps * c.Batch // the largest number of rows that an attempt draws
	if safe {
		shortSteps, longSteps, rows = int(safeShare*float64(c.Steps)), 0, int(safeShare*float64(r.job.Train.N()))
	}
	// holdOut fails if the remaining rows lack a class, are fewer than the ranks, or have equal targets
	if shortSteps >= leastSteps && h.holdOut(rows) == nil {
		r.saver = newSaver(c)
		r.step, r.validator = nil, nil // their memory is free for the attempts
		if err := h.makeAttempts(ctx, shortSteps, longSteps); err != nil {
			return err
		}
	}
	if h.best() != nil && h.columns != "" {
		h.settleComponents()
	}
	h.run = r
	s, steps, longestSteps := h.candidates[0], c.Steps, c.Steps
	switch best := h.best(); {
	case best == nil:
	case safe:
		s, steps, longestSteps = candidateOf(best), c.Steps-h.totalSteps, c.Steps-h.totalSteps
	case !slices.ContainsFunc(h.attempts, func(a rundir.Attempt) bool { return a.Steps == longSteps }):
		// there was no time for a long one, and no lengths to compare
		s, steps, longestSteps = candidateOf(best), longSteps, longSteps
	default:
		r.setTemperature(best.Temperature)
		s, steps, longestSteps = candidateOf(best), best.Steps, longSteps
	}
	fit, err := h.stepsInTime(steps)
	if err != nil {
		return err
	}
	length := fmt.Sprintf("%d steps", fit)
	if h.doneSteps > 0 {
		length = fmt.Sprintf("%d of %d steps, after %d of attempts", fit, c.Steps, h.doneSteps)
	}
	if r.clock.deadline > 0 { // the speed of the machine changes the number: replan
		length = "about " + length + ", as time allows"
	}
	r.job.Reporter.Note("objective: %s, for %s%s", s, length, h.choiceReason())
	return r.restart(ctx, s, fit, longestSteps-steps+fit)
}

// choiceReason is the note on why the best attempt was chosen, if the mean of another exceeds its mean; "" otherwise.
func (h *chooser) choiceReason() string {
	best := h.best()
	exceeds := func(a *rundir.Attempt) bool { return h.meanOf(a) > h.meanOf(best) }
	if best == nil || !slices.ContainsFunc(h.scored(), exceeds) {
		return ""
	}
	return ": no other is better by more than the standard error of the difference"
}

// stepsInTime is the number of the steps that fit into the rest of a time limit, at the pace of the attempts. The
// machine may be slower than it was when the first steps were timed.
func (h *chooser) stepsInTime(steps int) (int, error) {
	r := h.run
	if r.clock.deadline == 0 || h.timedSteps == 0 {
		return steps, nil
	}
	// the run has a little time even if the attempts were late
	r.clock.deadline = max(r.clock.deadline, r.clock.used()+r.clock.limit.Time/20)
	perStep := max(1, time.Duration(h.timedSeconds/float64(h.timedSteps)*float64(time.Second)))
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
	r.job.Config = r.job.Config.With("temperature", t)
	if t != 1 {
		r.trained.Config.Temperature = t
		r.job.Reporter.Note("temperature %.2f, by rows that were held out", t)
	}
}

// holdOut draws the rows of attempts: at most the given number to train on, and others to score them.
func (h *chooser) holdOut(most int) (err error) {
	ds, seed := h.run.job.Train, h.run.job.Config.Seed
	heldOutRows := min(heldOutShare*float64(ds.N()), options.ValidationRows)
	trainRows := min(float64(ds.N())-heldOutRows, float64(most))
	rows, _ := ds.Sample(int(math.Round(trainRows+heldOutRows)), seed)
	if h.trainRows, h.heldOut, err = data.HoldOut(rows, heldOutRows/(trainRows+heldOutRows), seed); err != nil {
		return err
	}
	h.weights = h.heldOut.Weights
	return CheckRanks(h.run.job.ranks(), h.run.job.Config, h.trainRows.N())
}

// candidates are the objectives that rows choose from, the default first. If rows outnumber the parameters that can
// follow them, that is the predictive objective, also with a lower weight. Otherwise it is the bound; the others
// are the predictive objective if the model has one, or lower weights.
func candidates(c *options.Config, ds *data.Dataset) []candidate {
	switch {
	case c.ObjectiveOf(ds) == options.Predictive:
		return []candidate{{options.Predictive, 1}, {options.Predictive, lowerWeight}}
	case c.HasPredictive(ds):
		return []candidate{{options.ELBO, 1}, {options.Predictive, 1}, {options.Predictive, lowerWeight},
			{options.Predictive, lowestWeight}}
	}
	return []candidate{{options.ELBO, 1}, {options.ELBO, lowerWeight}, {options.ELBO, lowestWeight}}
}

// restart puts the run at its start, with a candidate and a number of steps. longest is the largest number of steps
// that could have been chosen.
func (r *run) restart(ctx context.Context, s candidate, steps, longest int) error {
	var notes []string
	r.job.Config, notes = r.job.Config.With("objective", s.objective).With("kl-weight", s.klWeight).
		ForChosenSteps(steps, longest)
	for _, n := range notes {
		r.job.Reporter.Note("%s", n)
	}
	r.trained.KLWeight = s.klWeight
	if err := r.build(ctx); err != nil {
		return err
	}
	r.reset()
	return nil
}

// makeAttempts makes a short attempt of each candidate, and long ones of the two best, as far as there is time.
func (h *chooser) makeAttempts(ctx context.Context, shortSteps, longSteps int) error {
	attemptCtx, cancel := context.WithCancel(ctx)
	if used, deadline := h.run.clock.used(), h.run.clock.deadline; deadline > 0 {
		end := used + share(attemptTimeShare, deadline-used)
		attemptCtx, cancel = context.WithDeadline(ctx, h.run.clock.limit.Began.Add(end))
	}
	defer cancel()
	h.cancel = cancel
	h.first = h.inputs
	if err := h.takeComponents(attemptCtx); err != nil {
		return err
	}
	h.totalSteps = len(h.candidates)*shortSteps + 2*longSteps
	if h.columns != "" {
		h.totalSteps += shortSteps
	}
	more, err := h.shortAttempts(attemptCtx, shortSteps)
	if more && err == nil && h.columns != "" && h.best() == nil { // all have broken off
		h.inputs = h.first
		more, err = h.shortAttempts(attemptCtx, shortSteps)
	}
	ranked := slices.Clone(h.scored())
	slices.SortStableFunc(ranked, func(a, b *rundir.Attempt) int { return cmp.Compare(h.meanOf(b), h.meanOf(a)) })
	if more && err == nil {
		more, err = h.tryColumns(attemptCtx, shortSteps)
	}
	if !more || err != nil {
		return cmp.Or(err, context.Cause(ctx))
	}
	if longSteps == 0 {
		return nil
	}
	for _, a := range ranked[:min(2, len(ranked))] {
		if more, err := h.attempt(attemptCtx, candidateOf(a), longSteps); !more || err != nil {
			return cmp.Or(err, context.Cause(ctx))
		}
	}
	return nil
}

// shortAttempts makes an attempt of each candidate. It reports whether there is time for more.
func (h *chooser) shortAttempts(ctx context.Context, steps int) (more bool, err error) {
	for _, s := range h.candidates {
		if more, err = h.attempt(ctx, s, steps); !more || err != nil {
			return more, err
		}
	}
	return true, nil
}

// takeComponents makes components the inputs, if they may pay and there is time to fit them. A resumed run has the
// inputs of its first attempt.
func (h *chooser) takeComponents(ctx context.Context) error {
	r, resumed := h.first.run, len(h.savedAttempts) > 0
	if resumed && h.savedAttempts[0].Columns == "" {
		return nil
	}
	if resumed {
		ctx = context.WithoutCancel(ctx)
	} else if used, deadline := r.clock.used(), r.clock.deadline; deadline > 0 {
		end := used + share(componentTimeShare, deadline-used)
		timed, cancel := context.WithDeadline(ctx, r.clock.limit.Began.Add(end))
		defer cancel()
		ctx = timed
	}
	if r.job.shared() { // ranks end together
		ctx = context.WithoutCancel(ctx)
	}
	to, err := r.withComponents(ctx)
	if ctx.Err() != nil {
		return nil
	}
	if to == nil || err != nil {
		return err
	}
	p := to.job.projection
	h.inputs = inputs{to, options.Components, p.Apply(h.trainRows), p.Apply(h.heldOut)}
	return nil
}

// settleComponents makes the run of components the run itself.
func (h *chooser) settleComponents() {
	r, before := h.first.run, h.first.run.job.Config.Lengthscales
	*r = *h.run
	r.job.Reporter.Note("inputs: %s (--set columns=all keeps each column)", r.job.projection)
	if now := r.job.Config.Lengthscales; now != before {
		r.job.Reporter.Note("lengthscales: %s for components", now)
	}
}

// tryColumns makes an attempt of the best candidate so far with columns in place of components. If it surpasses the
// one with components, columns are the inputs from then on. It reports whether there is time for more attempts.
func (h *chooser) tryColumns(ctx context.Context, steps int) (more bool, err error) {
	before, best := *h, h.best()
	if h.columns == "" {
		return true, nil
	}
	h.inputs, h.timedSteps, h.timedSeconds = h.first, 0, 0
	more, err = h.attempt(ctx, candidateOf(best), steps)
	if of := h.scored(); len(of) == 0 || !surpasses(of[0].Logs, best.Logs, h.weights) {
		h.inputs, h.timedSteps, h.timedSeconds = before.inputs, before.timedSteps, before.timedSeconds
	}
	return more, err
}

// scored are the attempts with the inputs so far that did not break off.
func (h *chooser) scored() (all []*rundir.Attempt) {
	for i := range h.attempts {
		if a := &h.attempts[i]; a.Logs != nil && a.Columns == h.columns {
			all = append(all, a)
		}
	}
	return all
}

func candidateOf(a *rundir.Attempt) candidate { return candidate{a.Objective, a.KLWeight} }

// meanOf is the mean log density of the held-out rows after an attempt.
func (h *chooser) meanOf(a *rundir.Attempt) float64 {
	mean, _ := h.weights.MeanError(a.Logs)
	return mean
}

// best is the attempt with the largest mean log density; nil without attempts. Of two attempts of a candidate, the
// longer one counts unless the shorter one surpasses it. The first candidate stays unless another surpasses it.
func (h *chooser) best() *rundir.Attempt {
	byCandidate := map[candidate]*rundir.Attempt{}
	for _, a := range h.scored() {
		if previous := byCandidate[candidateOf(a)]; previous == nil || !surpasses(previous.Logs, a.Logs, h.weights) {
			byCandidate[candidateOf(a)] = a
		}
	}
	first := byCandidate[h.candidates[0]]
	best := first
	for _, s := range h.candidates {
		if a := byCandidate[s]; a != nil && (best == nil || h.meanOf(a) > h.meanOf(best)) {
			best = a
		}
	}
	if first != nil && !surpasses(best.Logs, first.Logs, h.weights) {
		return first
	}
	return best
}

// surpasses reports whether the mean of logs exceeds that of other, of the same rows, by more than the standard
// error of the difference.
func surpasses(logs, other []float64, w metrics.Weights) bool {
	differences := make([]float64, len(logs))
	for i := range differences {
		differences[i] = logs[i] - other[i]
	}
	mean, se := w.MeanError(differences)
	return mean > se
}
