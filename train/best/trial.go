package best

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/scaling"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/internal/stats"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// Trial is a training of a candidate.
type Trial struct {
	Round   int     `json:"round,omitempty"` // number of the round; 0 for a model on all rows
	Fold    int     `json:"fold,omitempty"`
	Steps   int     `json:"steps"`
	Seconds float64 `json:"seconds"`
	// mean log density of the rows that were held out, with targets in their own units
	LogDensity float64 `json:"log_density"`
	RMSE       float64 `json:"rmse,omitempty"` // RMSE of these rows, with targets in training-sd units
	Failure    string  `json:"failure,omitempty"`
	Likelihood string  `json:"likelihood,omitempty"` // of a model on all rows; the rows may have chosen it

	// Temperature and Rows belong to the last round.
	Temperature float64   `json:"temperature,omitempty"` // temperature that fits the rows that were held out
	Rows        []float64 `json:"rows,omitempty"`        // log density of each of these rows
}

// keepTrial adds a trial to those of a candidate, and notes its result.
func (s *Search) keepTrial(c *Candidate, t *Trial, folds int) {
	c.Trials = append(c.Trials, *t)
	slices.SortStableFunc(c.Trials, func(a, b Trial) int { return cmp.Or(a.Round-b.Round, a.Fold-b.Fold) })
	heading := fmt.Sprintf("round %d", t.Round)
	if folds > 1 {
		heading += fmt.Sprintf(", fold %d", t.Fold)
	}
	if t.Failure != "" {
		s.Note("%-16s %-44s failed: %s", heading, c.Name, t.Failure)
		return
	}
	rmse := ""
	if t.RMSE > 0 {
		rmse = fmt.Sprintf("  RMSE %6.4f", t.RMSE)
	}
	s.Note("%-16s %-44s log density %8.4f%s  %6d steps  %5.1f s", heading, c.Name, t.LogDensity, rmse, t.Steps,
		t.Seconds)
}

// seconds returns the time since start in seconds, rounded to milliseconds.
func seconds(start time.Time) float64 { return math.Round(time.Since(start).Seconds()*1e3) / 1e3 }

// maxSteps returns the largest number of steps of the trials in the last round; 0 without trials. A model on few rows,
// or one that may memorise, takes no more steps than were scored.
func (c *Candidate) maxSteps() (steps int) {
	for _, t := range c.trialsOf(rounds) {
		steps = max(steps, t.Steps)
	}
	return steps
}

// endWithoutTrials ends the search with the default: rows are too few for folds, a time limit is too short for others,
// or every candidate has failed in it. Without a time limit, it returns the first failure as an error.
func (s *Search) endWithoutTrials() error {
	why := "no candidate could be tried in time; a longer " + usererror.Flag("time-limit") + " compares some"
	if few := s.Rows.N(); few < splits {
		why = fmt.Sprintf("%d training rows are too few to compare candidates", few)
	} else if failure := s.failure(); failure != "" {
		why = "no candidate could be trained: " + failure
		if s.Limit == 0 {
			return errors.New(why)
		}
	}
	s.endWithDefault(why)
	return nil
}

// endWithDefault ends the search with the default, which has the rest of a time limit.
func (s *Search) endWithDefault(why string) {
	s.Note("%s: %s is trained alone", why, s.Candidates[0].Name)
	s.Candidates[0].Weight = 1
	if s.Limit > 0 {
		s.Steps = 0
	}
}

// failure returns the first failure of a candidate; "" without one.
func (s *Search) failure() string {
	for _, c := range s.Candidates {
		if _, _, failure := c.reached(); failure != "" {
			return c.Name + ": " + failure
		}
	}
	return ""
}

// chosen returns a setting that the search has chosen.
func chosen(key, text string) options.Setting {
	return options.Setting{Key: key, Text: text, From: "preset " + options.Best}
}

// settings returns the length as an option; none if the candidate's options give the length.
func (l trainingLength) settings() []options.Setting {
	switch {
	case l.time > 0:
		return []options.Setting{chosen("time-limit", l.time.Round(time.Millisecond).String())}
	case l.steps > 0:
		return []options.Setting{chosen("steps", strconv.Itoa(l.steps))}
	}
	return nil
}

// split returns the rows on which a trial trains, and the rows of a fold on which it is scored. These are a sample,
// which is small in the first rounds, so that a short trial does not spend its time on predictions.
func (s *Search) split(round, fold int) (rest, heldOut *data.Dataset) {
	if s.Rows.Times != nil {
		fold = splits + 1 - fold // the fold with the longest past is the first
	}
	trainNumbers, heldOutNumbers := s.Rows.GroupedInBlocks(blocksInFold*splits).SplitFold(splits, fold)
	rest, heldOut = s.Rows.Subset(trainNumbers), s.Rows.Subset(heldOutNumbers)
	most := scoredRows
	if round == rounds {
		most = stackedRows
	}
	heldOut, _ = heldOut.Sample(most, 1)
	return rest, heldOut
}

// tryCandidate trains a candidate without the rows of a fold, and scores it on these. A failure of the training is part
// of the trial; the error is the cause of ctx.
func (s *Search) tryCandidate(ctx context.Context, dev device.Device, c *Candidate, round, fold int,
	longest trainingLength) (*Trial, error) {
	rest, heldOut := s.split(round, fold)
	t := &Trial{Round: round, Fold: fold}
	start := time.Now()
	logs, err := s.trainAndScore(ctx, dev, c, longest, rest, heldOut, t)
	t.Seconds = seconds(start)
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
	if sum := t.LogDensity + t.RMSE; !stats.IsFinite(sum) {
		t.LogDensity, t.RMSE, t.Temperature, t.Failure = 0, 0, 0, "a row that was held out has no density, or no mean"
	} else if round == rounds {
		t.Rows = logs
	}
	return t, nil
}

// trainAndScore trains on rows and returns the log density of each row that was held out, with targets in their own
// units. It sets the trial's steps, RMSE and temperature; the densities have that temperature.
func (s *Search) trainAndScore(ctx context.Context, dev device.Device, c *Candidate,
	longest trainingLength, rows, heldOut *data.Dataset, t *Trial) (logs []float64, err error) {
	out, err := s.trainCandidate(ctx, dev, c, rows, heldOut, longest)
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
	if t.Round == rounds && out.Config.Temperature == 0 && !out.Trained.PredictsCounts() {
		t.Temperature, _, _ = train.Scored{{Model: out.Trained, Prediction: p, Rows: heldOut}}.FitTemperature()
		p = p.Tempered(t.Temperature)
	}
	logs = out.Trained.LogDensities(p, heldOut, 0).Log
	for _, target := range out.Trained.Targets { // the density is by unit of the target
		for i := range logs {
			logs[i] -= math.Log(target.Unit()) / float64(len(out.Trained.Targets))
		}
	}
	return logs, nil
}

// temperature returns the setting of the geometric mean of the temperatures in the last round; none without one.
func (c *Candidate) temperature() []options.Setting {
	sum, n := 0.0, 0
	for _, t := range c.Trials {
		if t.Temperature > 0 {
			sum += math.Log(t.Temperature)
			n++
		}
	}
	if sum == 0 {
		return nil
	}
	return []options.Setting{chosen("temperature", strconv.FormatFloat(math.Exp(sum/float64(n)), 'g', -1, 64))}
}

// settlePosterior settles the objective, the covariance of the weights, and the layers with their sizes, by all rows.
// So the model of a trial is the one that is refitted.
func (s *Search) settlePosterior(ctx context.Context, cfg options.Config) (options.Config, error) {
	if s.Steps == 0 {
		return cfg, nil
	}
	fit, _, err := cfg.ResolveFor(ctx, s.Rows)
	if err != nil {
		return cfg, err
	}
	if fit.Objective == options.Auto {
		fit.Objective = fit.ObjectiveOf(s.Rows)
	}
	cfg.Objective, cfg.WCov, cfg.Layers = fit.Objective, fit.WCov, fit.Layers
	cfg.Hidden, cfg.Latents, cfg.Features = fit.Hidden, fit.Latents, fit.Features
	return cfg, nil
}

// config resolves the options of a candidate, with those that the search has settled and more.
func (s *Search) config(c *Candidate, more ...options.Setting) (options.Config, error) {
	if !slices.ContainsFunc(s.Given, func(g options.Setting) bool { return g.Key == "target-scaling" }) {
		// all members of an ensemble have the same scales of targets
		more = append(more, chosen("target-scaling", scaling.StandardTargets))
	}
	cfg, err := c.config(s.Given, more...)
	if err != nil || s.Kernel == "" || cfg.Model == model.DRF {
		return cfg, err
	}
	return c.config(s.Given, append(more, chosen("kernel", s.Kernel))...)
}

// trainCandidate trains a candidate on rows, with more settings.
func (s *Search) trainCandidate(ctx context.Context, dev device.Device, c *Candidate, rows, test *data.Dataset,
	longest trainingLength, more ...options.Setting) (*train.Outcome, error) {
	cfg, err := s.config(c, append(more, longest.settings()...)...)
	if err != nil {
		return nil, err
	}
	if cfg, err = s.settlePosterior(ctx, cfg); err != nil {
		return nil, err
	}
	if cfg.Columns == options.Auto && !s.Rows.IsWide() { // a part of the rows may be wide
		cfg.Columns = options.AllColumns
	}
	if longest.time > 0 && longest.steps > 0 {
		cfg.Steps, cfg.RowsChoseLength = longest.steps, true
	}
	cfg.Device, cfg.Target, cfg.Task = dev.Name(), rows.Target, string(rows.Task)
	out, err := (&train.Job{Config: cfg, Device: dev, Train: rows, Test: test, Started: time.Now()}).Run(ctx)
	if errors.Is(err, train.ErrTooShort) { // the error would name a limit that the user did not give
		err = usererror.Errorf("there was no time for a step: give a longer limit, or fewer rows")
	}
	return out, err
}
