package seq

import (
	"cmp"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/graph"
)

func graphMaps() (maps []Map) {
	for _, g := range graph.Maps() {
		kind := Graphs
		if g.Trees {
			kind = Trees
		}
		m := Map{Name: g.Name, Meaning: g.Meaning, Example: g.Example, Kinds: []Kind{kind}, graph: g,
			make: func(args []int, _ *Alphabet) (extractor, *SpecError) {
				return &graphFeatures{count: g.Make(args), trees: g.Trees, chains: newTable()}, nil
			}}
		for _, p := range g.Parameters {
			m.Parameters = append(m.Parameters, Parameter(p))
		}
		maps = append(maps, m)
	}
	return maps
}

// graphFeatures are the features of graphs or trees: chains of symbols. The chains of the training set are numbered as
// they come.
type graphFeatures struct {
	count  graph.Counter
	chains *table
	trees  bool
	each   bool       // each occurrence of a feature is a separate feature
	whole  bool       // features with unknown labels count, too
	codes  []int32    // memory for codes in learn
	work   graph.Work // memory of the counter in learn
	found  []repeated // memory for features in learn
}

// maxChains is the largest number of chains of training. Below 2³¹ it leaves room for chains of later sequences.
const maxChains = 1 << 30

func (g *graphFeatures) space() uint64    { return 0 }
func (g *graphFeatures) crowded() bool    { return g.chains.len() > maxChains }
func (g *graphFeatures) tables() []*table { return []*table{g.chains} }

func (g *graphFeatures) learn(x []int32) bool {
	if g.crowded() {
		return false
	}
	g.work.Down = g.chains.down
	var found repeats
	found.all = g.found[:0]
	g.work.Found = func(feature, times uint64) {}
	if g.each {
		g.work.Found = found.add
	}
	g.count(&g.work, g.labelled(x, &g.codes))
	g.found = occurrencesOf(&g.work, found.merge())
	return true
}

// labelled returns x, or a copy in memory that has a separate label in place of unknown ones.
func (g *graphFeatures) labelled(x []int32, memory *[]int32) []int32 {
	if !g.whole {
		return x
	}
	*memory = graph.MarkUnknown(*memory, x, g.trees)
	return *memory
}

// repeated is a feature and how often it was found.
type repeated struct{ feature, times uint64 }

// repeats are features as they are found. Now and then they are added up, so that their memory does not grow with how
// often they occur.
type repeats struct {
	all []repeated
	few int // length of all after the last time that it was added up
}

const fewRepeats = 1 << 16

func (r *repeats) add(feature, times uint64) {
	if r.all = append(r.all, repeated{feature, times}); len(r.all) > 2*max(r.few, fewRepeats) {
		r.few = len(r.merge())
	}
}

// merge sorts the features, and adds up the counts of equal ones.
func (r *repeats) merge() []repeated {
	slices.SortFunc(r.all, func(a, b repeated) int { return cmp.Compare(a.feature, b.feature) })
	kept := r.all[:0]
	for _, f := range r.all {
		if last := len(kept) - 1; last >= 0 && kept[last].feature == f.feature {
			kept[last].times += f.times
		} else {
			kept = append(kept, f)
		}
	}
	r.all = kept
	return kept
}

// occurrencesOf returns a feature for each occurrence of a feature that was found, up to a limit.
func occurrencesOf(w *graph.Work, found []repeated) []repeated {
	for f := range found {
		for i := uint64(2); i <= min(found[f].times, occurrences); i++ {
			found = append(found, repeated{w.Occurrence(found[f].feature, i), 1})
		}
		found[f].times = 1
	}
	return found
}

// list lists the features of x, in the memory of s.
func (g *graphFeatures) list(x []int32, s *scratch) []repeated {
	local := s.levels(1)[0]
	local.reset()
	found := repeats{all: s.found[:0]}
	s.graph.Down = g.chains.downBeside(local)
	s.graph.Found = found.add
	g.count(&s.graph, g.labelled(x, &s.codes.codes))
	s.found = found.merge()
	if g.each {
		found.all = occurrencesOf(&s.graph, s.found)
		s.found = found.merge()
	}
	return s.found
}

// keys lists each feature once, without its count, which tally has.
func (g *graphFeatures) keys(x []int32, s *scratch) {
	for _, f := range g.list(x, s) {
		s.buffer = append(s.buffer, f.feature)
	}
	s.flush(s.buffer)
}

// tally counts a graph by sorting its features. A count that needs more than 32 bits ends there.
func (g *graphFeatures) tally(strands [][]int32, s *scratch) (t tally, ok bool) {
	t = tally{s.tally.keys[:0], s.tally.counts[:0]}
	for _, f := range g.list(strands[0], s) {
		t.keys, t.counts = append(t.keys, f.feature), append(t.counts, uint32(min(f.times, 1<<32-1)))
	}
	s.tally = t
	return t, true
}
