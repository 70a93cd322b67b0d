package fitted

import (
	"math"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/dist"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// RankRows is the part of n rows that this process predicts: the rows Lo … Hi−1.
type RankRows struct {
	Lo, Hi int
	n      int
	ranks  dist.Comm // nil if the part is all rows
}

// RankRowsOf returns this rank's part of n rows; r may be nil. Fewer rows than ranks are not shared.
func RankRowsOf(r dist.Comm, n int) RankRows {
	if r == nil || r.Size() == 1 || n < r.Size() {
		return RankRows{Hi: n, n: n}
	}
	lo, hi := dist.Share(n, r.Rank(), r.Size())
	return RankRows{lo, hi, n, r}
}

// Of returns the rows of the part.
func (r RankRows) Of(ds *data.Dataset) *data.Dataset {
	if r.ranks == nil {
		return ds
	}
	return ds.Slice(r.Lo, r.Hi)
}

// Join makes the prediction of all rows from those of the parts. All ranks call it.
func (r RankRows) Join(p *model.Prediction) (*model.Prediction, error) {
	whole := *p
	whole.N = r.n
	for _, numbers := range whole.RowFields() {
		if *numbers == nil {
			continue
		}
		var err error
		if *numbers, err = r.join(*numbers, p.C); err != nil {
			return nil, err
		}
	}
	return &whole, nil
}

// join joins the numbers [blocks, rows, width] of all parts. Each rank adds −0 for the rows of the others, which
// changes no bit of their numbers.
func (r RankRows) join(own []float64, width int) ([]float64, error) {
	if r.ranks == nil {
		return own, nil
	}
	size := (r.Hi - r.Lo) * width
	all := slices.Repeat([]float64{math.Copysign(0, -1)}, len(own)/size*r.n*width)
	for block := range len(own) / size {
		copy(all[(block*r.n+r.Lo)*width:], own[block*size:(block+1)*size])
	}
	return all, r.ranks.AllReduce(all)
}
