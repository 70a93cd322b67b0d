// Package stats has the statistics of numbers that readers, scalings and summaries share.
package stats

import (
	"slices"

	"gonum.org/v1/gonum/stat"
)

// minSquared is the least deviation whose square is far from 0.
const minSquared = 1e-100

// MeanSD returns the mean and the standard deviation, with n−1 in the denominator. It is exact for equal values, where
// rounding could leave a tiny deviation.
func MeanSD(v []float64) (mean, sd float64) {
	if slices.Min(v) == slices.Max(v) {
		return v[0], 0
	}
	mean, sd = stat.MeanStdDev(v, nil)
	if sd < minSquared { // the squares of such values may be 0
		unit := max(slices.Max(v)-mean, mean-slices.Min(v))
		units := make([]float64, len(v))
		for i := range v {
			units[i] = (v[i] - mean) / unit
		}
		_, sd = stat.MeanStdDev(units, nil)
		sd *= unit
	}
	return mean, sd
}

// Quantile interpolates linearly between the order statistics (type 7 of Hyndman and Fan): position p·(n−1).
func Quantile(sorted []float64, p float64) float64 {
	at := p * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}

// Sum adds up values in their order. floats.Sum has another order, and rounds otherwise.
func Sum(values []float64) (s float64) {
	for _, v := range values {
		s += v
	}
	return s
}

// IsFinite reports whether the value is neither NaN nor infinite.
func IsFinite(v float64) bool { return v-v == 0 }

// AllFinite reports whether no value is NaN or infinite.
func AllFinite(values []float64) bool { return NotFinite(values) < 0 }

// NotFinite returns the place of the first value that is NaN or infinite; −1 if there is none.
func NotFinite(values []float64) int {
	return slices.IndexFunc(values, func(v float64) bool { return !IsFinite(v) })
}
