package seq

import "slices"

// State is what Fit has learnt from training sequences, for a model file: Restore makes the
// Features again. Only features with tf-idf, or those of a Projection, need it; others are the same
// when they are fitted to the sequences that they are compared with.
type State struct {
	// the numbered k-mers or runs of words of the map, each in order; none where numbers are by
	// formula
	Tables [][]uint64
	Keys   []uint64 // features by column, ascending
	Rows   []uint32 // in how many training sequences each occurs
	N      int      // training sequences
}

// learner is an extractor with tables that training sequences have filled.
type learner interface{ tables() []*table }

func (g *grams) learnt() []*table         { return g.tables }
func (m *wordRuns) tables() []*table      { return []*table{m.tree} }
func (m *pairs) tables() []*table         { return m.g.learnt() }
func (m *triples) tables() []*table       { return m.g.learnt() }
func (m *spectra) tables() (all []*table) { return tablesOf(m.g) }
func (m *degrees) tables() (all []*table) { return tablesOf(m.g) }

func tablesOf(all []*grams) (tables []*table) {
	for _, g := range all {
		tables = append(tables, g.learnt()...)
	}
	return tables
}

// state is a copy of what was learnt.
func (f *Features) state() *State {
	s := &State{Keys: f.found.keys, Rows: f.found.counts, N: f.n}
	if l, ok := f.ex.(learner); ok {
		for _, t := range l.tables() {
			s.Tables = append(s.Tables, slices.Clone(t.keys))
		}
	}
	return s
}

// restore makes features again. It is a *SpecError if the state is not one of this term and
// alphabet.
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
