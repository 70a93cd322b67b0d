package best

import (
	"cmp"
	"slices"
)

// reached is the last round of a candidate, its seconds in all, and why it went no further where it
// failed.
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

// order are the candidates by weight, by the round that they have reached, and by their score
// there.
func (s *State) order() []int {
	all := make([]int, len(s.Candidates))
	for k := range all {
		all[k] = k
	}
	slices.SortStableFunc(all, func(a, b int) int {
		x, y := &s.Candidates[a], &s.Candidates[b]
		i, _, _ := x.reached()
		j, _, _ := y.reached()
		return cmp.Or(cmp.Compare(y.Weight, x.Weight), cmp.Compare(j, i), cmp.Compare(y.score(j), x.score(i)))
	})
	return all
}
