package fitted

import (
	"context"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// Shared are the sequences of a data set by the features that they share with X̄. Once ctx is done
// they are worth nothing.
func (s Sequences) Shared(ctx context.Context, ds *data.Dataset) *model.Vectors {
	set := s.coded(ds).Sequences
	v := &model.Vectors{Sizes: s.Basis.Sizes(ctx, set)}
	for _, x := range s.Basis.Columns(ctx) {
		v.Inducing = append(v.Inducing,
			model.Lists{Start: starts(x.Start), Index: x.Row, Value: x.Value, Square: x.Square})
	}
	v.Rows = func(lo, hi int) (lists []model.Lists) {
		for _, r := range s.Basis.Vectors(ctx, set, lo, hi) {
			lists = append(lists, model.Lists{Start: starts(r.Start), Index: r.Column,
				Value: r.Value, Square: r.Square})
		}
		return lists
	}
	return v
}

func starts(at []int) []int32 {
	out := make([]int32, len(at))
	for i, v := range at {
		out[i] = int32(v)
	}
	return out
}
