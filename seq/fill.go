package seq

import (
	"context"
	"math"
	"slices"
)

// Rows counts the features of a set: row i is φ(sequence i), which has unit length with the features that have no
// column, or has the counts themselves under Tanimoto. The set's codes must have the same meaning as the codes of the
// training set. The result does not depend on the number of goroutines.
func (f *Features) Rows(set *Set) *SparseRows { return f.rows(context.Background(), set) }

// rows does as Rows does, and returns nil once ctx is done.
func (f *Features) rows(ctx context.Context, set *Set) *SparseRows {
	if !set.Alphabet.same(f.Alphabet) {
		panic("seq: a set over another alphabet")
	}
	n := set.N()
	parts := make([]SparseRows, (n+rowBlock-1)/rowBlock)
	f.each(ctx, set, func(first int, rows *SparseRows) { parts[first/rowBlock] = rows.clone() })
	if ctx.Err() != nil {
		return nil
	}
	r := f.join(ctx, parts, n)
	if ctx.Err() != nil {
		return nil
	}
	return r
}

// each visits the rows of a set in blocks, of which first is the first row. Several goroutines do so, and each
// overwrites its rows by the rows of its next block, since all rows may take much more memory than the sequences. Once
// ctx is done it visits no more blocks.
func (f *Features) each(ctx context.Context, set *Set, then func(first int, rows *SparseRows)) {
	start := func() *filler { return &filler{f: f, scratch: newScratch(f.ex.space())} }
	inBlocks(ctx, set.N(), start, func(w *filler, lo, hi int) {
		if w.fill(ctx, set.part(lo, hi)); ctx.Err() == nil {
			then(lo, &w.rows)
		}
	})
}

// filler makes rows out of counts.
type filler struct {
	f       *Features
	scratch *scratch
	rows    SparseRows
}

// fill makes the rows of a set.
func (w *filler) fill(ctx context.Context, set *Set) {
	r := &w.rows
	*r = SparseRows{w.f.width(), append(r.Start[:0], 0), r.Column[:0], r.Value[:0], r.Square[:0]}
	w.f.visit(ctx, w.scratch, set, w.add)
}

// add adds the row of a tally, whose counts it may overwrite.
func (w *filler) add(t tally) {
	f := w.f
	r := &w.rows
	from := len(w.rows.Column)
	n := len(t.keys)
	r.Column, r.Value = slices.Grow(r.Column, n)[:from+n], slices.Grow(r.Value, n)[:from+n]
	columns, values, counts := r.Column[from:], r.Value[from:], t.counts
	strays := f.columns.lookup(columns, t.keys)
	square := 0.0
	if f.factor == nil { // features without a column count as all others do
		square = f.squaredNorm(values, nil, counts)
	} else if strays {
		for i, column := range columns {
			if column < 0 {
				v := f.unknownValue(t.keys[i], counts[i])
				square += v * v
			}
		}
	}
	if strays {
		n = keep(columns, counts)
		columns, values, counts = columns[:n], values[:n], counts[:n]
	}
	if f.factor != nil {
		square += f.squaredNorm(values, columns, counts)
	}
	scale, norm := f.Term.normalise(square)
	f.values(values, columns, counts, scale)
	r.Column, r.Value = r.Column[:from+n], r.Value[:from+n]
	r.Start, r.Square = append(r.Start, from+n), append(r.Square, norm)
}

// keep moves the columns that are not −1 and their counts to the front, and returns how many there are. It does not
// branch on a column: a processor cannot predict whether it stays.
func keep(columns []int32, counts []uint32) (n int) {
	counts = counts[:len(columns)]
	for i, column := range columns {
		columns[n], counts[n] = column, counts[i]
		n += int(^uint32(column) >> 31)
	}
	return n
}

// squaredNorm returns Σ v² of the values of columns with these counts, which it writes to dst.
func (f *Features) squaredNorm(dst []float64, columns []int32, counts []uint32) float64 {
	f.values(dst, columns, counts, 1)
	return squares(dst)
}

// countValue returns Term.countValue(n), from a table for small n.
func (f *Features) countValue(n uint32) float64 {
	if n < uint32(len(f.countValues)) {
		return f.countValues[n]
	}
	return f.Term.countValue(int(n))
}

// squares returns Σ x², in four sums that do not depend on each other.
func squares(x []float64) float64 {
	var sum [4]float64
	for ; len(x) >= 4; x = x[4:] {
		sum[0] += x[0] * x[0]
		sum[1] += x[1] * x[1]
		sum[2] += x[2] * x[2]
		sum[3] += x[3] * x[3]
	}
	for _, v := range x {
		sum[0] += v * v
	}
	return sum[0] + sum[1] + (sum[2] + sum[3])
}

// normalise returns the factor of a row's values, whose squares add up to square, and the row's ‖φ‖² after it.
func (t Term) normalise(square float64) (scale, norm float64) {
	switch {
	case t.Counts == Tanimoto:
		return 1, square
	case square > 0:
		return 1 / math.Sqrt(square), 1
	}
	return 0, 0
}

// join puts the parts of n rows one after the other, until ctx is done.
func (f *Features) join(ctx context.Context, parts []SparseRows, n int) *SparseRows {
	r := &SparseRows{Width: f.width(), Start: make([]int, 1, n+1), Square: make([]float64, 0, n)}
	total := 0
	for _, p := range parts {
		for _, end := range p.Start[1:] {
			r.Start = append(r.Start, total+end)
		}
		r.Square = append(r.Square, p.Square...)
		total += len(p.Column)
	}
	r.Column, r.Value = make([]int32, total), make([]float64, total)
	eachBlock(ctx, n, func(lo, hi int) {
		p := &parts[lo/rowBlock]
		copy(r.Column[r.Start[lo]:], p.Column)
		copy(r.Value[r.Start[lo]:], p.Value)
		*p = SparseRows{} // may be collected while the rest is filled
	})
	return r
}
