package data

import (
	"cmp"
	"math"
	"slices"
)

// InOrder puts the classes in the order of levels, from the lowest, or of their numbers where levels is nil.
// It is an error where a level is no class, a class no level, or a class neither a level nor a number.
func (d *Dataset) InOrder(levels []string) error {
	for i, level := range levels {
		if slices.Contains(levels[:i], level) {
			return errorf("", "--set order: the level %s is named twice: name each once, from the lowest", quote(level))
		}
		if !slices.Contains(d.Classes, level) {
			return errorf(d.Path, "no row has the level %s of the target %s (its classes are %s)%s: name those",
				quote(level), quote(d.Target), list(d.Classes), didYouMean(level, d.Classes))
		}
	}
	for _, class := range d.Classes {
		if _, err := parseNumber(class); levels == nil && err != nil {
			return errorf(d.Path, "the levels of the target %s are words, such as %s, which have no order: give it, "+
				"from the lowest, with --set order=LOW,…,HIGH", quote(d.Target), quote(class))
		}
		if levels != nil && !slices.Contains(levels, class) {
			return errorf(d.Path, "the target %s has the class %s, which the order leaves out: name all of %s",
				quote(d.Target), quote(class), list(d.Classes))
		}
	}
	ordered := slices.Clone(levels)
	if levels == nil {
		ordered = slices.Clone(d.Classes)
		sortNumbers(ordered)
	}
	place := make([]int32, len(d.Classes))
	for k, class := range d.Classes {
		place[k] = int32(slices.Index(ordered, class))
	}
	labels := slices.Clone(d.Labels)
	for i, l := range labels {
		if l >= 0 {
			labels[i] = place[l]
		}
	}
	d.Classes, d.Labels = ordered, labels
	return nil
}

// sortNumbers sorts texts that are numbers.
func sortNumbers(texts []string) {
	slices.SortStableFunc(texts, func(a, b string) int {
		x, _ := parseNumber(a)
		y, _ := parseNumber(b)
		return cmp.Compare(x, y)
	})
}

// When whole numbers are counts beyond doubt.
const (
	leastCounts = 50   // rows
	leastZeros  = 0.02 // share of them
	fewCounts   = 50   // a count that three rows of four do not pass
	leastSkew   = 0.5  // a Poisson of mean 4 has it
)

// LooksLikeCounts reports whether a single target holds counts beyond doubt: 50 rows or more of whole numbers
// from 0. A row of fifty is 0, three of four are 50 at most, on average each number is in two rows, and the
// skewness is above 1/2. Numbers of rows, years, scores and rounded lengths fail one of these.
func LooksLikeCounts(d *Dataset) bool {
	if d.Task != Regression || len(d.Y) != d.N() || d.N() < leastCounts || Counts(d) != nil {
		return false
	}
	sorted, n := slices.Sorted(slices.Values(d.Y)), float64(d.N())
	mean, sd := meanSD(sorted)
	zeros, different, skew := 0.0, 1.0, 0.0
	for i, y := range sorted {
		if y == 0 {
			zeros++
		}
		if i > 0 && y != sorted[i-1] {
			different++
		}
		skew += math.Pow((y-mean)/sd, 3) / n
	}
	return zeros >= leastZeros*n && quantile(sorted, 0.75) <= fewCounts && 2*different <= n && skew > leastSkew
}
