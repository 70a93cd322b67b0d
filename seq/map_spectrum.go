package seq

// spectrumMap counts k-mers (Leslie, Eskin & Noble 2002).
func spectrumMap() Map {
	return Map{
		Name: "spectrum", Meaning: "k-mers", Example: "spectrum:3", Reversal: true,
		Parameters: []Parameter{{"k", 1, 31}},
		make: func(args []int, a *Alphabet) (extractor, *SpecError) {
			return newSpectra("spectrum", args[0], args[0], a)
		},
	}
}

// spectra counts the k-mers of lengths from … to.
type spectra struct {
	plainMap
	g []*grams
}

func newSpectra(name string, from, to int, a *Alphabet) (extractor, *SpecError) {
	m := &spectra{}
	for k := from; k <= to; k++ {
		g, ok := newGrams(a, k, 1, uint64(to-from+1))
		if !ok {
			return nil, tooWide(name, a)
		}
		m.g = append(m.g, g)
	}
	return m, nil
}

func (m *spectra) space() uint64 {
	return m.g[len(m.g)-1].space(1, uint64(len(m.g)))
}

func (m *spectra) learn(x []int32) (needed bool) {
	for _, g := range m.g {
		needed = g.learn(x) || needed
	}
	return needed
}

func (m *spectra) keys(x []int32, s *scratch) {
	lengths := uint64(len(m.g))
	for at, g := range m.g {
		for lo := 0; lo < len(x); lo += block {
			hi := min(lo+block, len(x))
			s.grams = g.of(s.grams, x, lo, hi, s)
			keys := s.buffer
			for _, id := range s.grams {
				if id >= 0 {
					keys = append(keys, uint64(id)*lengths+uint64(at))
				}
			}
			s.flush(keys)
		}
	}
}
