package fitted

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/usage"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/seq"
)

// features are feature maps with what they need, for sequences as inputs.
type features interface {
	// Empty counts the sequences of a set that have no feature under each map.
	Empty(ctx context.Context, set *seq.Set) []int
}

// sequences turns the sequences lo … hi−1 of a set into numbers of a model's input.
func (t *Trained) sequences(ctx context.Context, ds *data.Dataset, lo, hi int) []float64 {
	switch {
	case t.Gram != nil:
		return ds.Kernel.Rows[lo*ds.Kernel.M : hi*ds.Kernel.M]
	case t.Basis != nil:
		return t.Basis.Distances(ctx, ds.Sequences, lo, hi)
	case t.Projection != nil:
		return t.Projection.Rows(ctx, ds.Sequences, lo, hi)
	}
	return nil
}

// coded is a data set whose sequences have the symbols of the model.
func (t *Trained) coded(ds *data.Dataset) *data.Dataset {
	if t.Codebook == nil || ds.Sequences.Alphabet.OfVectors() == nil {
		return ds
	}
	return ds.WithSequences(t.Codebook.Encode(ds.Sequences))
}

// Inputs gives the rows lo … hi−1 of a data set as the model reads them: scaled columns, then
// distances to X̄ or the projection of features. Once ctx is done they are worth nothing.
func (t *Trained) Inputs(ctx context.Context, ds *data.Dataset) func(lo, hi int) []float64 {
	ds = t.coded(ds)
	return func(lo, hi int) []float64 {
		var x []float64
		if t.Gram == nil {
			x = t.Numbers(ds)(lo, hi)
		}
		z := t.sequences(ctx, ds, lo, hi)
		switch {
		case z == nil:
			return x
		case x == nil:
			return z
		}
		n := hi - lo
		d, w := len(x)/n, len(z)/n
		both := make([]float64, 0, len(x)+len(z))
		for i := range n {
			both = append(append(both, x[i*d:(i+1)*d]...), z[i*w:(i+1)*w]...)
		}
		return both
	}
}

// Numbers gives the scaled columns of the rows lo … hi−1, never all at once: images fill the
// memory.
func (t *Trained) Numbers(ds *data.Dataset) func(lo, hi int) []float64 {
	return func(lo, hi int) []float64 { return t.Scaler.Rows(ds.X, lo, hi) }
}

// SetInducing tells a model of sequences what it must know of X̄.
func (t *Trained) SetInducing(m *model.Model) {
	if t.Gram != nil {
		m.SetInducing(t.Gram)
	} else if t.Basis != nil {
		m.SetInducing(t.Basis.Own())
	}
}

// fitsGram says what is wrong with the kernel of rows to predict.
func (t *Trained) fitsGram(ds *data.Dataset) error {
	switch {
	case t.Gram == nil && ds.Kernel != nil:
		return usage.Errorf("gram: the model was trained without --gram: leave it out")
	case t.Gram != nil && ds.Kernel == nil:
		return usage.Errorf("%s: the model was trained with --gram: give the kernel of these rows, test_inducing and test_diag, with --gram FILE.npz", ds.Path)
	case t.Gram != nil && !nearly(ds.Kernel.Own, t.Gram):
		return usage.Errorf("gram: its array inducing is not that of training: the same inducing points are needed, in the same order")
	}
	return nil
}

// nearly says whether distances are the same up to rounding to single precision.
func nearly(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) < 1e-5 })
}

// Empty says how many sequences of a set have no feature under one of the maps; "" where there are
// none.
func (t *Trained) Empty(ctx context.Context, ds *data.Dataset) (warning string) {
	var f features
	var spec seq.Spec
	switch {
	case t.Basis != nil:
		f, spec = t.Basis, t.Basis.Spec
	case t.Projection != nil:
		f, spec = t.Projection, t.Projection.Spec
	default:
		return ""
	}
	var parts []string
	for i, n := range f.Empty(ctx, t.coded(ds).Sequences) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d under %s", n, spec[i]))
		}
	}
	if parts == nil {
		return ""
	}
	return fmt.Sprintf("%s: sequences without any feature, which the model cannot tell apart: %s, of %d", ds.Path, strings.Join(parts, ", "), ds.N())
}

// Unlike warns of rows that are unlike those of training: far outside the range of a column, where
// so many rows are, or sequences without features.
func (t *Trained) Unlike(ctx context.Context, ds *data.Dataset, least int) (warning string) {
	if t.Members != nil {
		return t.Members[0].Unlike(ctx, ds, least)
	}
	if t.Gram != nil {
		return "" // inputs are not looked at
	}
	var parts []string
	if far := t.Scaler.Far(ds); far.Rows >= max(1, least) {
		parts = append(parts, t.Scaler.Describe(far, ds))
	}
	if empty := t.Empty(ctx, ds); empty != "" {
		parts = append(parts, empty)
	}
	if parts == nil {
		return ""
	}
	return "warning: " + strings.Join(parts, "; ")
}
