package fitted

import (
	"context"
	"math"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// Ranks are processes that share predictions: each has all rows and predicts a part of them. dist.Comm implements it.
type Ranks interface {
	Rank() int
	Size() int
	// AllReduce makes x the sum of the x of all ranks.
	AllReduce(x []float64) error
}

type ranksKey struct{}

// WithRanks is a context under which predictions are shared. All ranks ask for the same predictions, and get the same
// bits as a single process.
func WithRanks(ctx context.Context, r Ranks) context.Context {
	return context.WithValue(ctx, ranksKey{}, r)
}

// Part is the part of n rows that this process predicts: the rows Lo … Hi−1.
type Part struct {
	Lo, Hi int
	n      int
	ranks  Ranks // nil if the part is all rows
}

// partOf is the part of n rows under a context.
func partOf(ctx context.Context, n int) Part {
	r, _ := ctx.Value(ranksKey{}).(Ranks)
	return PartAmong(r, n)
}

// PartAmong is this rank's part of n rows; r may be nil. Fewer rows than ranks are not shared.
func PartAmong(r Ranks, n int) Part {
	if r == nil || r.Size() == 1 || n < r.Size() {
		return Part{Hi: n, n: n}
	}
	return Part{n * r.Rank() / r.Size(), n * (r.Rank() + 1) / r.Size(), n, r}
}

// Of are the rows of the part.
func (o Part) Of(ds *data.Dataset) *data.Dataset {
	if o.ranks == nil {
		return ds
	}
	return ds.Slice(o.Lo, o.Hi)
}

// Join makes the prediction of all rows from those of the parts. All ranks call it.
func (o Part) Join(p *model.Prediction) (*model.Prediction, error) {
	if o.ranks == nil {
		return p, nil
	}
	whole := *p
	whole.N = o.n
	for _, numbers := range whole.PerRow() {
		if *numbers == nil {
			continue
		}
		var err error
		if *numbers, err = o.join(*numbers, p.C); err != nil {
			return nil, err
		}
	}
	return &whole, nil
}

// join joins the numbers [blocks, rows, width] of all parts. Each rank adds −0 for the rows of the others, which
// changes no bit of their numbers.
func (o Part) join(own []float64, width int) ([]float64, error) {
	size := (o.Hi - o.Lo) * width
	all := slices.Repeat([]float64{math.Copysign(0, -1)}, len(own)/size*o.n*width)
	for block := range len(own) / size {
		copy(all[(block*o.n+o.Lo)*width:], own[block*size:(block+1)*size])
	}
	return all, o.ranks.AllReduce(all)
}
