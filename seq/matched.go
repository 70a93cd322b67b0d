package seq

import (
	"context"
	"math"
)

// mostSymbols are those of the sequences whose windows are listed at a time: each takes up to
// twenty bytes.
const mostSymbols = 1 << 20

// mostSelf is the longest sequence that is compared with itself window by window. The time of that
// grows with the square.
const mostSelf = 1 << 12

// dots are ⟨φ(x_n), φ(y_m)⟩ of the sequences lo … hi−1 of a set with all of another [hi−lo, M], and
// ‖φ‖² of the former; squares are those of the latter, before they were scaled. Once ctx is done
// they are worth nothing.
func (m *matches) dots(ctx context.Context, set *Set, lo, hi int, y *Set, squares []float64) (dots, units []float64) {
	dots = make([]float64, (hi-lo)*y.N())
	own := m.squares(phase(ctx, 0, 2), set, lo, hi)
	m.products(phase(ctx, 1, 2), dots, set, lo, hi, y, false)
	m.scale(dots, own, squares)
	return dots, unitsOf(own)
}

// among are the inner products between the sequences of a set [N, N], and their ‖φ‖².
func (m *matches) among(ctx context.Context, set *Set) (dots, units []float64) {
	n := set.N()
	dots = make([]float64, n*n)
	m.products(ctx, dots, set, 0, n, set, true)
	own := make([]float64, n)
	for i := range n {
		own[i] = dots[i*n+i]
		for j := range i {
			dots[i*n+j] = dots[j*n+i]
		}
	}
	m.scale(dots, own, own)
	return dots, unitsOf(own)
}

// scale divides inner products by the lengths of both vectors. Those of equal vectors are 1,
// without rounding.
func (m *matches) scale(dots, a, b []float64) {
	for i, x := range a {
		for j, y := range b {
			if dot := &dots[i*len(b)+j]; *dot > 0 {
				*dot /= math.Sqrt(x * y)
			}
		}
	}
}

// unitsOf are ‖φ‖², 1 where a vector is not 0.
func unitsOf(squares []float64) []float64 {
	units := make([]float64, len(squares))
	for i, s := range squares {
		units[i] = min(s, 1)
	}
	return units
}

// products adds the inner products of counts to dst [hi−lo, M]; of both strands they are twice as
// much, which does not matter. Where both are the same set, those with a row up to the column are
// enough.
func (m *matches) products(ctx context.Context, dst []float64, x *Set, lo, hi int, y *Set, upper bool) {
	symbols, all := 0, x.Start[hi]-x.Start[lo]+1
	for from := lo; from < hi; {
		to := from
		for to < hi && (to == from || x.Start[to+1]-x.Start[from] <= mostSymbols) {
			to++
		}
		r := m.matcher().windows(x, from, to)
		ctx := between(ctx, float64(symbols)/float64(all), float64(x.Start[to]-x.Start[lo]+1)/float64(all))
		inBlocks(ctx, y.N(), func() (struct{}, func(first, end int)) {
			w := m.matcher()
			return struct{}{}, func(first, end int) {
				last := to
				if upper {
					last = min(to, end)
				}
				w.all(y, first, end, func() {
					for n := from; n < last && ctx.Err() == nil; n++ {
						w.compare(dst[(n-lo)*y.N():], r, n-from)
					}
				})
			}
		})
		symbols, from = x.Start[to]-x.Start[lo]+1, to
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

// squares are the inner products of sequences with themselves.
func (m *matches) squares(ctx context.Context, set *Set, lo, hi int) []float64 {
	all := make([]float64, hi-lo)
	inBlocks(ctx, hi-lo, func() (struct{}, func(from, to int)) {
		w, s, f := m.matcher(), newScratch(m.space()), &Features{Term: m.term, ex: m.gapped}
		return struct{}{}, func(from, to int) {
			for i := lo + from; i < lo+to && ctx.Err() == nil; i++ {
				if len(set.At(i)) <= mostSelf {
					r := w.windows(set, i, i+1)
					one := &Set{Alphabet: set.Alphabet, Codes: set.Codes, Start: set.Start[i : i+2]}
					w.all(one, 0, 1, func() { w.compare(all[i-lo:], r, 0) })
					continue
				}
				f.visit(ctx, s, set, i, i+1, func(t tally) {
					sum := uint64(0)
					for _, c := range t.counts {
						sum += uint64(c) * uint64(c)
					}
					if m.term.Both { // products look at one strand of x
						sum /= 2
					}
					all[i-lo] = float64(sum)
				})
			}
		}
	})
	return all
}
