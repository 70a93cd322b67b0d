package fitted

import (
	"context"
	"math"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/seq"
)

// Featurizer makes a model's inputs of its rows. If all fields are nil, rows are those of a table. Sequences may have
// columns beside them.
type Featurizer struct {
	Inducing   *seq.InducingSequences // X̄ and learnt state, for sequences that are compared with X̄ by distances
	Projection *seq.SignProjection    // projection for sequences whose features become a few coordinates
	Gram       *Gram                  // kernel for rows with a kernel of their own, whose columns are ignored

	Codebook *seq.Codebook // symbols for sequences of vectors; nil if sequences have symbols
}

// Gram is a kernel that was computed elsewhere.
type Gram struct {
	InducingDistances []float64 // squared distances among X̄ [M,M]
	M                 int       // number of inducing points
}

// readsColumns reports whether the model reads the columns of a table.
func (f Featurizer) readsColumns() bool { return f.Gram == nil }

// Encode returns a data set with the symbols of the model in place of vectors in sequences.
func (f Featurizer) Encode(ds *data.Dataset) *data.Dataset {
	if f.Codebook == nil || ds.Sequences.Alphabet.OfVectors() == nil {
		return ds
	}
	return ds.WithSequences(f.Codebook.Encode(ds.Sequences))
}

// extraInputs returns the inputs [hi−lo,W] of coded rows lo … hi−1 that follow their columns; nil if there are none.
func (f Featurizer) extraInputs(ctx context.Context, ds *data.Dataset, lo, hi int) []float64 {
	switch {
	case f.Inducing != nil:
		return f.Inducing.Distances(ctx, ds.Sequences, lo, hi)
	case f.Projection != nil:
		return f.Projection.Rows(ctx, ds.Sequences, lo, hi)
	case f.Gram != nil:
		return ds.Gram.Rows[lo*ds.Gram.M : hi*ds.Gram.M]
	}
	return nil
}

// inducingDistances returns the squared distances among m inducing points under each map [M,I·M]; nil if the model uses
// no distances.
func (f Featurizer) inducingDistances() (own []float64, m int) {
	switch {
	case f.Inducing != nil:
		return f.Inducing.InducingDistances(), f.Inducing.M()
	case f.Gram != nil:
		return f.Gram.InducingDistances, f.Gram.M
	}
	return nil, 0
}

// projectedWidth returns the number of extraInputs of a projection, which are coordinates like columns.
func (f Featurizer) projectedWidth() int {
	if f.Projection == nil {
		return 0
	}
	return f.Projection.P
}

// maps returns the feature maps of sequences; nil for other rows.
func (f Featurizer) maps() seq.Spec {
	switch {
	case f.Inducing != nil:
		return f.Inducing.Spec
	case f.Projection != nil:
		return f.Projection.Spec
	}
	return nil
}

// countEmpty counts the coded sequences without any feature, for each of the maps.
func (f Featurizer) countEmpty(ctx context.Context, ds *data.Dataset) []int {
	switch {
	case f.Inducing != nil:
		return f.Inducing.Empty(ctx, ds.Sequences)
	case f.Projection != nil:
		return f.Projection.Empty(ctx, ds.Sequences)
	}
	return nil
}

// checkRows refuses rows that the model cannot predict: their kernel is not that of training, or graphs are too large
// for the maps. Soon after ctx ends, its cause is the error.
func (f Featurizer) checkRows(ctx context.Context, ds *data.Dataset) error {
	switch maps := f.maps(); {
	case f.Gram != nil && ds.Gram == nil:
		return usererror.Errorf("%s: the model was trained with %s: give the kernel of these rows, "+
			"test_inducing and test_diag, with %s FILE.npz", ds.Path, usererror.Key("gram"), usererror.Flag("gram"))
	case f.Gram != nil && !nearlyEqual(ds.Gram.InducingDistances, f.Gram.InducingDistances):
		return usererror.OfFlag("gram", "its array inducing is not that of training: the same inducing points "+
			"are needed, in the same order")
	case f.Gram == nil && ds.Gram != nil:
		return usererror.OfFlag("gram", "the model was trained without %s: leave it out", usererror.Key("gram"))
	case maps != nil:
		err := maps.Fits(ctx, f.Encode(ds).Sequences)
		if err != nil && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			return usererror.Errorf("%s: %v", ds.Path, err)
		}
	}
	return nil
}

// nearlyEqual reports whether distances are equal up to rounding to single precision.
func nearlyEqual(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) < 1e-5 })
}

// SharedFeatures returns the sequences of a data set by the features that they share with X̄. After ctx has ended, the
// result is incomplete.
func (f Featurizer) SharedFeatures(ctx context.Context, ds *data.Dataset) *model.SequenceFeatures {
	set := f.Encode(ds).Sequences
	v := &model.SequenceFeatures{Sizes: f.Inducing.Sizes(ctx, set)}
	for _, t := range f.Inducing.Spec {
		v.Metrics = append(v.Metrics, t.Metric())
	}
	for _, x := range f.Inducing.Columns(ctx) {
		v.Inducing = append(v.Inducing,
			model.HostSparse{Start: converted[int32](x.Start), Index: x.Row, Value: x.Value, Square: x.Square})
	}
	v.Rows = func(lo, hi int) (lists []model.HostSparse) {
		for _, r := range f.Inducing.Vectors(ctx, set, lo, hi) {
			lists = append(lists, model.HostSparse{Start: converted[int32](r.Start), Index: r.Column,
				Value: r.Value, Square: r.Square})
		}
		return lists
	}
	return v
}
