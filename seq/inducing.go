package seq

import (
	"context"
	"errors"
	"sync"
)

// InducingSequences compares sequences with the inducing points X̄, which are chosen among training sequences, under
// each map of a spec.
type InducingSequences struct {
	Spec Spec
	Set  *Set // the sequences X̄

	parts []*inducingMap
	own   func() []float64
}

// inducingMap is X̄ under one map.
type inducingMap struct {
	features *Features
	inverted *invertedIndex
	rows     *SparseRows // features of X̄ by the columns of all training sequences, with tf-idf; nil without

	// Where windows are compared, only Vectors and Columns need features and inverted, which are made at their first
	// call.
	matches *matches
	squares []float64 // k(x, x) of each sequence of X̄
}

// NewInducingSequences makes X̄ of the chosen training sequences. Features that no sequence of X̄ has only count for
// the length of a vector, so that only features of X̄ are numbered, unless tf-idf needs all. An error is a *SpecError,
// or the error of ctx.
func NewInducingSequences(ctx context.Context, spec Spec, train *Set, chosen []int) (*InducingSequences, error) {
	if err := spec.Fits(ctx, train); err != nil {
		return nil, err
	}
	x := &InducingSequences{Spec: spec, Set: train.Subset(chosen)}
	for i, t := range spec {
		from := x.Set
		if t.TFIDF {
			from = train
		}
		fit := func(ctx context.Context) (*Features, error) { return Fit(ctx, t, from) }
		if err := x.add(subProgress(ctx, i, len(spec)+1), t, fit); err != nil {
			return nil, err
		}
	}
	own := x.among(subProgress(ctx, len(spec), len(spec)+1))
	x.own = func() []float64 { return own }
	return x, ctx.Err()
}

// add makes the next part, with the features of fit where features are compared.
func (x *InducingSequences) add(ctx context.Context, t Term, fit func(context.Context) (*Features, error)) (err error) {
	p := &inducingMap{matches: matchesFor(t, x.Set)}
	x.parts = append(x.parts, p)
	if p.matches != nil {
		p.squares = p.matches.squares(ctx, x.Set)
		p.features, err = newFeatures(t, x.Set.Alphabet)
		return errors.Join(err, ctx.Err())
	}
	if p.features, err = fit(subProgress(ctx, 0, 3)); err != nil {
		return err
	}
	p.inverted = p.features.inverted(subProgress(ctx, 1, 3), x.Set)
	if t.TFIDF {
		p.rows = p.features.rows(subProgress(ctx, 2, 3), x.Set)
	}
	return ctx.Err()
}

// lists makes the features of X̄, if they are not made yet.
func (x *InducingSequences) lists(ctx context.Context, p *inducingMap) error {
	if p.inverted != nil {
		return nil
	}
	f, err := Fit(subProgress(ctx, 0, 2), p.features.Term, x.Set)
	if err != nil {
		return err
	}
	p.features = f
	p.inverted = f.inverted(subProgress(ctx, 1, 2), x.Set)
	return ctx.Err()
}

// Check reports whether the maps of a spec are for an alphabet. An error is a *SpecError.
func (s Spec) Check(a *Alphabet) error {
	for _, t := range s {
		if _, err := newFeatures(t, a); err != nil {
			return err
		}
	}
	return nil
}

// M returns the number of inducing points.
func (x *InducingSequences) M() int { return x.Set.N() }

// width returns the number of distances of a sequence: M for each map.
func (x *InducingSequences) width() int { return len(x.Spec) * x.M() }

// States returns the state of each map that a model file must keep in addition to the sequences of X̄: nil for maps
// without state.
func (x *InducingSequences) States() []*State {
	states := make([]*State, len(x.Spec))
	for i, t := range x.Spec {
		if t.TFIDF {
			states[i] = x.parts[i].features.state()
		}
	}
	return states
}

// RestoreInducingSequences makes X̄ again, from States in the order of the spec. An error is a *SpecError.
func RestoreInducingSequences(spec Spec, xbar *Set, states []*State) (*InducingSequences, error) {
	x := &InducingSequences{Spec: spec, Set: xbar}
	for i, t := range spec {
		fit := func(ctx context.Context) (*Features, error) {
			if t.TFIDF {
				return restore(t, xbar.Alphabet, states[i])
			}
			return Fit(ctx, t, xbar)
		}
		if err := x.add(context.Background(), t, fit); err != nil {
			return nil, err
		}
	}
	x.own = sync.OnceValue(func() []float64 { return x.among(context.Background()) })
	return x, nil
}

// Distances returns ‖φ_i(x_n) − φ_i(x̄_m)‖² of the sequences lo ≤ n < hi of a set [hi−lo, I·M], map by map. Under a
// linear map, whose kernel is 1 − d/2, they are 2 − 2⟨φ, φ'⟩: sequences without any feature have distance 2 to all
// others, and 0 to each other. Once ctx is done the distances are not valid.
func (x *InducingSequences) Distances(ctx context.Context, set *Set, lo, hi int) []float64 {
	m, width := x.M(), x.width()
	out := make([]float64, (hi-lo)*width)
	set = set.part(lo, hi)
	for i, p := range x.parts {
		ctx := subProgress(ctx, i, len(x.parts))
		place := func(first int, dots, a, z []float64) {
			distances(x.Spec[i].Metric(), dots, a, z)
			for n := range a {
				copy(out[(first+n)*width+i*m:], dots[n*m:(n+1)*m])
			}
		}
		if p.matches != nil {
			dots, units := p.matches.dots(ctx, set, x.Set, p.squares)
			place(0, dots, units, unitsOf(p.squares))
			continue
		}
		p.features.each(ctx, set, func(first int, rows *SparseRows) {
			dots := make([]float64, rows.N()*m)
			p.inverted.dots(ctx, dots, rows, 0, rows.N())
			place(first, dots, rows.Square, p.inverted.Square)
		})
	}
	return out
}

// partSize is the number of sequences of a part of a set, since the features of all may take much memory.
const partSize = 256

// eachPart visits the sequences in parts; first is the number of the first sequence of a part.
func (s *Set) eachPart(visit func(first int, part *Set)) {
	for first, n := 0, s.N(); first < n; first += partSize {
		visit(first, s.part(first, min(first+partSize, n)))
	}
}

// InducingDistances returns the distances among X̄ [M, I·M], 0 between a sequence and itself. The caller must not
// change them.
func (x *InducingSequences) InducingDistances() []float64 { return x.own() }

// among computes the distances among X̄.
func (x *InducingSequences) among(ctx context.Context) []float64 {
	own := x.Distances(ctx, x.Set, 0, x.M())
	for m := range x.M() {
		for i := range x.Spec {
			own[m*x.width()+i*x.M()+m] = 0
		}
	}
	return own
}

// Medians returns the median of the distances above 0 between sequences of X̄ under each map; 1 if there are none.
func (x *InducingSequences) Medians() []float64 {
	medians := make([]float64, len(x.Spec))
	for i := range medians {
		medians[i] = median(x.InducingDistances()[i*x.M():], x.M(), x.width())
	}
	return medians
}

// Empty counts the sequences of a set that have no feature under each map. Once ctx is done the counts are not valid.
func (x *InducingSequences) Empty(ctx context.Context, set *Set) []int {
	features := make([]*Features, len(x.parts))
	for i, p := range x.parts {
		features[i] = p.features
	}
	return countEmpty(ctx, features, set)
}

// countEmpty counts zero vectors by map.
func countEmpty(ctx context.Context, features []*Features, set *Set) []int {
	counts := make([]int, len(features))
	for i, f := range features {
		counts[i] = f.countEmpty(subProgress(ctx, i, len(features)), set)
	}
	return counts
}

// Vectors returns the feature vectors of the sequences lo ≤ n < hi of a set under each map, without the columns that no
// sequence of X̄ has. With Columns, they give the distances. Once ctx is done the result is nil.
func (x *InducingSequences) Vectors(ctx context.Context, set *Set, lo, hi int) []*SparseRows {
	all := make([]*SparseRows, len(x.parts))
	for i, p := range x.parts {
		if x.lists(ctx, p) != nil {
			return nil
		}
		rows := p.features.rows(subProgress(ctx, i, len(x.parts)), set.part(lo, hi))
		if rows == nil {
			return nil
		}
		all[i] = rows
		if p.rows != nil { // else X̄ has all columns
			all[i] = rows.within(p.rows)
		}
	}
	return all
}

// Columns returns the feature vectors of X̄ under each map, by the columns of Vectors. The caller must not change them.
// Once ctx is done they are not valid.
func (x *InducingSequences) Columns(ctx context.Context) []*invertedIndex {
	all := make([]*invertedIndex, len(x.parts))
	for i, p := range x.parts {
		if x.lists(ctx, p) != nil {
			return nil
		}
		all[i] = p.inverted
		if p.rows != nil {
			all[i] = invert(ctx, p.rows.within(p.rows))
		}
	}
	return all
}

// Sizes returns the number of values in the Vectors of a whole set under each map. Once ctx is done the numbers are not
// valid.
func (x *InducingSequences) Sizes(ctx context.Context, set *Set) []int {
	sizes := make([]int, len(x.parts))
	n := set.N()
	set.eachPart(func(first int, part *Set) {
		for i, rows := range x.Vectors(subProgress(ctx, first/partSize, (n+partSize-1)/partSize), part, 0, part.N()) {
			sizes[i] += len(rows.Column)
		}
	})
	return sizes
}
