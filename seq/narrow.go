package seq

import (
	"slices"
	"sync"
)

// narrowLetters is how many different bytes a narrowed text may have.
const narrowLetters = 128

// narrow gives the bytes of a text small numbers for an extractor of few letters: those of the
// training sequences in the order they come, then the others. What is beyond 128 is Unknown.
type narrow struct {
	extractor
	known *table // bytes of the training sequences
	once  sync.Once
	code  [256]int32
}

// narrowed is an extractor over texts that has few letters.
func narrowed(a *Alphabet, of func(*Alphabet) (extractor, *SpecError)) (extractor, *SpecError) {
	if a.Kind != Bytes {
		return of(a)
	}
	inner, err := of(&Alphabet{Kind: Bytes, Letters: narrowLetters})
	if err != nil {
		return of(a)
	}
	return &narrow{extractor: inner, known: newTable()}, nil
}

func (m *narrow) learn(x []int32) bool {
	for _, c := range x {
		m.known.put(uint64(c))
	}
	return true
}

func (m *narrow) crowded() bool    { return m.known.len() > narrowLetters }
func (m *narrow) tables() []*table { return []*table{m.known} }

func (m *narrow) keys(x []int32, s *scratch) { m.extractor.keys(m.coded(x), s) }

func (m *narrow) tally(strands [][]int32, s *scratch) (tally, bool) {
	itself, ok := m.extractor.(counting)
	if !ok {
		return tally{}, false
	}
	few := make([][]int32, len(strands))
	for i, x := range strands {
		few[i] = m.coded(x)
	}
	return itself.tally(few, s)
}

// coded is a sequence in small numbers.
func (m *narrow) coded(x []int32) []int32 {
	m.once.Do(m.number)
	few := make([]int32, len(x))
	for i, c := range x {
		few[i] = m.code[c]
	}
	return few
}

// number gives each byte its code.
func (m *narrow) number() {
	order := slices.Clone(m.known.keys)
	for c := range uint64(256) {
		if m.known.find(c) < 0 {
			order = append(order, c)
		}
	}
	for i, c := range order {
		m.code[c] = int32(i)
		if i >= narrowLetters {
			m.code[c] = Unknown
		}
	}
}
