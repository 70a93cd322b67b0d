package data

import (
	"fmt"
	"slices"
)

// Counting are the training rows of weight above 0, since a row that counts nothing must not shape scales and
// inducing points. Those that teach nothing without it are an error.
func (d *Dataset) Counting() (*Dataset, error) {
	if !slices.Contains(d.Weights, 0) {
		return d, nil
	}
	var rows []int
	for i, w := range d.Weights {
		if w > 0 {
			rows = append(rows, i)
		}
	}
	rest := d.Subset(rows)
	if err := checkTraining(rest); err != nil {
		return nil, fmt.Errorf("without the rows of weight 0: %w", err)
	}
	return rest, nil
}

// ClassFactors are W/(K W_c) of the K classes that count, with W_c the sum of the weights of a class and W
// that of all rows, which they keep: each class has the same share of it. 0 of a class that does not count.
func (d *Dataset) ClassFactors() []float64 {
	sums, classes, total := make([]float64, len(d.Classes)), 0.0, d.SumOfWeights()
	for i, label := range d.Labels {
		sums[label] += d.weight(i)
	}
	for _, sum := range sums {
		if sum > 0 {
			classes++
		}
	}
	for c, sum := range sums {
		if sum > 0 {
			sums[c] = total / (classes * sum)
		}
	}
	return sums
}

// TimesFactors is the data set with the weight of each row times the factor of its class; nil of nil.
func (d *Dataset) TimesFactors(classes []float64) *Dataset {
	if d == nil {
		return nil
	}
	out := *d
	out.Weights = slices.Clone(d.Weights)
	if out.Weights == nil {
		out.Weights = slices.Repeat([]float64{1}, d.N())
	}
	for i, label := range d.Labels {
		out.Weights[i] *= classes[label]
	}
	return &out
}

// weight is that of row i.
func (d *Dataset) weight(i int) float64 {
	if d.Weights == nil {
		return 1
	}
	return d.Weights[i]
}
