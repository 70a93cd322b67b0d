package best

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// Open reads the state of the search in a folder, whether or not it has ended. Errors are *usererror.Error.
func Open(path string) (*State, error) {
	s := &State{}
	if err := rundir.ReadSearch(path, s); err != nil {
		return nil, err
	}
	if len(s.Candidates) == 0 || s.Steps < 0 || s.Used < 0 || s.Limit < 0 {
		return nil, usererror.Errorf("%s: damaged: it is not the list of the candidates of a search",
			filepath.Join(path, rundir.SearchFile))
	}
	return s, nil
}

// MarkComplete marks the search as complete, and removes the parts that only an unfinished search needs.
func (s *State) MarkComplete() {
	s.Complete = true
	for k := range s.Candidates {
		for i := range s.Candidates[k].Trials {
			s.Candidates[k].Trials[i].Rows = nil
		}
	}
}

// HasTrained reports whether a training has succeeded.
func (s *State) HasTrained() bool {
	return slices.ContainsFunc(s.Candidates, func(c Candidate) bool {
		return c.Refit != nil || slices.ContainsFunc(c.Trials, func(t Trial) bool { return t.Failure == "" })
	})
}

// Lines returns the table of the candidates for people. Candidates with a weight are first, then by the last round and
// the score in it.
func (s *State) Lines() []string {
	const form = "%-34s  %-7s  %11s  %6s  %7s  %6s%s"
	lines := []string{fmt.Sprintf(form, "candidate", "reached", "log density", "RMSE", "seconds", "weight", "")}
	for _, k := range s.order() {
		c := &s.Candidates[k]
		round, seconds, failure := c.reached()
		reached, score, rmse, weight := "", "", "", ""
		switch {
		case failure != "":
			score, failure = "failed", "  "+failure
			if c.Weight == 1 {
				failure += "; no other could be compared, so it was trained alone"
			}
		case round > 0:
			score = fmt.Sprintf("%.4f", c.score(round))
			if e := c.rmse(round); e > 0 {
				rmse = fmt.Sprintf("%.4f", e)
			}
		case c.Weight == 0:
			score = "not tried"
		}
		if round > 0 {
			reached = fmt.Sprintf("round %d", round)
		}
		if c.Weight > 0 {
			weight = fmt.Sprintf("%.3f", c.Weight)
		}
		line := fmt.Sprintf(form, c.title(), reached, score, rmse, fmt.Sprintf("%.1f", seconds), weight, failure)
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return lines
}

// title returns the name of a candidate, with noise that differs between rows if these have chosen it.
func (c *Candidate) title() string {
	const varying = model.HeteroscedasticLikelihood
	if c.Refit != nil && c.Refit.Likelihood == varying && !strings.Contains(c.Name, varying) {
		return c.Name + ", " + varying
	}
	return c.Name
}

// reached returns the last round of a candidate, the sum of its seconds, and the failure of a trial; "" without one.
func (c *Candidate) reached() (round int, seconds float64, failure string) {
	for _, t := range c.Trials {
		round, seconds = max(round, t.Round), seconds+t.Seconds
		if t.Failure != "" {
			failure = t.Failure
		}
	}
	if c.Refit != nil {
		seconds += c.Refit.Seconds
	}
	return round, seconds, failure
}

// order returns the numbers of the candidates by weight, by their last round, and by their score in it.
func (s *State) order() []int {
	return metrics.ArgSort(len(s.Candidates), func(a, b int) int {
		x, y := &s.Candidates[a], &s.Candidates[b]
		i, _, _ := x.reached()
		j, _, _ := y.reached()
		return cmp.Or(cmp.Compare(y.Weight, x.Weight), cmp.Compare(j, i), cmp.Compare(y.score(j), x.score(i)))
	})
}
