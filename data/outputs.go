package data

import (
	"cmp"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/data/cellformat"
	"github.com/gpdrf/gpdrf-gpu/data/matrix"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
	"github.com/gpdrf/gpdrf-gpu/internal/stats"
)

// Output copies target c of all rows.
func (d *Dataset) Output(c int) []float64 {
	width := len(d.Outputs())
	n := len(d.Y) / width
	return matrix.Column(make([]float64, n), matrix.New(n, width, d.Y), c)
}

// CheckTargets refuses targets of a regression that do not vary, or by too little for their squares.
func (d *Dataset) CheckTargets() error {
	for c, name := range d.Outputs() {
		mean, sd := stats.MeanSD(d.Output(c))
		if sd > 0 && sd < 1/maxMagnitude {
			return errorf(d.Path, "the target column %s varies by %s only, less than ±%g: multiply the column "+
				"by a power of ten", phrase.Quote(name), phrase.Number(sd), 1/maxMagnitude)
		}
		if sd == 0 {
			return errorf(d.Path,
				"the target column %s holds the value %s only: there is nothing to learn", phrase.Quote(name),
				phrase.Number(mean))
		}
	}
	return nil
}

// OrderClasses puts the classes in the order of levels, from the lowest, or of their numbers if levels is nil. It is an
// error if a level is not a class, a class is not a level, or, without levels, not a number.
func (d *Dataset) OrderClasses(levels []string) error {
	ordered := slices.Clone(levels)
	if levels == nil {
		ordered = slices.Clone(d.Classes)
		sortNumbers(ordered)
	}
	for _, class := range d.Classes {
		if _, err := level(class); levels == nil && err != nil {
			return errorf(d.Path, "the levels of the target %s are words, such as %s, which have no order: give it, "+
				"from the lowest, with %s=LOW,…,HIGH", phrase.Quote(d.Target), phrase.Quote(class), asKey("order"))
		}
	}
	if !slices.Equal(slices.Sorted(slices.Values(ordered)), slices.Sorted(slices.Values(d.Classes))) {
		return errorf(d.Path, "%s has the levels %s, and the classes of the target %s are %s: name each of "+
			"them once, from the lowest", asKey("order"), phrase.List(levels), phrase.Quote(d.Target),
			phrase.List(d.Classes))
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

// level returns the number that a class stands for: 0 for false, and 1 for true.
func level(class string) (v float64, err error) {
	if v, ok := cellformat.Boolean(class); ok {
		return v, nil
	}
	return cellformat.ParseNumber(class)
}

// sortNumbers sorts texts that are numbers, or booleans.
func sortNumbers(texts []string) {
	slices.SortStableFunc(texts, func(a, b string) int {
		x, _ := level(a)
		y, _ := level(b)
		return cmp.Compare(x, y)
	})
}
