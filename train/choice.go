package train

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/options"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// On few rows the predictive objective is much better for most tables and memorises others, and
// steps that one table needs are too many for the next. So rows that are held out choose both. The
// attempts and the training on all rows take no more steps together than a run without a choice.
const (
	choiceShare = 0.2 // of the rows score the attempts
	shorter     = 3   // times fewer steps has an attempt than the next one of its objective
	choiceTime  = 0.7 // of what a time limit leaves, attempts get at most
)

// attempt is a training with an objective for a number of steps, and the log density that it gives
// each row that was held out.
type attempt struct {
	objective string
	steps     int
	logs      []float64
	mean      float64
}

// chooser makes the attempts of a run.
type chooser struct {
	run        *run
	rest, held *data.Dataset
	attempts   []attempt
	done, all  int // steps
}

// choose settles the objective and the number of steps where the rows decide on them. Attempts that
// break off, or that a time limit has no time for, do not count.
func (r *run) choose(ctx context.Context) (err error) {
	c := r.job.Config
	if c.Objective != options.Auto {
		return nil
	}
	r.job.Config = c.With("objective", options.ELBO)
	longest := longestAttempt(c.Steps)
	if longest < fewSteps*shorter*shorter {
		return nil
	}
	h := &chooser{run: r, all: c.Steps - longest}
	if h.rest, h.held, err = data.HoldOut(r.job.Train, choiceShare, c.Seed); err != nil {
		return err
	}
	if err := h.try(ctx, longest); err != nil {
		return err
	}
	best := h.best()
	if best == nil {
		return nil
	}
	r.job.Reporter.Note("NLPD of %d of the training rows, which were held out: %s", h.held.N(), h)
	r.job.Reporter.Note("objective: %s, and %d steps, which are best for these rows", best.objective, best.steps)
	var notes []string
	r.job.Config, notes = c.With("objective", best.objective).ForRows(best.steps, longest)
	for _, n := range notes {
		r.job.Reporter.Note("%s", n)
	}
	if err := r.build(ctx); err != nil {
		return err
	}
	r.reset()
	return nil
}

// longestAttempt is L of n steps in all: L/9 and L/3 steps for each objective, L for the better one,
// and L on all rows.
func longestAttempt(n int) int {
	return int(float64(n) / (2 + 2.0/shorter + 2.0/(shorter*shorter)))
}

// try makes the attempts, as far as there is time.
func (h *chooser) try(ctx context.Context, longest int) error {
	within, cancel := context.WithCancel(ctx)
	if now, end := h.run.clock.used(), h.run.clock.deadline; end > 0 {
		within, cancel = context.WithDeadline(ctx, h.run.clock.began.Add(now+share(choiceTime, end-now)))
	}
	defer cancel()
	short := []int{longest / (shorter * shorter), longest / shorter}
	for _, objective := range []string{options.ELBO, options.Predictive} {
		for _, steps := range short {
			if err := h.attempt(within, objective, steps); err != nil {
				return context.Cause(ctx)
			}
		}
	}
	if best := h.best(); best != nil && h.attempt(within, best.objective, longest) != nil {
		return context.Cause(ctx)
	}
	return nil
}

// best is the attempt with the largest mean log density; nil where none has one. The predictive
// objective is no bound, and has to exceed the bound by more than the standard error of the
// difference.
func (h *chooser) best() *attempt {
	of := map[string]*attempt{}
	for i := range h.attempts {
		a := &h.attempts[i]
		if best := of[a.objective]; best == nil || a.mean > best.mean {
			of[a.objective] = a
		}
	}
	bound, other := of[options.ELBO], of[options.Predictive]
	if bound == nil || other != nil && surpasses(other.logs, bound.logs) {
		return other
	}
	return bound
}

// surpasses reports whether log densities exceed those of the same rows by more than the standard
// error of the mean difference.
func surpasses(logs, other []float64) bool {
	more := make([]float64, len(logs))
	for i := range more {
		more[i] = logs[i] - other[i]
	}
	mean, se := metrics.MeanError(more)
	return mean > se
}

// String is the NLPD of each attempt.
func (h *chooser) String() string {
	var all []string
	for _, a := range h.attempts {
		all = append(all, fmt.Sprintf("%s %.3f after %d steps", a.objective, -a.mean, a.steps))
	}
	return strings.Join(all, ", ")
}

// attempt trains on the rest of the rows, from the start of the run. Its error is that of ctx.
func (h *chooser) attempt(ctx context.Context, objective string, steps int) error {
	job, trained := *h.run.job, *h.run.trained
	job.Train, job.Validation, job.Save, job.Reporter = h.rest, nil, nil, listener{h}
	batch := min(job.Config.Batch, h.rest.N())
	job.Config, _ = job.Config.With("objective", objective).With("batch", batch).ForRows(steps, steps)
	r := &run{job: &job, trained: &trained, init: h.run.init}
	logs, err := h.score(ctx, r)
	h.done += steps
	switch mean, _ := metrics.MeanError(logs); {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err == nil && !math.IsNaN(mean) && !math.IsInf(mean, 0):
		h.attempts = append(h.attempts, attempt{objective, steps, logs, mean})
	}
	return nil
}

// score trains an attempt, and gives the log densities of the rows that were held out.
func (h *chooser) score(ctx context.Context, r *run) (logs []float64, err error) {
	if err := r.build(ctx); err != nil {
		return nil, err
	}
	r.reset()
	if _, err := r.train(ctx); err != nil {
		return nil, err
	}
	rows := r.step.Model.UploadRows(model.Rows{N: h.held.N(), X: r.trained.Inputs(ctx, h.held)}, nil, nil)
	p, err := r.step.Model.NewPredictor(rows, options.ValidationSamples).Predict(r.job.Config.Seed)
	if err != nil {
		return nil, err
	}
	return r.trained.DensitiesOf(p, h.held, 0).Log, nil
}

// listener hears of attempts, and tells the Reporter their share of all.
type listener struct{ chooser *chooser }

func (listener) Note(string, ...any)   {}
func (listener) Doing(string, float64) {}
func (listener) Begin(int)             {}
func (listener) End()                  {}
func (l listener) Step(p rundir.Progress) {
	h := l.chooser
	h.run.job.Reporter.Doing("choosing objective and steps", float64(h.done+p.Step)/float64(h.all))
}
