package seq

// doubleMap counts pairs of k-mers: (a, b, j) with b starting j symbols after the end of a, where
// j = 1 is the next symbol (Kuksa, Huang & Pavlovic 2008; double:1,5 is the paper's).
func doubleMap() Map {
	return Map{
		Name: "double", Meaning: "pairs of k-mers at distances 1 … d", Example: "double:1,5", Reversal: true,
		Parameters: []Parameter{{"k", 1, 31}, {"d", 1, 64}},
		make: func(args []int, a *Alphabet) (extractor, *SpecError) {
			m := &pairs{k: args[0], d: args[1]}
			var ok bool
			if m.g, ok = newGrams(a, m.k, 2, uint64(m.d)); !ok {
				return nil, tooWide("double", a)
			}
			return m, nil
		},
	}
}

type pairs struct {
	k, d int
	g    *grams
}

func (m *pairs) space() uint64        { return m.g.space(2, uint64(m.d)) }
func (m *pairs) learn(x []int32) bool { return m.g.learn(x) }
func (m *pairs) crowded() bool        { return m.g.crowded() }

func (m *pairs) keys(x []int32, s *scratch) {
	radix, d := m.g.radix, uint64(m.d)
	for lo := 0; lo < len(x); lo += block {
		hi := min(lo+block, len(x))
		s.grams = m.g.of(s.grams, x, lo, min(hi+m.k-1+m.d, len(x)), s)
		y, keys := s.grams, s.buffer
		for i := range hi - lo {
			if y[i] < 0 {
				continue
			}
			first := uint64(y[i]) * radix
			second := y[min(i+m.k, len(y)):min(i+m.k+m.d, len(y))]
			for j, b := range second {
				if b >= 0 {
					keys = append(keys, (first+uint64(b))*d+uint64(j))
				}
			}
		}
		s.flush(keys)
	}
}
