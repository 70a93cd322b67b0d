package best

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
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

// score returns the mean log density of a candidate in a round; −∞ if a trial failed or is missing.
func (c *Candidate) score(round int) float64 {
	sum, n := 0.0, 0
	for _, t := range c.Trials {
		if t.Round == round {
			if t.Failure != "" {
				return math.Inf(-1)
			}
			sum += t.LogDensity
			n++
		}
	}
	if n == 0 {
		return math.Inf(-1)
	}
	return sum / float64(n)
}

// rmse returns the mean RMSE of a candidate in a round; 0 without trials.
func (c *Candidate) rmse(round int) float64 {
	sum, n := 0.0, 0
	for _, t := range c.Trials {
		if t.Round == round {
			sum += t.RMSE
			n++
		}
	}
	return sum / float64(max(1, n))
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
		return s.keepDefaultAlone()
	}
	type task struct{ k, fold, enough int }
	var todo []task
	for _, k := range candidates {
		for fold := 1; fold <= folds; fold++ {
			if s.Candidates[k].trial(round, fold) == nil {
				todo = append(todo, task{k, fold, s.Candidates[k].bestSteps(round)})
			}
		}
	}
	all := len(candidates) * folds
	if round == 1 && len(todo) == all && s.firstRoundTooShort(all) {
		return s.keepDefaultAlone()
	}
	names := func(i int) string {
		return fmt.Sprintf("round %d of %d: %s", round, rounds, s.Candidates[todo[i].k].Name)
	}
	steps := max(1, int(stepShares[round-1]*float64(s.Steps)))
	do := func(i int, dev device.Device, longest length) (func() error, error) {
		c := &s.Candidates[todo[i].k]
		if n := todo[i].enough; n > 0 {
			longest.steps = n
		}
		t, err := s.tryCandidate(ctx, dev, c, round, todo[i].fold, longest)
		return func() error {
			c.Trials = append(c.Trials, *t)
			slices.SortStableFunc(c.Trials, func(a, b Trial) int { return cmp.Or(a.Round-b.Round, a.Fold-b.Fold) })
			s.noteTrial(c, t, folds)
			return nil
		}, err
	}
	return s.runTrainings(trainings{len(todo), all, s.endShare(round), steps, names, do})
}

// trainings are a number of trainings to do.
type trainings struct {
	n, all   int                // number of trainings to do, and number with those that are done
	endShare float64            // share of the time limit that is over at their end
	steps    int                // steps of each without a time limit
	names    func(i int) string // description of training i
	// do trains number i; the function that it returns saves the results
	do func(i int, dev device.Device, longest length) (save func() error, err error)
}

// length is the largest length of a training; without steps and time, the candidate's options give it.
type length struct {
	steps int
	time  time.Duration
}

// runTrainings does trainings, one on each device at a time. After each, it keeps the result and saves the state.
func (s *Search) runTrainings(w trainings) error {
	var mutex sync.Mutex
	var wg sync.WaitGroup
	var firstErr error
	next := 0
	done := w.all - w.n
	// no training has more time than the first ones, also if some end early
	most := trialTime(s.Limit, s.used(), w.endShare, w.n, len(s.Devices))
	for _, dev := range s.Devices {
		wg.Go(func() {
			mutex.Lock()
			defer mutex.Unlock()
			for next < w.n && firstErr == nil {
				i := next
				next++
				limit := length{steps: w.steps}
				if s.Limit > 0 {
					limit = length{time: min(most, trialTime(s.Limit, s.used(), w.endShare, w.n-i, len(s.Devices)))}
				}
				s.Doing(done, w.all, w.names(i))
				mutex.Unlock()
				save, err := w.do(i, dev, limit)
				mutex.Lock()
				if err == nil && firstErr == nil {
					err = save()
					if err == nil {
						done++
						s.Used = s.used()
						err = s.Save()
					}
				}
				firstErr = cmp.Or(firstErr, err)
			}
		})
	}
	wg.Wait()
	return firstErr
}
