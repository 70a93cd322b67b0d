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

// remaining are the candidates that a round has, by their numbers: those that did best in the round
// before, and the first one, which is the default, wherever it stands.
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
		n := s.kept(len(all), r)
		if slices.Index(all, 0) >= n {
			all[n-1] = 0
		}
		all = all[:n]
	}
	return all
}

// score is the mean log density of a candidate in a round; −∞ where a trial failed or is missing.
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

// rmse is the mean RMSE of a candidate in a round, 0 without one.
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

// enough is how many steps a candidate takes in a round, where it did worse after more of them before; 0
// where it did not.
func (c *Candidate) enough(round int) (steps int) {
	most, best := 0, math.Inf(-1)
	for r := 1; r < round; r++ {
		t := c.trial(r, 1)
		if t == nil || t.Failure != "" {
			continue
		}
		if most = max(most, t.Steps); t.LogDensity > best {
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

// round gives each remaining candidate its trials.
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
				todo = append(todo, task{k, fold, s.Candidates[k].enough(round)})
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
	do := func(i int, dev device.Device, most length) (func() error, error) {
		c := &s.Candidates[todo[i].k]
		if n := todo[i].enough; n > 0 {
			most.steps = n
		}
		t, err := s.try(ctx, dev, c, round, todo[i].fold, most)
		return func() error {
			c.Trials = append(c.Trials, *t)
			slices.SortStableFunc(c.Trials, func(a, b Trial) int { return cmp.Or(a.Round-b.Round, a.Fold-b.Fold) })
			s.tell(c, t, folds)
			return nil
		}, err
	}
	return s.each(trainings{len(todo), all, s.ends(round), steps, names, do})
}

// trainings are n trainings, the last ones of all.
type trainings struct {
	n, all int
	ends   float64 // the share of the time limit that is over at their end
	steps  int     // of each, without a limit
	names  func(i int) string
	// do trains number i; the function that it returns keeps the results
	do func(i int, dev device.Device, most length) (keep func() error, err error)
}

// length is how long a training is at most; without steps and time, it is the candidate's own.
type length struct {
	steps int
	time  time.Duration
}

// each does trainings, one on each device at a time. After each, what it found is kept, and the
// state is saved.
func (s *Search) each(w trainings) error {
	var mutex sync.Mutex
	var wg sync.WaitGroup
	var failed error
	next, done := 0, w.all-w.n
	// no training has more time than another, also where some end early
	most := share(s.Limit, s.used(), w.ends, w.n, len(s.Devices))
	for _, dev := range s.Devices {
		wg.Go(func() {
			mutex.Lock()
			defer mutex.Unlock()
			for next < w.n && failed == nil {
				i := next
				next++
				of := length{steps: w.steps}
				if s.Limit > 0 {
					of = length{time: min(most, share(s.Limit, s.used(), w.ends, w.n-i, len(s.Devices)))}
				}
				s.Doing(done, w.all, w.names(i))
				mutex.Unlock()
				keep, err := w.do(i, dev, of)
				mutex.Lock()
				if err == nil && failed == nil {
					if err = keep(); err == nil {
						done++
						s.Used = s.used()
						err = s.Save()
					}
				}
				failed = cmp.Or(failed, err)
			}
		})
	}
	wg.Wait()
	return failed
}
