package train

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gpdrf/gpdrf-gpu/data/scaling"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/options"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// A candidate has to be better than the first one by more than the standard error; the length by its mean.
func TestBestAttempt(t *testing.T) {
	bound := objectiveCandidate{"gaussian", options.ELBO, 1}
	other := objectiveCandidate{"gaussian", options.Predictive, 0.3}
	varying := objectiveCandidate{"heteroscedastic", options.ELBO, 0.3}
	of := func(c objectiveCandidate, steps int, logs ...float64) rundir.Attempt {
		return rundir.Attempt{Likelihood: c.likelihood, Objective: c.objective, KLWeight: c.klWeight, Steps: steps,
			Logs: logs, RMSE: 1}
	}
	short, long := of(bound, 1, -1, -1, -1, -1), of(bound, 3, -.9, -.8, -.9, -.8)
	near := of(other, 1, 0, -1.5, 0, -1.5)
	better := of(other, 3, -.5, -.6, -.5, -.6)
	similar := of(bound, 5, -.9, -.8, -.9, -.9)
	surer := of(varying, 3, -.3, -.4, -.3, -.4)
	inexact, hardlyBetter := surer, of(varying, 3, -.5, -.6, -.5, -.5)
	inexact.RMSE = 1.3
	for _, c := range []struct {
		name     string
		attempts []rundir.Attempt
		want     *rundir.Attempt
	}{
		{"none", nil, nil},
		{"broken off", []rundir.Attempt{of(bound, 1)}, nil},
		{"the longer", []rundir.Attempt{short, long}, &long},
		{"not clearly shorter", []rundir.Attempt{long, similar}, &similar},
		{"clearly shorter", []rundir.Attempt{long, of(bound, 5, -1, -1, -1, -1)}, &long},
		{"too near", []rundir.Attempt{short, long, near}, &long},
		{"clear", []rundir.Attempt{short, long, near, better}, &better},
		{"another likelihood", []rundir.Attempt{long, better, surer}, &surer},
		{"another likelihood, not clearly", []rundir.Attempt{long, better, hardlyBetter}, &better},
		{"another likelihood, and its mean far off", []rundir.Attempt{long, better, inexact}, &better},
		{"another likelihood alone", []rundir.Attempt{of(bound, 1), surer}, &surer},
		{"bound broken off", []rundir.Attempt{of(bound, 1), near}, &near},
	} {
		ch := &objectiveChoice{candidates: []objectiveCandidate{bound, other, varying}, inputs: &representation{},
			attempts: c.attempts}
		got := ch.best()
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// Another likelihood goes on only if its short attempt is the best.
func TestBestTwo(t *testing.T) {
	bound := objectiveCandidate{"gaussian", options.ELBO, 1}
	other := objectiveCandidate{"gaussian", options.Predictive, 0.3}
	varying := objectiveCandidate{"heteroscedastic", options.ELBO, 0.3}
	for _, c := range []struct {
		logs [3]float64 // of bound, other and varying
		want []objectiveCandidate
	}{
		{[3]float64{-3, -1, -2}, []objectiveCandidate{other, bound}},
		{[3]float64{-3, -2, -1}, []objectiveCandidate{varying, other}},
		{[3]float64{-1, -2, -3}, []objectiveCandidate{bound, other}},
	} {
		ch := &objectiveChoice{candidates: []objectiveCandidate{bound, other, varying}, inputs: &representation{}}
		for i, of := range ch.candidates {
			ch.attempts = append(ch.attempts, rundir.Attempt{Likelihood: of.likelihood, Objective: of.objective,
				KLWeight: of.klWeight, Logs: []float64{c.logs[i]}})
		}
		if got := ch.bestTwo(); !slices.Equal(got, c.want) {
			t.Errorf("log densities %v: %v go on, want %v", c.logs, got, c.want)
		}
	}
}

// The choice follows from the attempts alone.
func TestChoiceOfAttempts(t *testing.T) {
	bound := objectiveCandidate{"gaussian", options.ELBO, 1}
	other := objectiveCandidate{"gaussian", options.Predictive, 0.3}
	of := func(c objectiveCandidate, steps int, log float64) rundir.Attempt {
		return rundir.Attempt{Likelihood: c.likelihood, Objective: c.objective, KLWeight: c.klWeight, Steps: steps,
			Logs: []float64{log, log}, Temperature: 2}
	}
	short, in := []rundir.Attempt{of(bound, 10, -2), of(other, 10, -1)}, &representation{}
	for name, c := range map[string]struct {
		attempts  []rundir.Attempt
		longSteps int
		want      decision
	}{
		"none":             {nil, 40, decision{in, bound, 160, 160, 0}},
		"safe":             {short, 0, decision{in, other, 60, 60, 0}},
		"no time for any":  {short, 40, decision{in, other, 40, 40, 0}},
		"long":             {append(short, of(other, 40, 0)), 40, decision{in, other, 40, 40, 2}},
		"short":            {append(short, of(other, 40, -3)), 40, decision{in, other, 10, 40, 2}},
		"between":          {append(short, of(other, 40, 0), of(other, 160, -3)), 160, decision{in, other, 40, 160, 2}},
		"no time for long": {append(short, of(other, 40, -3)), 160, decision{in, other, 10, 160, 2}},
	} {
		ch := &objectiveChoice{candidates: []objectiveCandidate{bound, other}, columns: in, inputs: in,
			attempts: c.attempts, totalSteps: 100, longSteps: c.longSteps}
		if got := ch.decide(160); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// Lengths of attempts lie between short and long ones if these are far apart. All attempts and the run take no more
// steps than a run without them, for three candidates and for four.
func TestLengthsBetween(t *testing.T) {
	for steps := 480; steps <= options.MaxSteps; steps += 1 + steps/7 {
		short, long := min(int(shortShare*float64(steps)), longestShort), int(longShare*float64(steps))
		between, sum := lengthsBetween(short, long)
		for _, candidates := range []int{3, 4} {
			all, last := candidates*short+3*long+2*sum, short // the run is as long as a long attempt
			for _, n := range between {
				if n != lengthFactor*last || lengthFactor*n > long {
					t.Errorf("%d steps: %d follows %d before %d", steps, n, last, long)
				}
				last = n
			}
			if all > steps {
				t.Errorf("%d candidates take %d of %d steps", candidates, all, steps)
			}
			if few := steps <= 15000; few && between != nil {
				t.Errorf("%d steps: attempts of %d", steps, between)
			}
		}
	}
}

// An attempt that breaks off does not count. If no attempt counts, the run has the bound as objective. A time limit
// that is nearly over leaves no time for attempts.
func TestNoAttempt(t *testing.T) {
	job := &Job{Config: withSteps(config(t, "inducing=20 latents=2 features=20 batch=50"), 1200),
		Device: openCPU(t), Train: table(t, 120, 1, wave)}
	r := chosenLate(t, job, func(*run) {})
	if c := r.config; c.ObjectiveName() != "ELBO" || c.Steps != 1200 {
		t.Errorf("without time: %s for %d steps", c.Objective, c.Steps)
	}
	r.clock.deadline = 0
	ctx, cancel := context.WithCancelCause(context.Background())
	stop := errors.New("stop")
	cancel(stop)
	r.config.Objective = options.Auto
	if err := r.choose(ctx); err != stop {
		t.Errorf("a context that is over: %v", err)
	}
	r.trained.Targets = []scaling.TargetScale{{SD: 0}} // no target is a number
	ch := &objectiveChoice{run: r, candidates: []objectiveCandidate{{"gaussian", options.ELBO, 1}},
		inputs: &representation{run: r, splits: []split{{job.Train, job.Train}}}}
	heard := &quiet{}
	r.reporter, r.clock = heard, clock{}
	if err := ch.attempt(context.Background(), ch.candidates[0], 90); err != nil || ch.best() != nil {
		t.Errorf("a run that breaks off: %v, %v", err, ch.best())
	} else if notes := strings.Join(heard.notes, "\n"); !strings.Contains(notes, "does not count") {
		t.Errorf("a run that breaks off: the notes are %q", notes)
	}
}

// Where there is no time for long attempts, no lengths are compared: the run has the steps of a long one. What a
// checkpoint has needs no time.
func TestNoTimeForLongAttempts(t *testing.T) {
	job := &Job{Config: withSteps(config(t, "inducing=20 latents=2 features=20 batch=50"), 900),
		Device: openCPU(t), Train: table(t, 120, 1, wave)}
	logs := func(each float64) []float64 { return slices.Repeat([]float64{each}, 24) } // a fifth of the rows
	r := chosenLate(t, job, func(r *run) {
		// attempts of another program count by their likelihood, objective and steps
		attempts := []rundir.Attempt{{Objective: options.ELBO, KLWeight: 1, Steps: 56, Logs: logs(9)},
			{Likelihood: r.config.Likelihood, Objective: options.ELBO, KLWeight: 0.7, Steps: 56,
				Logs: logs(9)},
			{Likelihood: r.config.Likelihood, Objective: options.ELBO, KLWeight: 1, Steps: 55, Logs: logs(9)}}
		for i, c := range candidates(r.config, r.train) {
			attempts = append(attempts, rundir.Attempt{Likelihood: c.likelihood, Objective: c.objective,
				KLWeight: c.klWeight, Steps: 56, Logs: logs(float64(i)), Temperature: 3})
		}
		job.Checkpoint = &rundir.Checkpoint{State: rundir.State{Attempts: attempts}}
	})
	if c := r.config; c.Likelihood != model.HeteroscedasticLikelihood || c.Objective != options.ELBO ||
		c.KLWeight != lowerWeight || c.Steps != 225 || c.RowsChoseLength || c.Temperature != 0 {
		t.Errorf("%s, %s for %d steps, planned for %q, temperature %g", c.Likelihood, c.ObjectiveName(), c.Steps,
			c.PlannedFor, c.Temperature)
	}
}

// An attempt ends where, at the pace of all, a time limit leaves fewer steps than the longest attempt had.
func TestTimeReserveOfAttempt(t *testing.T) {
	for _, c := range []struct {
		remaining time.Duration
		want      bool
	}{{remaining: 9 * time.Second, want: true}, {remaining: 11 * time.Second, want: false}} {
		r := (&Job{}).newRun()
		r.clock = clock{limit: TimeLimit{Began: time.Now()}, deadline: c.remaining}
		ch := &objectiveChoice{run: r, inputs: &representation{speed: speed{100, 10}},
			attempts: []rundir.Attempt{{Steps: 100, Logs: []float64{0}}}}
		if late := ch.late(reportEvery, reportEvery/10); late != c.want {
			t.Errorf("%s left for 100 steps of 100 ms: late is %t", c.remaining, late)
		}
	}
}
