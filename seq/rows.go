package seq

import (
	"context"
	"slices"
	"sort"
)

// SparseRows are N sparse vectors of one term, by rows: row i has Value[e] in Column[e] for Start[i] ≤ e < Start[i+1],
// columns ascending.
type SparseRows struct {
	Width  int // number of columns
	Start  []int
	Column []int32
	Value  []float64

	// Square is ‖φ‖²: 1, or 0 for a sequence without features; under Tanimoto the number of its features. The stored
	// values of a row may add up to less, since features that no training sequence has are not stored.
	Square []float64
}

// N returns the number of rows.
func (r *SparseRows) N() int { return len(r.Start) - 1 }

func (r *SparseRows) clone() SparseRows {
	return SparseRows{r.Width, slices.Clone(r.Start), slices.Clone(r.Column), slices.Clone(r.Value),
		slices.Clone(r.Square)}
}

// row returns the columns and values of row i.
func (r *SparseRows) row(i int) ([]int32, []float64) {
	return r.Column[r.Start[i]:r.Start[i+1]], r.Value[r.Start[i]:r.Start[i+1]]
}

// within returns r without the columns that no row of z has, and renumbers the others. Products with z are the same,
// and take less memory if z is few of many rows. Square stays.
func (r *SparseRows) within(z *SparseRows) *SparseRows {
	number := make([]int32, r.Width)
	for _, c := range z.Column {
		number[c] = 1
	}
	s := &SparseRows{Start: make([]int, 1, r.N()+1), Square: r.Square}
	for c, used := range number {
		number[c] = -1
		if used > 0 {
			number[c] = int32(s.Width)
			s.Width++
		}
	}
	for i := range r.N() {
		columns, values := r.row(i)
		for e, c := range columns {
			if n := number[c]; n >= 0 {
				s.Column, s.Value = append(s.Column, n), append(s.Value, values[e])
			}
		}
		s.Start = append(s.Start, len(s.Value))
	}
	return s
}

// invertedIndex lists, for each column of M rows, the rows that have it and their values. Products with other rows then
// touch only elements that are not zero in both.
type invertedIndex struct {
	Start  []int   // starts of the columns [Width+1]: column c is elements Start[c] … Start[c+1]−1
	Row    []int32 // row of each element, ascending in a column
	Value  []float64
	Square []float64 // squared norm of each row
}

// invert prepares rows for dots. Once ctx is done the lists are not valid.
func invert(ctx context.Context, r *SparseRows) *invertedIndex {
	return invertEach(ctx, r.Width, func(visit func(*SparseRows)) { visit(r) })
}

// maxKept bounds the numbers of rows in memory. Larger row sets are recounted instead of kept (12 bytes a number).
var maxKept = 1 << 23 // tests set a smaller number

// kept reports whether the rows of the training sequences may be kept.
func (f *Features) kept() bool {
	total := 0
	for _, rows := range f.found.counts {
		total += int(rows)
	}
	return total <= maxKept
}

// inverted prepares the rows of training sequences for dots. If the rows and the lists together would take too much
// memory, the features are counted twice. Once ctx is done it is nil.
func (f *Features) inverted(ctx context.Context, set *Set) *invertedIndex {
	n := set.N()
	pass := 0
	each := func(visit func(*SparseRows)) {
		ctx := subProgress(ctx, pass, 2)
		pass++
		set.eachPart(func(first int, part *Set) {
			if rows := f.rows(subProgress(ctx, first/partSize, (n+partSize-1)/partSize), part); rows != nil {
				visit(rows)
			}
		})
	}
	if f.kept() {
		rows := f.rows(ctx, set)
		if rows == nil {
			return nil
		}
		each = func(visit func(*SparseRows)) { visit(rows) }
	}
	v := invertEach(ctx, f.width(), each)
	if ctx.Err() != nil {
		return nil
	}
	return v
}

// invertEach builds the lists; it calls each twice, which must visit the same rows. Once ctx is done the lists are not
// valid.
func invertEach(ctx context.Context, width int, each func(visit func(*SparseRows))) *invertedIndex {
	v := &invertedIndex{}
	// the elements of c are counted at c+2; after their sum, c begins at start[c+1], which moves on to its end
	start := make([]int, width+2)
	each(func(r *SparseRows) {
		for _, c := range r.Column {
			start[c+2]++
		}
		v.Square = append(v.Square, r.Square...)
	})
	for c := range width {
		start[c+2] += start[c+1]
	}
	v.Start, v.Row, v.Value = start[:width+1], make([]int32, start[width+1]), make([]float64, start[width+1])
	row := int32(0)
	each(func(r *SparseRows) {
		for i := 0; i < r.N() && ctx.Err() == nil; i++ {
			columns, values := r.row(i)
			for e, c := range columns {
				at := &start[c+1]
				v.Row[*at], v.Value[*at] = row, values[e]
				*at++
			}
			row++
		}
	})
	return v
}

// tile is the number of elements of the lists that are used at a time, for all rows, so that they stay in the cache.
const tile = 1 << 14

// dots writes ⟨φ(a_n), φ(b_m)⟩ for the rows lo ≤ n < hi of a into dst [hi−lo, M]. Every sum runs over ascending
// columns, so the result has the same bits for any cut into calls and any number of goroutines. Once ctx is done the
// sums lack columns.
func (v *invertedIndex) dots(ctx context.Context, dst []float64, a *SparseRows, lo, hi int) {
	m, width := len(v.Square), len(v.Start)-1
	clear(dst[:(hi-lo)*m])
	next := slices.Clone(a.Start[lo:hi]) // next element of each row
	for done := 0; done < width && ctx.Err() == nil; {
		end := done + sort.Search(width-done, func(c int) bool { return v.Start[done+c+1]-v.Start[done] > tile })
		done = max(end, done+1)
		for n := lo; n < hi; n++ {
			out := dst[(n-lo)*m : (n-lo+1)*m]
			e, last := next[n-lo], a.Start[n+1]
			for ; e < last && int(a.Column[e]) < done; e++ {
				c, x := a.Column[e], a.Value[e]
				from, to := v.Start[c], v.Start[c+1]
				list := v.Row[from:to]
				other := v.Value[from:to][:len(list)]
				for i, m := range list {
					out[m] += float64(x * other[i]) // rounded by itself, as on every device
				}
			}
			next[n-lo] = e
		}
	}
}

// innerProducts returns the matrix ⟨φ(a_n), φ(b_m)⟩ [N, M], computed by several goroutines.
func innerProducts(a, b *SparseRows) []float64 {
	ctx := context.Background()
	v := invert(ctx, b)
	dst := make([]float64, a.N()*len(v.Square))
	eachBlock(ctx, a.N(), func(lo, hi int) {
		v.dots(ctx, dst[lo*len(v.Square):hi*len(v.Square)], a, lo, hi)
	})
	return dst
}
