package seq

import "github.com/gpdrf/gpdrf-gpu/graph"

// scratch is what one goroutine needs to list features.
type scratch struct {
	buffer []uint64
	grams  []int64  // numbers of k-mers
	local  []*table // k-mers that training did not have, a table for each length
	count  *counter

	asked, any bool // whether a sequence has any feature is all that is asked, and the answer

	windows windows  // of a gapped map
	tally   tally    // of one sequence
	few     []uint32 // a counter for each of few keys, all 0
	sorter  sorter
	sorted  []uint64
	graph   graph.Work
	found   []repeated // in a graph
	codes   prepared
	other   prepared
}

// block is the number of symbols whose features are listed before they are counted, so
// that memory does not grow with the length of a sequence.
const block = 1 << 14

// newScratch is a scratch for an extractor's keys.
func newScratch(space uint64) *scratch { return &scratch{count: newCounter(space)} }

// begin starts a sequence: what training did not have gets numbers of its own.
func (s *scratch) begin() {
	for _, t := range s.local {
		t.reset()
	}
}

// levels are tables for what training did not have, n of them at least.
func (s *scratch) levels(n int) []*table {
	for len(s.local) < n {
		s.local = append(s.local, newTable())
	}
	return s.local
}

// flush counts the keys in the buffer.
func (s *scratch) flush(keys []uint64) {
	if s.any = s.any || len(keys) > 0; !s.asked {
		s.count.add(keys)
	}
	s.buffer = keys[:0]
}
