package best

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// remaining returns the numbers of the candidates of a round: the best of the round before, and always the first one,
// which is the default.
func (s *Search) remaining(round int) []int {
	var all []int
	for k := range s.Candidates {
		all = append(all, k)
	}
	for r := 1; r < round; r++ {
		all = slices.DeleteFunc(all, func(k int) bool { return s.Candidates[k].score(r) == math.Inf(-1) })
		slices.SortStableFunc(all, func(a, b int) int {
			return cmp.Compare(s.Candidates[b].score(r), s.Candidates[a].score(r))
		})
		n := s.keptCount(len(all), r)
		if slices.Index(all, 0) >= n {
			all[n-1] = 0
		}
		all = all[:n]
	}
	return all
}

// trialsOf returns the trials of a candidate in a round.
func (c *Candidate) trialsOf(round int) (trials []Trial) {
	for _, t := range c.Trials {
		if t.Round == round {
			trials = append(trials, t)
		}
	}
	return trials
}

// score returns the mean log density of a candidate in a round; −∞ if a trial failed or is missing.
func (c *Candidate) score(round int) float64 {
	sum, trials := 0.0, c.trialsOf(round)
	for _, t := range trials {
		if t.Failure != "" {
			return math.Inf(-1)
		}
		sum += t.LogDensity
	}
	if trials == nil {
		return math.Inf(-1)
	}
	return sum / float64(len(trials))
}

// rmse returns the mean RMSE of a candidate in a round; 0 without trials.
func (c *Candidate) rmse(round int) float64 {
	sum, trials := 0.0, c.trialsOf(round)
	for _, t := range trials {
		sum += t.RMSE
	}
	return sum / float64(max(1, len(trials)))
}

// bestSteps returns the number of steps of a candidate's best trial in the rounds before, if a trial with more steps
// was worse; 0 otherwise.
func (c *Candidate) bestSteps(round int) (steps int) {
	most := 0
	best := math.Inf(-1)
	for r := 1; r < round; r++ {
		t := c.trial(r, 1)
		if t == nil || t.Failure != "" {
			continue
		}
		most = max(most, t.Steps)
		if t.LogDensity > best {
			best, steps = t.LogDensity, t.Steps
		}
	}
	if steps < most {
		return steps
	}
	return 0
}

func (c *Candidate) trial(round, fold int) *Trial {
	for i := range c.Trials {
		if t := &c.Trials[i]; t.Round == round && t.Fold == fold {
			return t
		}
	}
	return nil
}

// round makes the trials of each remaining candidate.
func (s *Search) round(ctx context.Context, round int) error {
	candidates, folds := s.remaining(round), s.folds(round)
	if len(candidates) == 0 || s.Rows.N() < splits {
		return s.endWithoutTrials()
	}
	var todo []training
	for _, k := range candidates {
		c := &s.Candidates[k]
		for fold := 1; fold <= folds; fold++ {
			if c.trial(round, fold) != nil {
				continue
			}
			do := func(dev device.Device, longest trainingLength) (func() error, error) {
				t, err := s.tryCandidate(ctx, dev, c, round, fold, longest)
				return func() error { s.keepTrial(c, t, folds); return nil }, err
			}
			name := fmt.Sprintf("round %d of %d: %s", round, rounds, c.Name)
			todo = append(todo, training{name, c.bestSteps(round), do})
		}
	}
	all := len(candidates) * folds
	if round == 1 && len(todo) == all && s.firstRoundTooShort(all) {
		return s.endWithoutTrials()
	}
	return s.runTrainings(todo, all, s.endShare(round), max(1, int(stepShares[round-1]*float64(s.Steps))))
}

// training is a piece of work for one device.
type training struct {
	name   string
	enough int // number of steps that is enough for it; 0 if that is not known
	// do trains; the function that it returns saves the result
	do func(dev device.Device, longest trainingLength) (save func() error, err error)
}

// trainingLength is the largest length of a training; without steps and time, the candidate's options give it.
type trainingLength struct {
	steps int
	time  time.Duration
}

// runTrainings runs the trainings of todo, one at a time on each device, and saves the state after each. The round has
// all trainings: those that are not in todo are done. Without a time limit, each training takes the given number of
// steps. With one, the trainings share the time until endShare of the limit is over.
func (s *Search) runTrainings(todo []training, all int, endShare float64, steps int) (err error) {
	type result struct {
		dev  device.Device
		save func() error
		err  error
	}
	results := make(chan result)
	free, done := slices.Clone(s.Devices), all-len(todo)
	timeOf := func(n int) time.Duration { return trialTime(s.Limit, s.used(), endShare, n, len(s.Devices)) }
	most := timeOf(len(todo)) // no training has more time than the first ones, also if some end early
	for {
		for ; len(todo) > 0 && len(free) > 0 && err == nil; todo, free = todo[1:], free[1:] {
			t, dev, limit := todo[0], free[0], trainingLength{steps: steps}
			if s.Limit > 0 {
				limit = trainingLength{time: min(most, timeOf(len(todo)))}
			}
			limit.steps = cmp.Or(t.enough, limit.steps)
			s.Phase(done, all, t.name)
			go func() {
				save, err := t.do(dev, limit)
				results <- result{dev, save, err}
			}()
		}
		if len(free) == len(s.Devices) {
			return err
		}
		r := <-results
		free = append(free, r.dev)
		if err = cmp.Or(err, r.err); err != nil {
			continue
		}
		if err = r.save(); err == nil {
			done++
			s.Used = s.used()
			err = s.SaveState()
		}
	}
}
