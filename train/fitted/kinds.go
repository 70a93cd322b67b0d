package fitted

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/safetensors"
	"github.com/gpdrf/gpdrf-gpu/internal/usage"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/seq"
)

// RowKind is the kind of a model's rows: Vectors, Sequences, Projected or Gram. Only this package
// has others.
type RowKind interface {
	// columns reports whether the model reads the columns of a table.
	columns() bool
	// coded is a data set whose sequences have the symbols of the model.
	coded(ds *data.Dataset) *data.Dataset
	// extraInputs are the numbers of coded rows lo … hi−1 that follow their columns [hi−lo,W]; nil
	// for none.
	extraInputs(ctx context.Context, ds *data.Dataset, lo, hi int) []float64
	// among are the squared distances among m inducing points under each map [M,I·M]; nil where
	// rows are compared with none by their distances.
	among() (own []float64, m int)
	// projected is the number of extraInputs that are coordinates, as columns are.
	projected() int
	// fits is the error of rows that the model cannot predict, or that of ctx.
	fits(ctx context.Context, ds *data.Dataset) error
	// empty counts coded sequences that have no feature under each map.
	empty(ctx context.Context, ds *data.Dataset) (counts []int, maps seq.Spec)
	// tensors are the parts of a model file that describe it.
	tensors() (*sequencesHeader, []safetensors.Tensor)
}

// Vectors are rows of a table.
type Vectors struct{}

func (Vectors) columns() bool                                                   { return true }
func (Vectors) coded(ds *data.Dataset) *data.Dataset                            { return ds }
func (Vectors) extraInputs(context.Context, *data.Dataset, int, int) []float64  { return nil }
func (Vectors) among() ([]float64, int)                                         { return nil, 0 }
func (Vectors) projected() int                                                  { return 0 }
func (Vectors) empty(context.Context, *data.Dataset) (counts []int, m seq.Spec) { return nil, nil }
func (Vectors) tensors() (h *sequencesHeader, tensors []safetensors.Tensor)     { return nil, nil }
func (Vectors) fits(_ context.Context, ds *data.Dataset) error {
	if ds.Kernel != nil {
		return usage.Errorf("gram: the model was trained without --gram: leave it out")
	}
	return nil
}

// Codes makes symbols of sequences of vectors.
type Codes struct {
	Vectors
	Codebook *seq.Codebook // nil where sequences have symbols
}

func (c Codes) coded(ds *data.Dataset) *data.Dataset {
	if c.Codebook == nil || ds.Sequences.Alphabet.OfVectors() == nil {
		return ds
	}
	return ds.WithSequences(c.Codebook.Encode(ds.Sequences))
}

// Coded is a data set whose sequences have the symbols of the model.
func (c Codes) Coded(ds *data.Dataset) *data.Dataset { return c.coded(ds) }

// Sequences are compared with X̄ by their distances, and may have columns beside them.
type Sequences struct {
	Codes
	Basis *seq.Basis // X̄, with the state learnt from the features of all training sequences
}

func (s Sequences) fits(ctx context.Context, ds *data.Dataset) error {
	return errors.Join(s.Vectors.fits(ctx, ds), fitsMaps(ctx, s.Basis.Spec, s.coded(ds)))
}

// fitsMaps refuses graphs that are too large for the maps.
func fitsMaps(ctx context.Context, spec seq.Spec, ds *data.Dataset) error {
	err := spec.Fits(ctx, ds.Sequences)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return usage.Errorf("%s: %v", ds.Path, err)
}

func (s Sequences) extraInputs(ctx context.Context, ds *data.Dataset, lo, hi int) []float64 {
	return s.Basis.Distances(ctx, ds.Sequences, lo, hi)
}

func (s Sequences) among() ([]float64, int) { return s.Basis.Own(), s.Basis.M() }

func (s Sequences) empty(ctx context.Context, ds *data.Dataset) ([]int, seq.Spec) {
	return s.Basis.Empty(ctx, ds.Sequences), s.Basis.Spec
}

// Projected are sequences whose features become a few coordinates, and may have columns beside
// them.
type Projected struct {
	Codes
	Projection *seq.Projection
}

func (p Projected) fits(ctx context.Context, ds *data.Dataset) error {
	return errors.Join(p.Vectors.fits(ctx, ds), fitsMaps(ctx, p.Projection.Spec, p.coded(ds)))
}

func (p Projected) extraInputs(ctx context.Context, ds *data.Dataset, lo, hi int) []float64 {
	return p.Projection.Rows(ctx, ds.Sequences, lo, hi)
}

func (p Projected) projected() int { return p.Projection.P }

func (p Projected) empty(ctx context.Context, ds *data.Dataset) ([]int, seq.Spec) {
	return p.Projection.Empty(ctx, ds.Sequences), p.Projection.Spec
}

// Gram are rows with a kernel of their own: their columns are not looked at.
type Gram struct {
	Vectors
	Own []float64 // squared distances among X̄ [M,M]
	M   int
}

func (Gram) columns() bool { return false }

func (Gram) extraInputs(_ context.Context, ds *data.Dataset, lo, hi int) []float64 {
	return ds.Kernel.Rows[lo*ds.Kernel.M : hi*ds.Kernel.M]
}

func (g Gram) among() ([]float64, int) { return g.Own, g.M }

func (g Gram) fits(_ context.Context, ds *data.Dataset) error {
	switch {
	case ds.Kernel == nil:
		return usage.Errorf("%s: the model was trained with --gram: give the kernel of these rows, "+
			"test_inducing and test_diag, with --gram FILE.npz", ds.Path)
	case !nearly(ds.Kernel.Own, g.Own):
		return usage.Errorf("gram: its array inducing is not that of training: the same inducing points " +
			"are needed, in the same order")
	}
	return nil
}

// nearly reports whether distances are the same up to rounding to single precision.
func nearly(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) < 1e-5 })
}

// Shared are the sequences of a data set by the features that they share with X̄. Once ctx is done
// they are worth nothing.
func (s Sequences) Shared(ctx context.Context, ds *data.Dataset) *model.Vectors {
	set := s.coded(ds).Sequences
	v := &model.Vectors{Sizes: s.Basis.Sizes(ctx, set)}
	for _, t := range s.Basis.Spec {
		v.Metrics = append(v.Metrics, t.Metric())
	}
	for _, x := range s.Basis.Columns(ctx) {
		v.Inducing = append(v.Inducing,
			model.Lists{Start: converted[int32](x.Start), Index: x.Row, Value: x.Value, Square: x.Square})
	}
	v.Rows = func(lo, hi int) (lists []model.Lists) {
		for _, r := range s.Basis.Vectors(ctx, set, lo, hi) {
			lists = append(lists, model.Lists{Start: converted[int32](r.Start), Index: r.Column,
				Value: r.Value, Square: r.Square})
		}
		return lists
	}
	return v
}
