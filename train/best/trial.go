package best

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/train"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// Trial is a training of a candidate.
type Trial struct {
	Round   int     `json:"round,omitempty"` // 0 of a model on all rows
	Fold    int     `json:"fold,omitempty"`
	Steps   int     `json:"steps"`
	Seconds float64 `json:"seconds"`
	// mean log density of the rows that were held out, of targets in their own units
	LogDensity float64 `json:"log_density"`
	RMSE       float64 `json:"rmse,omitempty"` // of these rows, of targets in training-sd units
	Failure    string  `json:"failure,omitempty"`

	// for the last round alone
	Temperature float64   `json:"temperature,omitempty"` // which these rows fit
	Rows        []float64 `json:"rows,omitempty"`        // the log density of each of them
}

// tell reports the result of a trial.
func (s *Search) tell(c *Candidate, t *Trial, folds int) {
	where := fmt.Sprintf("round %d", t.Round)
	if folds > 1 {
		where += fmt.Sprintf(", fold %d", t.Fold)
	}
	if t.Failure != "" {
		s.Note("%-16s %-44s failed: %s", where, c.Name, t.Failure)
		return
	}
	rmse := ""
	if t.RMSE > 0 {
		rmse = fmt.Sprintf("  RMSE %6.4f", t.RMSE)
	}
	s.Note("%-16s %-44s log density %8.4f%s  %6d steps  %5.1f s", where, c.Name, t.LogDensity, rmse, t.Steps, t.Seconds)
}

// seconds since then, for people.
func seconds(then time.Time) float64 { return math.Round(time.Since(then).Seconds()*1e3) / 1e3 }

// mostSteps is the most steps of the trials of the last round, 0 without trials: a model on few rows,
// or one that may memorise, takes no more steps than were scored.
func (c *Candidate) mostSteps() (steps int) {
	for _, t := range c.Trials {
		if t.Round == rounds {
			steps = max(steps, t.Steps)
		}
	}
	return steps
}

// keepDefaultAlone leaves the default alone where rows are too few for folds, or where a time limit has no time for
// others or every candidate has failed in it. Without one, a failure is the error.
func (s *Search) keepDefaultAlone() error {
	why := "no candidate could be tried in time; a longer --time-limit compares some"
	if few := s.Rows.N(); few < splits {
		why = fmt.Sprintf("%d training rows are too few to compare candidates", few)
	} else if failure := s.failure(); failure != "" {
		why = "no candidate could be trained: " + failure
		if s.Limit == 0 {
			return errors.New(why)
		}
	}
	s.Note("%s: %s is trained alone", why, s.Candidates[0].Name)
	s.Candidates[0].Weight = 1
	if s.Limit > 0 { // which it has the rest of
		s.Steps = 0
	}
	return nil
}

// failure is the first one of a candidate, "" without one.
func (s *Search) failure() string {
	for _, c := range s.Candidates {
		if _, _, failure := c.reached(); failure != "" {
			return c.Name + ": " + failure
		}
	}
	return ""
}

// setting is the length as an option; without a key where it is the candidate's own.
func (l length) setting() (o options.Setting) {
	o.From = "preset " + options.Best
	switch {
	case l.time > 0:
		o.Key, o.Text = "time-limit", l.time.Round(time.Millisecond).String()
	case l.steps > 0:
		o.Key, o.Text = "steps", strconv.Itoa(l.steps)
	}
	return o
}

// split are the rows that a trial trains on, and those that it is scored on: a fold, of which the
// first rounds take a sample, so that a short trial does not spend its time on predictions.
func (s *Search) split(round, fold int) (rest, heldOut *data.Dataset) {
	if s.Rows.Times != nil {
		fold = splits + 1 - fold // the longest past first
	}
	in, out := s.Rows.InFold(splits, fold)
	rest, heldOut = s.Rows.Subset(in), s.Rows.Subset(out)
	most := scoredRows
	if round == rounds {
		most = stackedRows
	}
	heldOut, _ = heldOut.Sample(most, 1)
	return rest, heldOut
}

// try trains a candidate without the rows of a fold, and scores it on these. What goes wrong in the
// training is part of the trial; the error is that of ctx.
func (s *Search) try(ctx context.Context, dev device.Device, c *Candidate, round, fold int,
	most length) (*Trial, error) {
	rest, heldOut := s.split(round, fold)
	t := &Trial{Round: round, Fold: fold}
	begun := time.Now()
	logs, err := s.scored(ctx, dev, c, most, rest, heldOut, t)
	t.Seconds = seconds(begun)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		t.Failure = strings.ReplaceAll(err.Error(), "\n", "; ")
		return t, nil
	}
	w := metrics.Weights(heldOut.Weights)
	total := w.Sum(len(logs))
	for i, l := range logs {
		t.LogDensity += w.At(i) * l / total
	}
	if both := t.LogDensity + t.RMSE; math.IsNaN(both) || math.IsInf(both, 0) {
		t.LogDensity, t.RMSE, t.Temperature, t.Failure = 0, 0, 0, "a row that was held out has no density, or no mean"
	} else if round == rounds {
		t.Rows = logs
	}
	return t, nil
}

// scored trains on rows and gives the log density of each row that was held out, of targets in
// their own units. It fills in the trial's steps, RMSE and temperature, with which the densities are.
func (s *Search) scored(ctx context.Context, dev device.Device, c *Candidate,
	most length, rows, heldOut *data.Dataset, t *Trial) (logs []float64, err error) {
	out, err := s.trained(ctx, dev, c, rows, heldOut, most)
	if err != nil {
		return nil, err
	}
	p, err := out.Trained.Predict(ctx, dev, heldOut, out.Config.EvalSamples)
	if err != nil {
		return nil, err
	}
	t.Steps = out.Steps
	if heldOut.Task == data.Regression {
		t.RMSE = out.Trained.RMSE(p, heldOut)
	}
	if t.Round == rounds && out.Config.Temperature == 0 && !out.Trained.Counts() {
		t.Temperature, _, _ = train.Temperature(out.Trained, p, heldOut)
		p = p.Tempered(t.Temperature)
	}
	logs = out.Trained.DensitiesOf(p, heldOut, 0).Log
	for _, target := range out.Trained.Targets { // a density by unit of the target
		for i := range logs {
			logs[i] -= math.Log(target.Unit()) / float64(len(out.Trained.Targets))
		}
	}
	return logs, nil
}

// temperature is the setting of the geometric mean of the temperatures in the last round; none without one.
func (c *Candidate) temperature() (o options.Setting) {
	sum, n := 0.0, 0
	for _, t := range c.Trials {
		if t.Temperature > 0 {
			sum += math.Log(t.Temperature)
			n++
		}
	}
	if sum != 0 {
		t := math.Exp(sum / float64(n))
		o = options.Setting{Key: "temperature", Text: strconv.FormatFloat(t, 'g', -1, 64), From: "preset " + options.Best}
	}
	return o
}

// posterior settles, in a search, the objective and the covariance of the weights by all rows, so that the model that
// was scored is the one that is refitted.
func (s *Search) posterior(ctx context.Context, cfg *options.Config) (*options.Config, error) {
	if s.Steps == 0 || cfg.Objective != options.Auto && cfg.WCov != options.Auto {
		return cfg, nil
	}
	fit, _, err := cfg.Fit(ctx, s.Rows)
	if err != nil {
		return nil, err
	}
	if fit.Objective == options.Auto {
		fit = fit.With("objective", fit.ObjectiveOf(s.Rows))
	}
	return cfg.With("objective", fit.Objective).With("w-cov", fit.WCov).With("layers", fit.Layers).
		With("hidden", fit.Hidden), nil
}

// trained trains a candidate on rows, with more settings; those without a key are none.
func (s *Search) trained(ctx context.Context, dev device.Device, c *Candidate, rows, test *data.Dataset,
	most length, more ...options.Setting) (*train.Outcome, error) {
	more = slices.DeleteFunc(append(more, most.setting()), func(o options.Setting) bool { return o.Key == "" })
	if !slices.ContainsFunc(s.Given, func(g options.Setting) bool { return g.Key == "target-scaling" }) {
		// all members of an ensemble have the same scales; a new search has settled them
		more = append(more, options.Setting{Key: "target-scaling", Text: data.StandardTargets, From: "preset " +
			options.Best})
	}
	if cfg, err := c.config(s.Given, more...); err != nil {
		return nil, err
	} else if s.Kernel != "" && cfg.Model != "drf" {
		more = append(more, options.Setting{Key: "kernel", Text: s.Kernel, From: "preset " + options.Best})
	}
	cfg, err := c.config(s.Given, more...)
	if err != nil {
		return nil, err
	}
	if cfg, err = s.posterior(ctx, cfg); err != nil {
		return nil, err
	}
	if !s.Rows.IsWide() { // a part of the rows may be
		cfg = cfg.With("columns", "all")
	}
	if most.time > 0 && most.steps > 0 {
		cfg = cfg.With("steps", most.steps).With("rows-chose-length", true)
	}
	cfg = cfg.With("device", dev.Name()).With("target", rows.Target).With("task", string(rows.Task))
	out, err := (&train.Job{Config: cfg, Device: dev, Train: rows, Test: test, Started: time.Now()}).Run(ctx)
	if errors.Is(err, train.ErrOver) { // the limit is no option of the user's
		err = usererror.Errorf("there was no time for a step: give a longer limit, or fewer rows")
	}
	return out, err
}
