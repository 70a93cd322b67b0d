package model

import (
	"math"
	"slices"
)

// initOffsets writes b [C] from the number of rows of each class: the logarithms of the classes' shares less their
// mean, or for a single output the log-odds of the second class. Half a row is added to each, so that a class without
// rows has a share.
func initOffsets(b []float64, rows []int) {
	of := func(class int) float64 { return math.Log(float64(rows[class]) + 0.5) }
	if len(b) == 1 {
		b[0] = of(1) - of(0)
		return
	}
	mean := 0.0
	for c := range b {
		b[c] = of(c)
		mean += b[c] / float64(len(b))
	}
	for c := range b {
		b[c] -= mean
	}
}

// initCuts starts cut points at the quantiles of the levels' rows under N(0, 2), the sum of a latent function and
// noise, each of variance 1. Half a row is added to each level.
func initCuts(cuts []float64, rows []int) {
	total := 0.5 * float64(len(rows))
	for _, n := range rows {
		total += float64(n)
	}
	below, last := 0.0, 0.0
	for k := range cuts {
		below += (float64(rows[k]) + 0.5) / total
		at := 2 * math.Erfinv(2*below-1)
		cuts[k] = at
		if k > 0 {
			cuts[k] = math.Log(max(at-last, initLeastGap))
		}
		last = at
	}
}

// LogRates returns the initial constants of log rates: the logarithm of the mean of each target of counts y [N,C], per
// unit of exposure where rows have offsets [N]. Half a count is added, so that zeros alone have a logarithm.
func LogRates(y, offset []float64, targets int) []float64 {
	n := len(y) / targets
	sums := make([]float64, targets)
	most := 0.0
	exposure := float64(n)
	if offset != nil { // exp may overflow, but not in shares of the largest
		most = slices.Max(offset)
		exposure = 0
		for _, o := range offset {
			exposure += math.Exp(o - most)
		}
	}
	for i, v := range y {
		sums[i%targets] += v
	}
	for c, v := range sums {
		sums[c] = math.Log(v+0.5) - math.Log(exposure) - most
	}
	return sums
}
