package seq

import (
	"context"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// Metric returns the metric by which a term compares vectors.
func (t Term) Metric() device.Metric {
	switch {
	case t.Counts == Tanimoto:
		return device.Tanimoto
	case t.Linear:
		return device.Unit
	}
	return device.Squared
}

// distances turns the inner products [N, M] of rows with these squares into their distances, in place.
func distances(m device.Metric, dots, a, b []float64) []float64 {
	for n, square := range a {
		m.Distances(dots[n*len(b):(n+1)*len(b)], square, b)
	}
	return dots
}

// Products returns the inner products [N, M] of two sets of rows of a term that its kernel stands for, T under
// Tanimoto, and the squared norms that go with them.
func (t Term) Products(a, b *SparseRows) (dots, aSquare, bSquare []float64) {
	dots = innerProducts(a, b)
	if t.Counts != Tanimoto {
		return dots, a.Square, b.Square
	}
	for i, d := range distances(t.Metric(), dots, a.Square, b.Square) {
		dots[i] = 1 - d/2
	}
	return dots, slices.Repeat([]float64{1}, a.N()), slices.Repeat([]float64{1}, b.N())
}

// distances returns the squared distances between the sequences of a set [N,N], and k(x, x) of each: 0 where it has no
// feature, except under Tanimoto. Once ctx is done they are not valid.
func (f *Features) distances(ctx context.Context, set *Set) (d2, square []float64) {
	var v *invertedIndex
	t := f.Term
	n := set.N()
	t.Linear = false // k(x, x) tells which are empty
	if f.kept() {
		rows := f.rows(subProgress(ctx, 0, 2), set)
		if rows == nil {
			return nil, nil
		}
		v = invert(ctx, rows)
		d2 = make([]float64, n*n)
		eachBlock(subProgress(ctx, 1, 2), n, func(lo, hi int) {
			v.dots(ctx, d2[lo*n:hi*n], rows, lo, hi)
			distances(t.Metric(), d2[lo*n:hi*n], rows.Square[lo:hi], v.Square)
		})
	} else {
		if v = f.inverted(subProgress(ctx, 0, 2), set); v == nil {
			return nil, nil
		}
		d2 = make([]float64, n*n)
		f.each(subProgress(ctx, 1, 2), set, func(first int, rows *SparseRows) {
			part := d2[first*n : (first+rows.N())*n]
			v.dots(ctx, part, rows, 0, rows.N())
			distances(t.Metric(), part, rows.Square, v.Square)
		})
	}
	if t.Counts == Tanimoto {
		return d2, slices.Repeat([]float64{1}, n)
	}
	return d2, v.Square
}

// distancesAmong returns the squared distances under a map between the sequences of a set [N,N], and k(x, x) of each.
// An error is a *SpecError, or the error of ctx.
func distancesAmong(ctx context.Context, t Term, set *Set) (d2, square []float64, err error) {
	if m := matchesFor(t, set); m != nil {
		dots, units := m.among(ctx, set)
		return distances(device.Squared, dots, units, units), units, ctx.Err()
	}
	f, err := Fit(subProgress(ctx, 0, 4), t, set)
	if err != nil {
		return nil, nil, err
	}
	d2, square = f.distances(subrange(ctx, 0.25, 1), set)
	return d2, square, ctx.Err()
}

// median returns the median of the distances above 0 among n rows, or 1 if there are none. A row begins stride numbers
// after the row before.
func median(d2 []float64, n, stride int) float64 {
	var all []float64
	for i := range n {
		for _, d := range d2[i*stride:][:i] {
			if d > 0 {
				all = append(all, d)
			}
		}
	}
	if slices.Sort(all); len(all) > 0 {
		return all[len(all)/2]
	}
	return 1
}
