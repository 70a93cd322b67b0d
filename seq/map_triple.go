package seq

// tripleMap counts triples of k-mers (a, b, c), each starting 1 … d symbols after the end of the
// one before.
func tripleMap() Map {
	return Map{
		Name: "triple", Meaning: "triples of k-mers, each 1 … d after the one before",
		Example: "triple:1,3", Reversal: true,
		Parameters: []Parameter{{"k", 1, 31}, {"d", 1, 16}},
		make: func(args []int, a *Alphabet) (extractor, *SpecError) {
			m := &triples{k: args[0], d: args[1]}
			var ok bool
			if m.g, ok = newGrams(a, m.k, 3, uint64(m.d*m.d)); !ok {
				return nil, tooWide("triple", a)
			}
			return m, nil
		},
	}
}

type triples struct {
	k, d int
	g    *grams
}

func (m *triples) space() uint64        { return m.g.space(3, uint64(m.d*m.d)) }
func (m *triples) learn(x []int32) bool { return m.g.learn(x) }
func (m *triples) crowded() bool        { return m.g.crowded() }

func (m *triples) keys(x []int32, s *scratch) {
	radix, d := m.g.radix, uint64(m.d)
	after := func(y []int64, i int) []int64 { return y[min(i+m.k, len(y)):min(i+m.k+m.d, len(y))] }
	for lo := 0; lo < len(x); lo += block / m.d {
		hi := min(lo+block/m.d, len(x))
		s.grams = m.g.of(s.grams, x, lo, min(hi+2*(m.k-1+m.d), len(x)), s)
		y, keys := s.grams, s.buffer
		for i := range hi - lo {
			if y[i] < 0 {
				continue
			}
			for j, b := range after(y, i) {
				if b < 0 {
					continue
				}
				two := (uint64(y[i])*radix + uint64(b)) * radix
				for l, c := range after(y, i+m.k+j) {
					if c >= 0 {
						keys = append(keys, (two+uint64(c))*d*d+uint64(j)*d+uint64(l))
					}
				}
			}
		}
		s.flush(keys)
	}
}
