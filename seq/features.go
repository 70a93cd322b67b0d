package seq

import (
	"context"
	"math"
	"slices"
	"sync/atomic"
)

// Features are the features of a training set under one term: its columns, and their weights.
type Features struct {
	Term     Term
	Alphabet *Alphabet

	ex          extractor
	weight      func(key uint64) float64 // weight of a feature; nil: all are 1
	columns     *columns                 // columns, ascending as the keys
	countValues [256]float64             // value of each small count, by Term.Counts
	factor      []float64                // factor of each column: weight and idf; nil: all are 1
	unknown     float64                  // idf of a feature that no training sequence has, or 1

	found tally // the features by column, and in how many of the n training sequences each occurs
	n     int
}

// Fit numbers the features of the training sequences. An error is a *SpecError: a map that is not for this alphabet, or
// too many possible features; or the error of ctx, once it is done.
//
// With tf-idf a feature of f of the N sequences weighs log((1+N)/(1+f)) + 1.
func Fit(ctx context.Context, t Term, train *Set) (*Features, error) {
	f, err := newFeatures(t, train.Alphabet)
	if err != nil {
		return nil, err
	}
	if err := (Spec{t}).Fits(ctx, train); err != nil {
		return nil, err
	}
	var p prepared
	for i := range train.N() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !f.ex.learn(p.fold(t, train.At(i))) {
			break
		}
		if t.BothStrands {
			f.ex.learn(p.otherStrand(train.At(i)))
		}
	}
	if f.ex.crowded() {
		return nil, tooWide(t.Map, train.Alphabet)
	}
	found := f.documentFrequencies(ctx, train)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f.complete(found, train.N())
	return f, nil
}

// newFeatures returns Features that no sequence has filled yet.
func newFeatures(t Term, a *Alphabet) (*Features, error) {
	f := &Features{Term: t, Alphabet: a, unknown: 1}
	var err *SpecError
	if f.ex, err = t.extractor(a); err != nil {
		return nil, err
	}
	if d, ok := f.ex.(*degrees); ok {
		f.weight = d.weight
	}
	for n := range f.countValues {
		f.countValues[n] = t.countValue(n)
	}
	return f, nil
}

// complete numbers the columns of the features of n training sequences, and fills factor.
func (f *Features) complete(found tally, n int) {
	f.found, f.n = found, n
	f.columns = newColumns(found.keys, f.ex.space())
	if f.weight == nil && !f.Term.TFIDF {
		return
	}
	f.factor = make([]float64, len(found.keys))
	idf := func(rows uint32) float64 { return 1 }
	if f.Term.TFIDF {
		idf = func(rows uint32) float64 { return math.Log(float64(1+n)/float64(1+rows)) + 1 }
		f.unknown = idf(0)
	}
	for c, key := range found.keys {
		f.factor[c] = idf(found.counts[c])
		if f.weight != nil {
			f.factor[c] *= f.weight(key)
		}
	}
}

func (f *Features) width() int { return f.columns.width }

// visit counts the features of each sequence, until ctx is done.
func (f *Features) visit(ctx context.Context, s *scratch, set *Set, then func(tally)) {
	itself, _ := f.ex.(counting)
	strands := make([][]int32, 1, 2)
	for i := 0; i < set.N() && ctx.Err() == nil; i++ {
		strands = append(strands[:0], s.codes.fold(f.Term, set.At(i)))
		if f.Term.BothStrands {
			strands = append(strands, s.other.otherStrand(set.At(i)))
		}
		if itself != nil {
			if t, ok := itself.tally(strands, s); ok {
				then(t)
				continue
			}
		}
		s.begin()
		for _, x := range strands {
			f.ex.keys(x, s)
		}
		then(s.count.drain())
	}
}

// countEmpty counts the sequences without any feature.
func (f *Features) countEmpty(ctx context.Context, set *Set) int {
	var total atomic.Int64
	inBlocks(ctx, set.N(), func() *scratch { return &scratch{asked: true} }, func(s *scratch, lo, hi int) {
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			s.begin()
			s.any = false
			if f.ex.keys(s.codes.fold(f.Term, set.At(i)), s); !s.any {
				total.Add(1)
			}
		}
	})
	return int(total.Load())
}

// documentFrequencies lists the keys of all sequences in ascending order, and the number of sequences with each. Once
// ctx is done keys may be missing.
func (f *Features) documentFrequencies(ctx context.Context, set *Set) tally {
	space := f.ex.space()
	type worker struct {
		found *counter
		*scratch
	}
	start := func() worker { return worker{newCounter(space), newScratch(space)} }
	workers := inBlocks(ctx, set.N(), start, func(w worker, lo, hi int) {
		f.visit(ctx, w.scratch, set.part(lo, hi), func(t tally) { w.found.add(t.keys) })
	})
	var total tally
	for i := 0; i < len(workers) && ctx.Err() == nil; i++ {
		total = total.merge(workers[i].found.drain())
	}
	return total
}

// countValue returns the value of a feature that occurs n times, by Counts.
func (t Term) countValue(n int) float64 {
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

// values writes the values of features with these counts, times scale.
func (f *Features) values(dst []float64, columns []int32, counts []uint32, scale float64) {
	for i, n := range counts {
		dst[i] = f.countValue(n) * scale
	}
	if f.factor != nil {
		for i, c := range columns {
			dst[i] *= f.factor[c]
		}
	}
}

// unknownValue returns the value of a feature that no training sequence has, and that occurs n times.
func (f *Features) unknownValue(key uint64, n uint32) float64 {
	v := f.countValue(n) * f.unknown
	if f.weight != nil {
		v *= f.weight(key)
	}
	return v
}

// prepared is the memory for a sequence that is folded or reversed.
type prepared struct{ codes []int32 }

// fold returns x in capital letters if the term folds case; else x itself.
func (p *prepared) fold(t Term, x []int32) []int32 {
	if !t.Fold {
		return x
	}
	p.codes = append(p.codes[:0], x...)
	for i, c := range p.codes {
		if c >= 'a' && c <= 'z' {
			p.codes[i] = c &^ 0x20
		}
	}
	return p.codes
}

// otherStrand returns the reverse complement of DNA: A for T, C for G.
func (p *prepared) otherStrand(x []int32) []int32 {
	p.codes = append(p.codes[:0], x...)
	slices.Reverse(p.codes)
	for i, c := range p.codes {
		if c != Unknown {
			p.codes[i] = 3 - c
		}
	}
	return p.codes
}

// State is what Fit has learnt from training sequences, for a model file: Restore makes the Features again. Only
// features with tf-idf, or features of a Projection, need it. Other features are the same when they are fitted to the
// sequences that they are compared with.
type State struct {
	// the numbered k-mers or runs of words of the map, each in order; empty where numbers are by formula
	Tables [][]uint64
	Keys   []uint64 // features by column, ascending
	Rows   []uint32 // number of training sequences with each feature
	N      int      // number of training sequences
}

// learner is an extractor with tables that training sequences have filled.
type learner interface{ tables() []*table }

// state returns a copy of the state learnt in training.
func (f *Features) state() *State {
	s := &State{Keys: f.found.keys, Rows: f.found.counts, N: f.n}
	if l, ok := f.ex.(learner); ok {
		for _, t := range l.tables() {
			s.Tables = append(s.Tables, slices.Clone(t.keys))
		}
	}
	return s
}

// restore makes features again. It returns a *SpecError if the state does not belong to this term and alphabet.
func restore(t Term, a *Alphabet, s *State) (*Features, error) {
	f, err := newFeatures(t, a)
	if err != nil {
		return nil, err
	}
	damaged := specErrorf("%s: the description of the training sequences is damaged", t)
	var tables []*table
	if l, ok := f.ex.(learner); ok {
		tables = l.tables()
	}
	if len(tables) != len(s.Tables) || len(s.Keys) != len(s.Rows) || s.N < 1 {
		return nil, damaged
	}
	for i, keys := range s.Tables {
		for _, k := range keys {
			tables[i].put(k)
		}
		if tables[i].len() != len(keys) {
			return nil, damaged
		}
	}
	for i, k := range s.Keys {
		if space := f.ex.space(); i > 0 && k <= s.Keys[i-1] || space > 0 && k >= space ||
			int(s.Rows[i]) > s.N || s.Rows[i] == 0 {
			return nil, damaged
		}
	}
	f.complete(tally{s.Keys, s.Rows}, s.N)
	return f, nil
}
