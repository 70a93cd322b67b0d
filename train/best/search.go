package best

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"time"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/internal/version"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// State is the state of a search, in best.json. A search that continues from it has the same result as one without a
// stop.
type State struct {
	Version string `json:"version"`
	// working directory of train, in which relative paths start
	Folder     string            `json:"folder"`
	Given      []options.Setting `json:"given"`           // options of the user
	Train      string            `json:"train"`           // fingerprint of the rows
	Limit      time.Duration     `json:"limit,omitempty"` // time limit in nanoseconds; 0: no limit
	Steps      int               `json:"steps,omitempty"` // steps of final models without a limit; 0: by their options
	Used       time.Duration     `json:"used"`            // time that the search has taken, in nanoseconds
	Kernel     string            `json:"kernel,omitempty"`
	Candidates []Candidate       `json:"candidates"`
	Complete   bool              `json:"complete"`
}

// Search finds a model for rows.
type Search struct {
	*State
	Devices []device.Device // devices, each for one trial at a time
	Rows    *data.Dataset   // rows to train on
	Test    *data.Dataset   // rows for which the limit includes a test; nil without
	Started time.Time       // start of the command; for a resumed search, earlier by the Used time

	SaveState func() error                          // saves the State
	SaveModel func(k int, t *fitted.Model) error    // saves the model of candidate k on all rows
	LoadModel func(k int) (*fitted.Model, error)    // reads the model of SaveModel
	Note      func(format string, args ...any)      // gets a line for the user about finished work
	Phase     func(done, all int, candidate string) // gets the next piece of work, and the amount of all work
}

// New returns the state of a new search, by jobs side by side. Options that no candidate can have are a
// *usererror.Error.
func New(ds *data.Dataset, given []options.Setting, jobs int) (*State, error) {
	base, err := options.Resolve(given, nil)
	if err != nil {
		return nil, err
	}
	s := &State{Version: version.Number, Given: given, Train: ds.Fingerprint, Limit: base.TimeLimit}
	if _, err := base.BalancesClasses(ds); err != nil {
		return nil, err
	}
	s.Folder, _ = os.Getwd()
	if base.Ensemble > 1 {
		s.Candidates = seedCandidates(base, given)
		return s, nil
	}
	s.Candidates, err = candidatesFor(ds, given)
	if err != nil {
		return nil, err
	}
	s.Candidates = s.Candidates[:triableCount(len(s.Candidates), ds.N(), s.Limit, jobs)]
	if len(s.Candidates) == 1 { // there is nothing to compare: it trains as without the preset
		only := &s.Candidates[0]
		only.Weight = 1
		only.Options = append(only.Options, givenLengths(given)...)
		return s, nil
	}
	s.Steps = defaultSteps
	if base.Explicit("steps") {
		s.Steps = base.Steps
	}
	if err := ds.CheckSplit(splits); err != nil {
		return nil, fmt.Errorf("preset best compares models on %d folds of the training rows: %w", splits, err)
	}
	return s, nil
}

// Run continues the search from its State, and returns the ensemble. Soon after ctx ends, its cause is the error, and
// the State is the state after the last finished trial.
func (s *Search) Run(ctx context.Context) (*fitted.Model, error) {
	if err := s.balance(); err != nil {
		return nil, err
	}
	if err := s.chooseMaps(ctx); err != nil {
		return nil, err
	}
	for round := 1; round <= rounds && !s.hasWeights(); round++ {
		if err := s.round(ctx, round); err != nil {
			return nil, err
		}
		second := slices.ContainsFunc(s.Candidates, func(c Candidate) bool { return c.trial(2, 1) != nil })
		if round == 1 && s.Limit > 0 && !s.hasWeights() && !second { // a resumed search may be in a later round
			if err := s.endIfFinalIsShort(ctx); err != nil {
				return nil, err
			}
		}
	}
	if !s.hasWeights() {
		if err := s.fitWeights(); err != nil {
			return nil, err
		}
	}
	return s.refit(ctx)
}

// balance gives the rows the weights of class-weights, so that held-out rows have them, too.
func (s *Search) balance() error {
	base, err := options.Resolve(s.Given, nil)
	if err != nil {
		return err
	}
	balances, err := base.BalancesClasses(s.Rows)
	if balances {
		s.Note("class weights: balanced")
		s.Rows = s.Rows.WithClassWeights(s.Rows.BalancedClassWeights())
	}
	return err
}

// chooseMaps settles the feature maps of sequences once, for all candidates.
func (s *Search) chooseMaps(ctx context.Context) error {
	base, err := options.Resolve(s.Given, nil)
	if err != nil || s.Rows.Sequences == nil || s.Rows.Gram != nil || base.Explicit("kernel") || s.Kernel != "" {
		return err
	}
	// the choice of feature maps takes a quarter of this limit
	base.Preset, base.TimeLimit = "default", s.Limit/3*2
	base, notes, err := base.ResolveInputs(ctx, s.Rows)
	if err != nil {
		return err
	}
	for _, note := range notes {
		s.Note("%s", note)
	}
	s.Kernel, s.Used = base.KernelSpec, s.used()
	return s.SaveState()
}

// hasWeights reports whether the candidates have weights. The seeds of one setting have them from the start.
func (s *Search) hasWeights() bool {
	return slices.ContainsFunc(s.Candidates, func(c Candidate) bool { return c.Weight > 0 })
}

func (s *Search) used() time.Duration { return time.Since(s.Started) }

// fitWeights stacks the finalists by the rows of the last round. The default is alone unless the mixture surpasses it
// there.
func (s *Search) fitWeights() error {
	var finalists []int
	var logs [][]float64
	for _, k := range s.remaining(rounds) {
		c := &s.Candidates[k]
		if c.score(rounds) == math.Inf(-1) || s.rmseTooLarge(c) {
			continue
		}
		var rows []float64
		for fold := 1; fold <= s.folds(rounds); fold++ {
			rows = append(rows, c.trial(rounds, fold).Rows...)
		}
		finalists, logs = append(finalists, k), append(logs, rows)
	}
	if len(finalists) == 0 {
		return s.endWithoutTrials()
	}
	var weights metrics.Weights // weights of the rows behind logs
	for fold := 1; fold <= s.folds(rounds); fold++ {
		_, heldOut := s.split(rounds, fold)
		weights = append(weights, heldOut.Weights...)
	}
	shares := stack(logs, weights)
	mixture := mixtureLogDensities(logs, shares)
	if first := slices.Index(finalists, 0); first >= 0 && !weights.BetterByOneSE(mixture, logs[first]) {
		clear(shares)
		shares[first] = 1
	}
	for i, w := range shares {
		s.Candidates[finalists[i]].Weight = w
	}
	return nil
}

// rmseTooLarge reports whether the RMSE of a candidate in the last round is too large in comparison with the default.
// It is false if the default has no RMSE: for classes, trials of version 0.2.0, and a default that has failed.
func (s *Search) rmseTooLarge(c *Candidate) bool {
	first := &s.Candidates[0]
	most := maxRMSE * first.rmse(rounds)
	failed := math.IsInf(first.score(rounds), -1)
	return !failed && most > 0 && c.rmse(rounds) > most
}

// mayTrainLonger reports whether a candidate may train for longer on all rows than in its trials. It could memorise if
// rows are few, or if its objective is no bound. An objective that the rows are to choose counts as a bound.
func (s *Search) mayTrainLonger(c *Candidate) bool {
	cfg, err := c.config(s.Given)
	return err == nil && cfg.IsBound() && s.isLong()
}

// refit trains the candidates that have a weight on all rows, and makes an ensemble of them.
func (s *Search) refit(ctx context.Context) (*fitted.Model, error) {
	var members []int
	var todo []training
	for k := range s.Candidates {
		c := &s.Candidates[k]
		if c.Weight > 0 {
			members = append(members, k)
		}
		if c.Weight == 0 || c.Refit != nil {
			continue
		}
		t := training{name: "on all rows: " + c.Name}
		if c.bestSteps(rounds) > 0 || !s.mayTrainLonger(c) {
			t.enough = c.maxSteps()
		}
		t.do = func(dev device.Device, longest trainingLength) (func() error, error) {
			return s.trainOnAll(ctx, dev, k, longest)
		}
		todo = append(todo, t)
	}
	if err := s.runTrainings(todo, len(members), 1, s.Steps); err != nil {
		return nil, err
	}
	var ensemble []fitted.Member
	for _, k := range members {
		t, err := s.LoadModel(k)
		if err != nil {
			return nil, err
		}
		ensemble = append(ensemble, fitted.Member{Weight: s.Candidates[k].Weight, Model: t})
	}
	return fitted.NewEnsemble(ensemble)
}

// trainOnAll trains candidate k on all rows, and returns a function that saves the model.
func (s *Search) trainOnAll(ctx context.Context, dev device.Device, k int, longest trainingLength) (
	save func() error, err error) {

	c, start := &s.Candidates[k], time.Now()
	out, err := s.trainCandidate(ctx, dev, c, s.Rows, s.Test, longest, c.temperature()...)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil { // this is not expected: its trials on most of the rows succeeded
		return nil, fmt.Errorf("%s, trained on all rows: %w", c.Name, err)
	}
	return func() error {
		if err := s.SaveModel(k, out.Trained); err != nil {
			return err
		}
		c.Refit = &Trial{Steps: out.Steps, Seconds: seconds(start), Likelihood: out.Config.Likelihood}
		s.Note("%-16s %-44s weight %.2f  %6d steps  %5.1f s",
			"on all rows", c.title(), c.Weight, c.Refit.Steps, c.Refit.Seconds)
		return nil
	}, nil
}
