package fitted

import (
	"math"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/dist"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// Part is the part of n rows that this process predicts: the rows Lo … Hi−1.
type Part struct {
	Lo, Hi int
	n      int
	ranks  dist.Comm // nil if the part is all rows
}

// PartAmong returns this rank's part of n rows; r may be nil. Fewer rows than ranks are not shared.
func PartAmong(r dist.Comm, n int) Part {
	if r == nil || r.Size() == 1 || n < r.Size() {
		return Part{Hi: n, n: n}
	}
	lo, hi := dist.Share(n, r.Rank(), r.Size())
	return Part{lo, hi, n, r}
}

// Of returns the rows of the part.
func (o Part) Of(ds *data.Dataset) *data.Dataset {
	if o.ranks == nil {
		return ds
	}
	return ds.Slice(o.Lo, o.Hi)
}

// Join makes the prediction of all rows from those of the parts. All ranks call it.
func (o Part) Join(p *model.Prediction) (*model.Prediction, error) {
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
	if o.ranks == nil {
		return own, nil
	}
	size := (o.Hi - o.Lo) * width
	all := slices.Repeat([]float64{math.Copysign(0, -1)}, len(own)/size*o.n*width)
	for block := range len(own) / size {
		copy(all[(block*o.n+o.Lo)*width:], own[block*size:(block+1)*size])
	}
	return all, o.ranks.AllReduce(all)
}
