package seq

import (
	"cmp"
	"math"
	"slices"
)

// Features are the features of a training set under one term: its columns, and their weights.
type Features struct {
	Term     Term
	Alphabet *Alphabet

	ex      extractor
	weight  func(key uint64) float64 // nil: 1
	factors bool                     // weights or idf
	worth   [256]float64             // of a count, by Term.Counts
	column  *table                   // key → column, in ascending order of keys; nil: by dense
	dense   []int32                  // key → column, −1 where there is none
	width   int                      // columns
	idf     []float64                // by column; nil: no tf-idf
	unknown float64                  // idf of a feature that no training sequence has
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
	if w, ok := f.ex.(weighted); ok {
		f.weight = w.weight
	}
	f.factors = f.weight != nil || t.TFIDF
	for n := range f.worth {
		f.worth[n] = t.worth(n)
	}
	var p prepared
	for i := range train.N() {
		if !f.ex.learn(p.of(t, train.At(i))) {
			break
		}
		if t.Both {
			f.ex.learn(p.otherStrand(train.At(i)))
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

// visit counts the features of each of the sequences lo … hi−1 into s.keys and s.counts.
func (f *Features) visit(s *scratch, set *Set, lo, hi int, then func(ascending bool)) {
	var p prepared
	for i := lo; i < hi; i++ {
		s.begin()
		f.ex.keys(p.of(f.Term, set.At(i)), s)
		if f.Term.Both {
			f.ex.keys(p.otherStrand(set.At(i)), s)
		}
		var ascending bool
		s.keys, s.counts, ascending = s.count.drain(s.keys[:0], s.counts[:0])
		then(ascending)
	}
}

// survey lists the keys of all sequences in ascending order, and in how many each occurs.
func (f *Features) survey(set *Set) (keys []uint64, rows []uint32) {
	space := f.ex.space()
	found := inBlocks(set.N(), func() (*counter, func(lo, hi int)) {
		found, s := newCounter(space), newScratch(space)
		return &found, func(lo, hi int) {
			f.visit(s, set, lo, hi, func(bool) { found.add(s.keys) })
		}
	})
	total := newTable()
	for _, c := range found {
		keys, counts, _ := c.drain(nil, nil)
		for i, k := range keys {
			n := total.put(k)
			if n == len(rows) {
				rows = append(rows, 0)
			}
			rows[n] += counts[i]
		}
	}
	order := make([]int, total.len())
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(total.keys[a], total.keys[b]) })
	keys, sorted := make([]uint64, len(order)), make([]uint32, len(order))
	for c, n := range order {
		keys[c], sorted[c] = total.keys[n], rows[n]
	}
	return keys, sorted
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

// worth is what a feature counted n times is worth.
func (t Term) worth(n int) float64 {
	switch t.Counts {
	case Root:
		return math.Sqrt(float64(n))
	case Log:
		return math.Log1p(float64(n))
	case Presence:
		return float64(min(n, 1))
	}
	return float64(n)
}

// value is what a feature counted n times is worth, before the vector is scaled to unit length. column is −1
// where it has none.
func (f *Features) value(key uint64, column int, n uint32) float64 {
	if n < uint32(len(f.worth)) && !f.factors {
		return f.worth[n]
	}
	v := f.Term.worth(int(n))
	if f.weight != nil {
		v *= f.weight(key)
	}
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
			w.part.empty()
			f.visit(w.s, set, lo, hi, w.fill)
			parts[lo/rowBlock] = w.part.clone()
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

func (p *part) empty() {
	p.ends, p.column, p.value, p.square = p.ends[:0], p.column[:0], p.value[:0], p.square[:0]
}

func (p *part) clone() part {
	return part{slices.Clone(p.ends), slices.Clone(p.column), slices.Clone(p.value), slices.Clone(p.square)}
}

// filler makes rows out of counts.
type filler struct {
	f              *Features
	s              *scratch
	part           part
	entries, spare []uint64 // column<<32 | number of the key in s.keys
}

func (w *filler) fill(ascending bool) {
	f, p, keys, counts := w.f, &w.part, w.s.keys, w.s.counts
	w.entries = w.entries[:0]
	square := 0.0
	from := len(p.value)
	p.column, p.value = slices.Grow(p.column, len(keys)), slices.Grow(p.value, len(keys))
	for i, key := range keys {
		column := f.columnOf(key)
		if column >= 0 && !ascending {
			w.entries = append(w.entries, uint64(column)<<32|uint64(i))
			continue
		}
		v := f.value(key, column, counts[i])
		square += v * v
		if column >= 0 {
			p.column, p.value = append(p.column, int32(column)), append(p.value, v)
		}
	}
	w.entries, w.spare = sortByColumn(w.entries, w.spare, f.width)
	for _, e := range w.entries {
		i, column := uint32(e), int(e>>32)
		v := f.value(keys[i], column, counts[i])
		square += v * v
		p.column, p.value = append(p.column, int32(column)), append(p.value, v)
	}
	one := 0.0
	if square > 0 {
		one = 1
		scale := 1 / math.Sqrt(square)
		row := p.value[from:]
		for i := range row {
			row[i] *= scale
		}
	}
	p.square = append(p.square, one)
	p.ends = append(p.ends, len(p.value))
}
