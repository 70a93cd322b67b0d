package seq

import (
	"context"
	"math"
	"slices"
)

// Rows counts the features of a set: row i is φ(sequence i), which has unit length with the
// features that have no column, or has the counts themselves under Tanimoto. The set's codes must
// mean what those of the training set mean. The result does not depend on the number of goroutines.
func (f *Features) Rows(set *Set) *SparseRows { return f.rows(context.Background(), set) }

// rows is like Rows, and returns nil once ctx is done.
func (f *Features) rows(ctx context.Context, set *Set) *SparseRows {
	if !set.Alphabet.same(f.Alphabet) {
		panic("seq: a set over another alphabet")
	}
	n := set.N()
	parts := make([]part, (n+rowBlock-1)/rowBlock)
	inBlocks(ctx, n, f.filler, func(w *filler, lo, hi int) {
		w.count(ctx, set.part(lo, hi))
		parts[lo/rowBlock] = w.part.clone()
	})
	r := f.join(ctx, parts, n)
	if ctx.Err() != nil {
		return nil
	}
	return r
}

// part is the rows of one block, in counts.
type part struct {
	ends   []int
	column []int32
	count  []uint32
	square []float64 // Σ v² of each row, with the features that have no column
}

func (p *part) clone() part {
	return part{slices.Clone(p.ends), slices.Clone(p.column), slices.Clone(p.count), slices.Clone(p.square)}
}

// filler makes rows out of counts.
type filler struct {
	f       *Features
	scratch *scratch
	part    part
	value   []float64
	rows    SparseRows
}

func (f *Features) filler() *filler { return &filler{f: f, scratch: newScratch(f.ex.space())} }

// count makes the part of a set.
func (w *filler) count(ctx context.Context, set *Set) {
	w.part = part{w.part.ends[:0], w.part.column[:0], w.part.count[:0], w.part.square[:0]}
	w.f.visit(ctx, w.scratch, set, w.fill)
}

func (w *filler) fill(t tally) {
	f, p, from, n := w.f, &w.part, len(w.part.column), len(t.keys)
	p.column, p.count = slices.Grow(p.column, n)[:from+n], slices.Grow(p.count, n)[:from+n]
	columns, counts := p.column[from:], p.count[from:]
	strays := f.columns.lookup(columns, t.keys)
	square := 0.0
	if f.factor == nil { // strays count as all others do
		square = w.squaredNorm(nil, t.counts)
	} else if strays {
		for i, column := range columns {
			if column < 0 {
				v := f.unknownValue(t.keys[i], t.counts[i])
				square += v * v
			}
		}
	}
	if strays {
		n = keep(columns, counts, t.counts)
	} else {
		copy(counts, t.counts)
	}
	if f.factor != nil {
		square += w.squaredNorm(columns[:n], counts[:n])
	}
	p.column, p.count = p.column[:from+n], p.count[:from+n]
	p.square, p.ends = append(p.square, square), append(p.ends, from+n)
}

// keep moves the columns that are not −1 to the front, writes their counts, and returns how many
// there are. It does not branch on a column: a processor cannot predict whether it stays.
func keep(columns []int32, dst, counts []uint32) (n int) {
	dst, counts = dst[:len(columns)], counts[:len(columns)]
	for i, column := range columns {
		columns[n], dst[n] = column, counts[i]
		n += int(^uint32(column) >> 31)
	}
	return n
}

// squaredNorm returns Σ v² of the values of columns with these counts.
func (w *filler) squaredNorm(columns []int32, counts []uint32) float64 {
	w.value = slices.Grow(w.value[:0], len(counts))[:len(counts)]
	w.f.values(w.value, columns, counts, 1)
	return squares(w.value)
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

// each visits the rows of a set in blocks, of which first is the first row. Several
// goroutines do so, and rows are overwritten by their next block: nothing is kept of what may be
// much more than the sequences. Once ctx is done it visits no more.
func (f *Features) each(ctx context.Context, set *Set, then func(first int, rows *SparseRows)) {
	inBlocks(ctx, set.N(), f.filler, func(w *filler, lo, hi int) {
		if w.count(ctx, set.part(lo, hi)); ctx.Err() == nil {
			then(lo, w.weightedRows())
		}
	})
}

// weightedRows computes the values of the part's rows. They share the part's columns.
func (w *filler) weightedRows() *SparseRows {
	p, r := &w.part, &w.rows
	r.Width, r.Column = w.f.width(), p.column
	r.Start, r.Square = append(r.Start[:0], 0), r.Square[:0]
	r.Start = append(r.Start, p.ends...)
	r.Value = slices.Grow(r.Value[:0], len(p.column))[:len(p.column)]
	for i, square := range p.square {
		from, to := r.Start[i], r.Start[i+1]
		scale, norm := w.f.Term.normalise(square)
		w.f.values(r.Value[from:to], p.column[from:to], p.count[from:to], scale)
		r.Square = append(r.Square, norm)
	}
	return r
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

// join puts the parts of n rows behind each other, until ctx is done.
func (f *Features) join(ctx context.Context, parts []part, n int) *SparseRows {
	r := &SparseRows{Width: f.width(), Start: make([]int, n+1), Square: make([]float64, n)}
	total := 0
	for i, p := range parts {
		for j, end := range p.ends {
			r.Start[i*rowBlock+j+1] = total + end
			_, r.Square[i*rowBlock+j] = f.Term.normalise(p.square[j])
		}
		total += len(p.column)
	}
	r.Column, r.Value = make([]int32, total), make([]float64, total)
	eachBlock(ctx, n, func(lo, hi int) {
		p := &parts[lo/rowBlock]
		copy(r.Column[r.Start[lo]:], p.column)
		from, values := 0, r.Value[r.Start[lo]:r.Start[hi]]
		for j, end := range p.ends {
			scale, _ := f.Term.normalise(p.square[j])
			f.values(values[from:end], p.column[from:end], p.count[from:end], scale)
			from = end
		}
		*p = part{} // may be collected while the rest is filled
	})
	return r
}
