package train

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/options"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// How the objective is chosen. A weight of the divergences below 1, or the log density of the
// prediction in place of the bound, is much better on most tables and memorises others. So rows that are
// held out choose, after short trainings, and the steps of all are no more than those of a run without a
// choice. Where the predictive objective is safe, since rows outnumber the parameters that can follow
// them, more steps make it better. An attempt then takes a share of the rows and of the steps: as many
// passes, with which a model memorises sooner than with all rows. Elsewhere a number of steps that one
// table needs is too large for another, and longer attempts choose that, too.
const (
	choiceShare = 0.2      // share of the rows that scores attempts, at most options.ValidationRows
	choiceTime  = 0.8      // largest share of the remaining time for attempts
	shortShare  = 1.0 / 16 // share of the steps for a short attempt
	longShare   = 1.0 / 4  // for each of two long attempts; the run that follows has no more
	safeShare   = 1.0 / 8  // share of rows and steps for an attempt with a safe objective; the run has the others
	leastSteps  = 30       // of an attempt: shorter ones choose nothing
	// lower weights of the divergences; a short attempt prefers the lowest, and a long one has to agree
	lower, lowest = 0.3, 0.1
)

// setting is an objective with the weight of its divergences.
type setting struct {
	objective string
	klWeight  float64
}

func (s setting) String() string {
	if s.klWeight == 1 {
		return s.objective
	}
	return fmt.Sprintf("%s with kl-weight %g", s.objective, s.klWeight)
}

// chooser makes the attempts of a run.
type chooser struct {
	run        *run
	settings   []setting // the first one stays unless another is clearly better
	rest, held *data.Dataset
	weights    metrics.Weights  // of the rows that score the attempts
	known      []rundir.Attempt // of a checkpoint
	attempts   []rundir.Attempt
	done, all  int // steps
	// the steps that were taken, and their time: the pace of the run that follows
	steps   int
	seconds float64
	enough  func() // ends the attempts
}

// choose settles the objective, the weight of its divergences and, where they are not safe, the number of
// steps. Attempts that break off, or that a time limit has no time for, do not count.
func (r *run) choose(ctx context.Context) (err error) {
	c := r.job.Config
	if c.Objective != options.Auto {
		return nil
	}
	safe := c.ObjectiveOf(r.job.Train) == options.Predictive
	h := &chooser{run: r, settings: settings(c, r.job.Train), known: r.job.attempted.Attempts}
	short, long := int(shortShare*float64(c.Steps)), int(longShare*float64(c.Steps))
	rows := long * c.Batch // an attempt does not draw more
	if safe {
		short, long, rows = int(safeShare*float64(c.Steps)), 0, int(safeShare*float64(r.job.Train.N()))
	}
	// rows without the held out ones may lack a class, be fewer than ranks, or have equal targets
	if short >= leastSteps && h.holdOut(rows) == nil {
		r.saver = newSaver(c)
		h.all = len(h.settings)*short + 2*long
		r.step, r.validator = nil, nil // their memory is free for the attempts
		if err := h.try(ctx, short, long); err != nil {
			return err
		}
	}
	s, steps, longest := h.settings[0], c.Steps, c.Steps
	switch best := h.best(); {
	case best == nil:
	case safe:
		s, steps, longest = settingOf(best), c.Steps-h.all, c.Steps-h.all
	case len(h.attempts) <= len(h.settings): // there was no time for a long one, and no lengths to compare
		s, steps, longest = settingOf(best), long, long
	default:
		r.temper(best.Temperature)
		s, steps, longest = settingOf(best), best.Steps, long
	}
	fit, err := h.fitting(steps)
	if err != nil {
		return err
	}
	r.job.Reporter.Note("objective: %s, for %d steps%s", s, fit, h.unsurpassed())
	return r.restart(ctx, s, fit, longest-steps+fit)
}

// unsurpassed is the reason for an attempt that others exceed.
func (h *chooser) unsurpassed() string {
	best := h.best()
	exceeds := func(a *rundir.Attempt) bool { return h.meanOf(a) > h.meanOf(best) }
	if best == nil || !slices.ContainsFunc(h.scored(), exceeds) {
		return ""
	}
	return ": no other is better by more than the standard error of the difference"
}

// fitting is how many of the steps fit into the rest of a time limit, at the pace of the attempts: the
// machine may be slower than it was when the first steps were timed.
func (h *chooser) fitting(steps int) (int, error) {
	r := h.run
	if r.clock.deadline == 0 || h.steps == 0 {
		return steps, nil
	}
	// a little in any case: attempts may have been late
	r.clock.deadline = max(r.clock.deadline, r.clock.used()+r.clock.limit.Time/20)
	perStep := max(1, time.Duration(h.seconds/float64(h.steps)*float64(time.Second)))
	fit := steps
	if remaining := r.clock.deadline - r.clock.used(); time.Duration(steps)*perStep > remaining {
		fit = affordable(remaining, perStep)
	}
	fit, err := fromRankZero(r.job.ranks(), fit)
	if err == nil && fit < steps {
		r.tellFit(fit, perStep)
	}
	return fit, err
}

// temper gives the model the temperature of an attempt, 0 for none.
func (r *run) temper(t float64) {
	if t == 0 {
		return
	}
	r.job.Config = r.job.Config.With("temperature", t)
	if t != 1 {
		r.trained.Config.Temperature = t
		r.job.Reporter.Note("temperature %.2f, by rows that were held out", t)
	}
}

// holdOut takes the rows of attempts, most at most, and those that score them.
func (h *chooser) holdOut(most int) (err error) {
	ds, seed := h.run.job.Train, h.run.job.Config.Seed
	held := min(choiceShare*float64(ds.N()), options.ValidationRows)
	rest := min(float64(ds.N())-held, float64(most))
	rows, _ := ds.Sample(int(math.Round(rest+held)), seed)
	if h.rest, h.held, err = data.HoldOut(rows, held/(rest+held), seed); err != nil {
		return err
	}
	h.weights = h.held.Weights
	return CheckRanks(h.run.job.ranks(), h.run.job.Config, h.rest.N())
}

// settings are the choice that rows have: the predictive objective with a lower weight where rows
// outnumber the parameters that can follow them, and otherwise the bound, with lower weights or beside the
// predictive objective.
func settings(c *options.Config, ds *data.Dataset) []setting {
	switch {
	case c.ObjectiveOf(ds) == options.Predictive:
		return []setting{{options.Predictive, 1}, {options.Predictive, lower}}
	case c.HasPredictive(ds):
		return []setting{{options.ELBO, 1}, {options.Predictive, 1}, {options.Predictive, lower},
			{options.Predictive, lowest}}
	}
	return []setting{{options.ELBO, 1}, {options.ELBO, lower}, {options.ELBO, lowest}}
}

// restart puts the run to its start with a setting, for a number of steps, of a longest number that
// there was a choice of.
func (r *run) restart(ctx context.Context, s setting, steps, longest int) error {
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

// try makes a short attempt of each setting, and long ones of the two best, as far as there is time.
func (h *chooser) try(ctx context.Context, short, long int) error {
	within, cancel := context.WithCancel(ctx)
	if now, end := h.run.clock.used(), h.run.clock.deadline; end > 0 {
		within, cancel = context.WithDeadline(ctx, h.run.clock.limit.Began.Add(now+share(choiceTime, end-now)))
	}
	defer cancel()
	h.enough = cancel
	for _, s := range h.settings {
		if on, err := h.attempt(within, s, short); !on || err != nil {
			return cmp.Or(err, context.Cause(ctx))
		}
	}
	if long == 0 {
		return nil
	}
	ranked := slices.Clone(h.scored())
	slices.SortStableFunc(ranked, func(a, b *rundir.Attempt) int { return cmp.Compare(h.meanOf(b), h.meanOf(a)) })
	for _, a := range ranked[:min(2, len(ranked))] {
		if on, err := h.attempt(within, settingOf(a), long); !on || err != nil {
			return cmp.Or(err, context.Cause(ctx))
		}
	}
	return nil
}

// scored are the attempts that did not break off.
func (h *chooser) scored() (all []*rundir.Attempt) {
	for i := range h.attempts {
		if a := &h.attempts[i]; a.Logs != nil {
			all = append(all, a)
		}
	}
	return all
}

func settingOf(a *rundir.Attempt) setting { return setting{a.Objective, a.KLWeight} }

// meanOf is the mean log density of an attempt.
func (h *chooser) meanOf(a *rundir.Attempt) float64 {
	mean, _ := h.weights.MeanError(a.Logs)
	return mean
}

// best is the attempt with the largest mean log density; nil without attempts. A later attempt of a setting,
// which is the longer one, counts for it, and the first setting stays, unless the others surpass them.
func (h *chooser) best() *rundir.Attempt {
	of := map[setting]*rundir.Attempt{}
	for _, a := range h.scored() {
		if short := of[settingOf(a)]; short == nil || !surpasses(short.Logs, a.Logs, h.weights) {
			of[settingOf(a)] = a
		}
	}
	first := of[h.settings[0]]
	best := first
	for _, s := range h.settings {
		if a := of[s]; a != nil && (best == nil || h.meanOf(a) > h.meanOf(best)) {
			best = a
		}
	}
	if first != nil && !surpasses(best.Logs, first.Logs, h.weights) {
		return first
	}
	return best
}

// surpasses reports whether log densities exceed those of the same rows by more than the standard
// error of the mean difference.
func surpasses(logs, other []float64, w metrics.Weights) bool {
	more := make([]float64, len(logs))
	for i := range more {
		more[i] = logs[i] - other[i]
	}
	mean, se := w.MeanError(more)
	return mean > se
}

// attempt trains on the rest of the rows, from the start of the run, and reports whether there is time for
// more. One that breaks off, or that is cut short, does not count. A checkpoint may have it already.
func (h *chooser) attempt(ctx context.Context, s setting, steps int) (more bool, err error) {
	a := rundir.Attempt{Objective: s.objective, KLWeight: s.klWeight, Steps: steps}
	if n := len(h.attempts); n < len(h.known) { // and needs no time
		a = h.known[n]
	} else if more, err = h.run.agreed(ctx.Err() == nil); !more || err != nil {
		return more, err
	} else if err := h.score(ctx, &a); errors.Is(err, ErrLate) {
		return true, nil // by a time limit or Ctrl-C
	} else if err != nil {
		return false, err
	}
	h.done += steps
	h.attempts = append(h.attempts, a)
	if h.run.job.Save != nil { // Ctrl-C before the first step leaves no time for it
		h.run.checkpointAttempts(h.attempts)
	}
	if a.Logs != nil {
		h.run.job.Reporter.Note("%d rows held out: %-30s %6d steps, log density %.4f", h.held.N(), s, steps, h.meanOf(&a))
	}
	return true, nil
}

// score fills in an attempt. The error is that of one that was cut short, or of this rank alone.
func (h *chooser) score(ctx context.Context, a *rundir.Attempt) error {
	job, trained := *h.run.job, *h.run.trained
	job.Train, job.Validation, job.Save, job.Reporter = h.rest, nil, nil, listener{chooser: h}
	alone := ctx // of work without votes, in which no rank leaves the others
	if job.shared() {
		alone = context.WithoutCancel(ctx)
	}
	if job.inSteps {
		job.sequences = job.sequences.among(alone, h.rest)
	}
	job.Config, _ = job.Config.With("objective", a.Objective).With("kl-weight", a.KLWeight).
		With("batch", min(job.Config.Batch, h.rest.N())).ForChosenSteps(a.Steps, a.Steps)
	p, err := h.predicted(ctx, alone, &run{job: &job, trained: &trained, init: h.run.init})
	if alone.Err() != nil || err == ErrLate {
		return ErrLate
	}
	if err != nil && job.shared() && !ofAllRanks(err) {
		return err
	}
	if err != nil {
		h.run.job.Reporter.Note("an attempt with %s broke off, and does not count: %v", settingOf(a), err)
		return nil
	}
	logs := trained.DensitiesOf(p, h.held, 0).Log
	if mean, _ := h.weights.MeanError(logs); math.IsNaN(mean) || math.IsInf(mean, 0) {
		h.run.job.Reporter.Note("an attempt with %s does not count: its log density is %g", settingOf(a), mean)
		return nil
	}
	a.Logs = logs
	if job.Config.Temperature == 0 {
		a.Temperature, _, _ = Temperature(&trained, p, h.held)
	}
	return nil
}

// ofAllRanks reports whether an error follows from the parameters, so that all ranks have it. With any other, a
// rank that goes on would meet the others in the middle of a sum.
func ofAllRanks(err error) bool {
	return errors.Is(err, errNotFinite) || errors.As(err, new(*model.NotFiniteError)) ||
		errors.As(err, new(*device.NotPositiveDefiniteError))
}

// predicted trains an attempt under ctx, and predicts the rows that were held out; all but the steps is under
// alone. What the device has no memory for is an error.
func (h *chooser) predicted(ctx, alone context.Context, r *run) (p *model.Prediction, err error) {
	defer device.Guard(&err)
	if err := r.build(alone); err != nil {
		return nil, err
	}
	r.reset()
	out, err := r.train(ctx)
	if err != nil {
		return nil, err
	}
	h.steps, h.seconds = h.steps+out.Steps, h.seconds+out.Seconds
	if out.End != Finished {
		return nil, ErrLate
	}
	rows := model.HostRows{N: h.held.N(), X: r.trained.Inputs(alone, h.held)}
	if r.job.inSteps {
		rows.X, rows.Features = r.trained.Numbers(h.held), r.job.sequences.among(alone, h.held).train
	}
	on := r.step.Model.UploadRows(rows, nil, nil)
	if p, err = r.step.Model.NewPredictor(on, options.ValidationSamples).Predict(r.job.Config.Seed); err == nil {
		p.AddOffset(h.held.Offset)
	}
	return p, err
}

// listener hears of attempts, and tells the Reporter their share of all. It ends them where, at their pace, a time
// limit leaves too little for the run that follows.
type listener struct {
	Silent
	chooser *chooser
}

func (l listener) Step(p rundir.Progress) {
	h := l.chooser
	h.run.job.Reporter.Doing("choosing the objective", float64(h.done+p.Step)/float64(h.all))
	after := leastSteps // of the run that follows: as many as the longest attempt so far, where there is time
	for _, a := range h.scored() {
		after = max(after, a.Steps)
	}
	pace := (h.seconds + p.Elapsed.Seconds()) / float64(h.steps+p.Step)
	reserve := time.Duration(float64(after) * pace * float64(time.Second))
	c, first := h.run.clock, h.run.job.ranks().Rank() == 0
	if first && c.deadline > 0 && p.Step >= reportEvery && c.used()+reserve > c.deadline {
		h.enough()
	}
}
