package seq

// placedMap counts k-mers at the places within s of where they start, so that two sequences share
// more of a k-mer the nearer it stands in them: max(0, 2s + 1 − |p − p'|) for the places p and p',
// as the weighted degree kernel with shifts (Rätsch, Sonnenburg & Schölkopf 2005).
func placedMap() Map {
	return Map{
		Name: "placed", Meaning: "k-mers at the places within s of where they start",
		Example: "placed:3,2", Positions: true,
		Parameters: []Parameter{{"k", 1, 31}, {"s", 0, 100}},
		make: func(args []int, a *Alphabet) (extractor, *SpecError) {
			g, ok := newGrams(a, args[0], 1, 2*positions)
			if !ok {
				return nil, tooWide("placed", a)
			}
			return &placed{g: g, s: args[1]}, nil
		},
	}
}

type placed struct {
	g *grams
	s int
}

func (m *placed) space() uint64        { return 0 }
func (m *placed) crowded() bool        { return m.g.crowded() }
func (m *placed) learn(x []int32) bool { return m.g.learn(x) }
func (m *placed) tables() []*table     { return m.g.learnt() }

func (m *placed) keys(x []int32, s *scratch) {
	x = x[:min(len(x), positions)]
	for lo := 0; lo < len(x); lo += block {
		s.grams = m.g.of(s.grams, x, lo, min(lo+block, len(x)), s)
		keys := s.buffer
		for i, id := range s.grams {
			if id < 0 {
				continue
			}
			for place := range 2*m.s + 1 {
				keys = append(keys, uint64(lo+i+place)*m.g.radix+uint64(id))
			}
		}
		s.flush(keys)
	}
}
