package seq

import (
	"math"
	"slices"
)

// Features are the features of a training set under one term: its columns, and their weights.
type Features struct {
	Term     Term
	Alphabet *Alphabet

	ex      extractor
	column  *table    // key → column, in ascending order of keys; nil: by dense
	dense   []int32   // key → column, −1 where there is none
	width   int       // columns
	idf     []float64 // by column; nil: no tf-idf
	unknown float64   // idf of a feature that no training sequence has
}

// Fit numbers the features of the training sequences. An error is a *SpecError: a map that is
// not for this alphabet, or too many possible features.
//
// With tf-idf a feature of f of the N sequences weighs log((1+N)/(1+f)) + 1.
func Fit(t Term, train *Set) (*Features, error) {
	f := &Features{Term: t, Alphabet: train.Alphabet}
	var err *SpecError
	if f.ex, err = t.extractor(train.Alphabet); err != nil {
		return nil, err
	}
	var folded []int32
	for i := range train.N() {
		folded = f.fold(folded, train.At(i))
		if !f.ex.learn(f.folded(folded, train.At(i))) {
			break
		}
	}
	if f.ex.crowded() {
		return nil, tooWide(t.Map, train.Alphabet)
	}
	keys, rows := f.survey(train)
	f.number(keys)
	if t.TFIDF {
		n := float64(1 + train.N())
		f.unknown = math.Log(n) + 1
		f.idf = make([]float64, len(keys))
		for c, r := range rows {
			f.idf[c] = math.Log(n/float64(1+r)) + 1
		}
	}
	return f, nil
}

// Width is the number of columns.
func (f *Features) Width() int { return f.width }

// fold writes x without capitals into dst where the term says so.
func (f *Features) fold(dst, x []int32) []int32 {
	if !f.Term.Fold {
		return dst
	}
	dst = append(dst[:0], x...)
	for i, c := range dst {
		if c >= 'a' && c <= 'z' {
			dst[i] = c &^ 0x20
		}
	}
	return dst
}

func (f *Features) folded(folded, x []int32) []int32 {
	if f.Term.Fold {
		return folded
	}
	return x
}

// visit counts the features of each of the sequences lo … hi−1, which then must drain.
func (f *Features) visit(s *scratch, set *Set, lo, hi int, then func(c *counter)) {
	var folded []int32
	for i := lo; i < hi; i++ {
		folded = f.fold(folded, set.At(i))
		f.ex.keys(f.folded(folded, set.At(i)), s)
		then(&s.count)
	}
}

// survey lists the keys of all sequences in ascending order, and in how many each occurs.
func (f *Features) survey(set *Set) (keys []uint64, rows []uint32) {
	space := f.ex.space()
	total := newCounter(space) // of rows
	counters := inBlocks(set.N(), func() (*counter, func(lo, hi int)) {
		found, s := newCounter(space), newScratch(space)
		return &found, func(lo, hi int) {
			f.visit(s, set, lo, hi, func(c *counter) {
				c.drain(func(key uint64, _ uint32) { found.addTimes(key, 1) })
			})
		}
	})
	for _, c := range counters {
		c.drain(total.addTimes)
	}
	type entry struct {
		key  uint64
		rows uint32
	}
	var all []entry
	total.drain(func(key uint64, n uint32) { all = append(all, entry{key, n}) })
	slices.SortFunc(all, func(a, b entry) int {
		if a.key < b.key {
			return -1
		}
		return 1
	})
	for _, e := range all {
		keys, rows = append(keys, e.key), append(rows, e.rows)
	}
	return keys, rows
}

// number gives the keys, in ascending order, their columns.
func (f *Features) number(keys []uint64) {
	f.width = len(keys)
	if space := f.ex.space(); space > 0 && space <= denseSpace {
		f.dense = make([]int32, space)
		for k := range f.dense {
			f.dense[k] = -1
		}
		for c, k := range keys {
			f.dense[k] = int32(c)
		}
		return
	}
	f.column = newTable()
	for _, k := range keys {
		f.column.put(k)
	}
}

// columnOf is the column of key, or −1.
func (f *Features) columnOf(key uint64) int {
	if f.dense != nil {
		return int(f.dense[key])
	}
	return f.column.find(key)
}

// value is what a feature counted n times is worth, before the vector is scaled to unit length.
func (f *Features) value(key uint64, column int, n uint32) float64 {
	v := float64(n)
	switch f.Term.Counts {
	case Root:
		v = math.Sqrt(v)
	case Log:
		v = math.Log1p(v)
	case Presence:
		v = 1
	}
	v *= f.ex.weight(key)
	switch {
	case f.idf == nil:
	case column < 0:
		v *= f.unknown
	default:
		v *= f.idf[column]
	}
	return v
}

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
		w := &filler{f: f, s: newScratch(f.ex.space())}
		return struct{}{}, func(lo, hi int) {
			p := &parts[lo/rowBlock]
			f.visit(w.s, set, lo, hi, func(c *counter) { w.fill(p, c) })
		}
	})
	return join(parts, n, f.width)
}

// part is the rows of one block.
type part struct {
	ends   []int
	column []int32
	value  []float64
	square []float64
}

// filler makes rows out of counts.
type filler struct {
	f              *Features
	s              *scratch
	entries, spare []uint64 // column<<32 | count
	keys           []uint64
}

func (w *filler) fill(p *part, c *counter) {
	f := w.f
	w.entries = w.entries[:0]
	square := 0.0 // of the features without a column
	c.drain(func(key uint64, n uint32) {
		if column := f.columnOf(key); column >= 0 {
			w.entries = append(w.entries, uint64(column)<<32|uint64(n))
		} else {
			v := f.value(key, -1, n)
			square += v * v
		}
	})
	w.entries, w.spare = sortByColumn(w.entries, w.spare, f.width)
	from := len(p.value)
	for _, e := range w.entries {
		column := int(e >> 32)
		v := f.value(f.keyOf(column), column, uint32(e))
		square += v * v
		p.column, p.value = append(p.column, int32(column)), append(p.value, v)
	}
	one := 0.0
	if square > 0 {
		one = 1
		scale := 1 / math.Sqrt(square)
		for i := range p.value[from:] {
			p.value[from+i] *= scale
		}
	}
	p.square = append(p.square, one)
	p.ends = append(p.ends, len(p.value))
}

// keyOf is the key of a column, where weights ask for it.
func (f *Features) keyOf(column int) uint64 {
	if f.column == nil {
		return 0
	}
	return f.column.keys[column]
}
