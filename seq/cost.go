package seq

import "context"

// cost is what a spec takes: features of a sequence, and products of features of a pair of
// sequences.
type cost struct{ features, products float64 }

// Work in units of a product, some nanoseconds.
const (
	featureWork   = 10   // a feature, each time that it is counted
	mostWork      = 4e9  // to compare a candidate
	mostTraining  = 4e10 // to train with it
	workPerSecond = 2e8  // of a time limit
	productTime   = 5    // nanoseconds
	trainingRows  = 1000 // X̄, about
	probeRows     = 24   // sequences tell the cost,
	probeCodes    = 200  // by so many symbols of each
)

// among is the work of comparing n sequences with each other, by what is counted three times.
func (c cost) among(n int) float64 {
	return float64(n) * (3*featureWork*c.features + float64(n)*c.products)
}

// training is the work of comparing n sequences with X̄.
func (c cost) training(n int) float64 {
	return float64(n) * (2*featureWork*c.features + float64(min(n, trainingRows))*c.products)
}

// cost counts the features in the beginnings of a few sequences.
func (l *comparison) cost(ctx context.Context, spec Spec) (sum cost, err error) {
	probe := &Set{Alphabet: l.set.Alphabet, Start: []int{0}}
	for i := range min(probeRows, l.set.N()) {
		x := l.set.At(i)
		if !l.set.Alphabet.Kind.IsGraph() { // which has no beginning
			x = x[:min(len(x), probeCodes)]
		}
		probe.Codes = append(probe.Codes, x...)
		probe.Start = append(probe.Start, len(probe.Codes))
	}
	n := float64(probe.N())
	longer := float64(len(l.set.Codes[:l.set.Start[l.set.N()]])) / float64(l.set.N()) / max(1,
		float64(len(probe.Codes))/n)
	for _, t := range spec {
		if m := matchesFor(t, l.set); m != nil {
			sum.features += m.windows(l.set)
			sum.products += m.pairTime(l.set) / productTime
			continue
		}
		f, err := Fit(ctx, t, probe)
		if err != nil {
			return sum, err
		}
		one := cost{}
		v := f.inverted(ctx, probe)
		if ctx.Err() != nil {
			return sum, ctx.Err()
		}
		if g, ok := f.ex.(*graphFeatures); ok {
			one.features = float64(g.work.Steps) / n
		}
		for c, from := range v.Start[:f.width()] {
			rows := float64(v.Start[c+1] - from)
			one.features += rows / n
			one.products += rows * (rows - 1) / max(1, n*(n-1))
		}
		sum.features += longer * one.features
		sum.products += min(longer*longer*one.products, longer*one.features)
	}
	return sum, nil
}
