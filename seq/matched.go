package seq

import (
	"context"
	"math"
)

// maxSymbols is the number of symbols whose windows are listed at a time: each takes up to twenty bytes.
const maxSymbols = 1 << 20

// maxSelf is the longest sequence that is compared with itself window by window. The time grows with the square of the
// length.
const maxSelf = 1 << 12

// dots returns ⟨φ(x_n), φ(y_m)⟩ of the sequences of two sets [N, M], and ‖φ‖² of x; squares are ‖φ‖² of y, before it
// was scaled. Once ctx is done the results are not valid.
func (m *matches) dots(ctx context.Context, x, y *Set, squares []float64) (dots, units []float64) {
	dots = make([]float64, x.N()*y.N())
	xSquares := m.squares(subProgress(ctx, 0, 2), x)
	m.products(subProgress(ctx, 1, 2), dots, x, y, false)
	scaleDots(dots, xSquares, squares)
	return dots, unitsOf(xSquares)
}

// among returns the inner products between the sequences of a set [N, N], and their ‖φ‖².
func (m *matches) among(ctx context.Context, set *Set) (dots, units []float64) {
	n := set.N()
	dots = make([]float64, n*n)
	m.products(ctx, dots, set, set, true)
	squares := make([]float64, n)
	for i := range n {
		squares[i] = dots[i*n+i]
		for j := range i {
			dots[i*n+j] = dots[j*n+i]
		}
	}
	scaleDots(dots, squares, squares)
	return dots, unitsOf(squares)
}

// scaleDots divides inner products by the lengths of both vectors. For equal vectors the result is 1, without rounding.
func scaleDots(dots, a, b []float64) {
	for i, x := range a {
		for j, y := range b {
			if dot := &dots[i*len(b)+j]; *dot > 0 {
				*dot /= math.Sqrt(x * y)
			}
		}
	}
}

// unitsOf returns ‖φ‖², 1 where a vector is not 0.
func unitsOf(squares []float64) []float64 {
	units := make([]float64, len(squares))
	for i, s := range squares {
		units[i] = min(s, 1)
	}
	return units
}

// products adds the inner products of counts to dst [N, M]. With both strands they are twice as large, which does not
// matter. If both sets are the same, elements with a row up to the column are enough.
func (m *matches) products(ctx context.Context, dst []float64, x, y *Set, upper bool) {
	n := x.N()
	share := func(row int) float64 {
		return float64(x.Start[row]-x.Start[0]+row) / float64(x.Start[n]-x.Start[0]+n)
	}
	for from := 0; from < n; {
		to := from
		for to < n && (to == from || x.Start[to+1]-x.Start[from] <= maxSymbols) {
			to++
		}
		r := m.matcher().windows(x.part(from, to))
		ctx := subrange(ctx, share(from), share(to))
		inBlocks(ctx, y.N(), m.matcher, func(w *matcher, first, end int) {
			last := to
			if upper {
				last = min(to, end)
			}
			w.all(y, first, end, func() {
				for n := from; n < last && ctx.Err() == nil; n++ {
					w.compare(dst[n*y.N():], r, n-from)
				}
			})
		})
		from = to
	}
}

// all takes the windows of the sequences first … end−1, and visits 64 at a time.
func (w *matcher) all(set *Set, first, end int, visit func()) {
	w.clear()
	full := func() {
		w.build()
		visit()
	}
	for i := first; i < end; i++ {
		w.take(set, i, i, full)
	}
	if w.lane > 0 {
		full()
	}
}

// squares returns the inner products of sequences with themselves.
func (m *matches) squares(ctx context.Context, set *Set) []float64 {
	all := make([]float64, set.N())
	type worker struct {
		*matcher
		*scratch
	}
	start := func() worker { return worker{m.matcher(), newScratch(m.space())} }
	f := &Features{Term: m.term, ex: m.gapped}
	inBlocks(ctx, set.N(), start, func(w worker, lo, hi int) {
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			one := set.part(i, i+1)
			if len(set.At(i)) <= maxSelf {
				r := w.matcher.windows(one)
				w.all(one, 0, 1, func() { w.compare(all[i:], r, 0) })
				continue
			}
			f.visit(ctx, w.scratch, one, func(t tally) {
				sum := uint64(0)
				for _, c := range t.counts {
					sum += uint64(c) * uint64(c)
				}
				if m.term.BothStrands { // products look at one strand of x
					sum /= 2
				}
				all[i] = float64(sum)
			})
		}
	})
	return all
}
