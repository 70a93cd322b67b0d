package seq

import (
	"cmp"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/graph"
)

// graphMaps are the maps of package graph.
func graphMaps() (maps []Map) {
	for _, g := range graph.Maps() {
		kind := Graphs
		if g.Trees {
			kind = Trees
		}
		m := Map{Name: g.Name, Meaning: g.Meaning, Example: g.Example, Kinds: []Kind{kind},
			make: func(args []int, _ *Alphabet) (extractor, *SpecError) {
				return &graphFeatures{count: g.Make(args), chains: newTable()}, nil
			}}
		for _, p := range g.Parameters {
			m.Parameters = append(m.Parameters, Parameter(p))
		}
		maps = append(maps, m)
	}
	return maps
}

// graphFeatures are the features of graphs or trees: chains of symbols, those of the training set
// numbered as they come.
type graphFeatures struct {
	count  graph.Counter
	chains *table
	each   bool       // each occurrence of a feature is one of its own
	work   graph.Work // of learn
	found  []repeated // of learn
}

// mostSteps is what a map may look at in a training graph. More would take minutes for each, as
// the pairs of a million nodes do.
var mostSteps uint64 = 1 << 28 // less in tests

// mostChains is how many chains training may have, with room for those to come below 2³¹.
const mostChains = 1 << 30

func (m *graphFeatures) space() uint64 { return 0 }
func (m *graphFeatures) crowded() bool {
	return m.chains.len() > mostChains || m.work.Steps > mostSteps
}
func (m *graphFeatures) tables() []*table { return []*table{m.chains} }

func (m *graphFeatures) learn(x []int32) bool {
	if m.crowded() {
		return false
	}
	m.work.Steps, m.work.Limit = 0, mostSteps
	m.work.Down = func(chain, symbol uint64) uint64 { return uint64(m.chains.put(chain<<32|symbol)) + 1 }
	m.found = m.found[:0]
	m.work.Found = func(feature, times uint64) {
		if m.each {
			m.found = append(m.found, repeated{feature, times})
		}
	}
	m.count(&m.work, x)
	m.found = occurrencesOf(&m.work, m.found)
	return true
}

// repeated is a feature and how often it was found.
type repeated struct{ feature, times uint64 }

// together sorts features and adds up how often each was found.
func together(found []repeated) []repeated {
	slices.SortFunc(found, func(a, b repeated) int { return cmp.Compare(a.feature, b.feature) })
	kept := found[:0]
	for _, f := range found {
		if last := len(kept) - 1; last >= 0 && kept[last].feature == f.feature {
			kept[last].times += f.times
		} else {
			kept = append(kept, f)
		}
	}
	return kept
}

// occurrencesOf are the features that stand for each occurrence of those that were found, of many
// the first ones.
func occurrencesOf(w *graph.Work, found []repeated) []repeated {
	found = together(found)
	for f := range found {
		for i := uint64(2); i <= min(found[f].times, occurrences); i++ {
			found = append(found, repeated{w.Occurrence(found[f].feature, i), 1})
		}
		found[f].times = 1
	}
	return found
}

// list lists the features of x, in the memory of s.
func (m *graphFeatures) list(x []int32, s *scratch) []repeated {
	local := s.levels(1)[0]
	local.reset()
	found := s.found[:0]
	s.graph.Down = func(chain, symbol uint64) uint64 {
		key := chain<<32 | symbol
		if n := m.chains.find(key); n >= 0 {
			return uint64(n) + 1
		}
		return uint64(m.chains.len()+local.put(key)) + 1
	}
	s.graph.Found = func(feature, times uint64) { found = append(found, repeated{feature, times}) }
	m.count(&s.graph, x)
	if m.each {
		found = occurrencesOf(&s.graph, found)
	}
	s.found = together(found)
	return s.found
}

// keys lists each feature once: tally counts.
func (m *graphFeatures) keys(x []int32, s *scratch) {
	for _, f := range m.list(x, s) {
		s.buffer = append(s.buffer, f.feature)
	}
	s.flush(s.buffer)
}

// tally counts a graph by sorting its features. A count that needs more than 32 bits ends there.
func (m *graphFeatures) tally(strands [][]int32, s *scratch) (t tally, ok bool) {
	t = tally{s.tally.keys[:0], s.tally.counts[:0]}
	for _, f := range m.list(strands[0], s) {
		t.keys, t.counts = append(t.keys, f.feature), append(t.counts, uint32(min(f.times, 1<<32-1)))
	}
	s.tally = t
	return t, true
}
