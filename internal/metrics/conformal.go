package metrics

import (
	"cmp"
	"math"

	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
)

// rounding is the error of products that are whole numbers.
const rounding = 1e-9

// ConformalRank returns ⌈(n+1)·level⌉: the number, from 1, of the least of n sorted scores that a new score does not
// exceed with probability level. Among n+1 exchangeable scores, the new score has each place with the same probability.
// A result above n means that there are too few scores.
func ConformalRank(n int, level float64) int {
	return max(1, int(math.Ceil(float64(n+1)*level-rounding)))
}

// CheckConformal returns an error if n rows are too few for a level, or a level is not between 0 and 1.
func CheckConformal(n int, level float64) error {
	if !(level > 0 && level < 1) {
		return usererror.Errorf("level %g: must be above 0 and below 1", level)
	}
	if ConformalRank(n, level) > n {
		need := n
		for ConformalRank(need, level) > need { // about level/(1−level)
			need += max(1, int((level-float64(need)*(1-level))/(1-level)/2))
		}
		return usererror.Errorf("level %g needs at least %d rows held out for intervals, and there are %d: "+
			"the interval would be infinite: give a lower level, or more rows", level, need, n)
	}
	return nil
}

// AdaptiveSetScores returns the scores of adaptive prediction sets: for each class, the probability of all classes that
// are more probable. The most probable class has 0, so that it is in any set.
func AdaptiveSetScores(probabilities []float64) []float64 {
	order := ArgSort(len(probabilities), func(a, b int) int { return cmp.Compare(probabilities[b], probabilities[a]) })
	scores := make([]float64, len(probabilities))
	mass := 0.0
	for i, k := range order {
		scores[k] = mass
		if i > 0 && probabilities[k] == probabilities[order[i-1]] {
			scores[k] = scores[order[i-1]]
		}
		mass += probabilities[k]
	}
	return scores
}
