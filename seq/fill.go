package seq

import (
	"math"
	"slices"
)

// Rows counts the features of a set: row i is φ(sequence i), of unit length with the
// features that have no column. The set's codes must mean what those of the training set mean.
// The result does not depend on the number of goroutines.
func (f *Features) Rows(set *Set) *Rows {
	if !set.Alphabet.Same(f.Alphabet) {
		panic("seq: a set over another alphabet")
	}
	n := set.N()
	parts := make([]part, (n+rowBlock-1)/rowBlock)
	inBlocks(n, func() (struct{}, func(lo, hi int)) {
		w, s := &filler{f: f}, newScratch(f.ex.space())
		return struct{}{}, func(lo, hi int) {
			w.part = w.part.emptied()
			f.visit(s, set, lo, hi, w.fill)
			parts[lo/rowBlock] = w.part.clone()
		}
	})
	return f.join(parts, n)
}

// part is the rows of one block, in counts.
type part struct {
	ends   []int
	column []int32
	count  []uint32
	scale  []float64 // of each row; 0 where it is empty
}

func (p *part) emptied() part { return part{p.ends[:0], p.column[:0], p.count[:0], p.scale[:0]} }

func (p *part) clone() part {
	return part{slices.Clone(p.ends), slices.Clone(p.column), slices.Clone(p.count), slices.Clone(p.scale)}
}

// filler makes rows out of counts.
type filler struct {
	f      *Features
	part   part
	column []int32
	value  []float64
}

func (w *filler) fill(t tally) {
	f, p, from, n := w.f, &w.part, len(w.part.column), 0
	w.column = f.columns.of(w.column, t.keys)
	p.column, p.count = slices.Grow(p.column, len(t.keys)), slices.Grow(p.count, len(t.keys))
	columns, counts := p.column[from:from+len(t.keys)], p.count[from:from+len(t.keys)]
	square := 0.0
	for i, column := range w.column {
		c := t.counts[i]
		if columns[n], counts[n] = column, c; column >= 0 {
			n++
		} else {
			v := f.stray(t.keys[i], c)
			square += v * v
		}
	}
	w.value = slices.Grow(w.value[:0], n)[:n]
	f.values(w.value, columns[:n], counts[:n], 1)
	square += squares(w.value)
	scale := 0.0
	if square > 0 {
		scale = 1 / math.Sqrt(square)
	}
	p.column, p.count = p.column[:from+n], p.count[:from+n]
	p.scale, p.ends = append(p.scale, scale), append(p.ends, from+n)
}

// squares is Σ x², in four sums that do not wait for each other.
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

// join puts the parts of n rows behind each other.
func (f *Features) join(parts []part, n int) *Rows {
	r := &Rows{Width: f.Width(), Start: make([]int, n+1), Square: make([]float64, n)}
	total := 0
	for i, p := range parts {
		for j, end := range p.ends {
			r.Start[i*rowBlock+j+1] = total + end
			if p.scale[j] > 0 {
				r.Square[i*rowBlock+j] = 1
			}
		}
		total += len(p.column)
	}
	r.Column, r.Value = make([]int32, total), make([]float64, total)
	inBlocks(n, func() (struct{}, func(lo, hi int)) {
		return struct{}{}, func(lo, hi int) {
			p := &parts[lo/rowBlock]
			copy(r.Column[r.Start[lo]:], p.column)
			from, values := 0, r.Value[r.Start[lo]:r.Start[hi]]
			for j, end := range p.ends {
				f.values(values[from:end], p.column[from:end], p.count[from:end], p.scale[j])
				from = end
			}
			*p = part{} // may be collected while the rest is filled
		}
	})
	return r
}
