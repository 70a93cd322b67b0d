package data

import "slices"

// ClassFactors are W/(K W_c) of the K classes that have rows, with W_c the sum of the weights of a class and W
// that of all rows: each class has the same share of it.
func (d *Dataset) ClassFactors() []float64 {
	sums, classes, total := make([]float64, len(d.Classes)), 0.0, 0.0
	for i, label := range d.Labels {
		w := 1.0
		if d.Weights != nil {
			w = d.Weights[i]
		}
		sums[label], total = sums[label]+w, total+w
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
