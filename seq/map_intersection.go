package seq

import "slices"

// intersectionMap has a feature for the first occurrence of a k-mer, one for the second, and so on.
// So two sequences share the smaller of two counts (histogram intersection, Swain & Ballard 1991),
// and their lengths matter, unlike with counts of unit length.
func intersectionMap() Map {
	return Map{
		Name: "intersection", Meaning: "k-mers of the lengths 1 … k, each occurrence by its number",
		Example: "intersection:2", Reversal: true,
		Parameters: []Parameter{{"k", 1, 31}},
		make: func(args []int, a *Alphabet) (extractor, *SpecError) {
			m := &intersection{}
			for k := 1; k <= args[0]; k++ {
				g, ok := newGrams(a, k, 1, uint64(args[0])*occurrences)
				if !ok {
					return nil, tooWide("intersection", a)
				}
				m.g = append(m.g, g)
			}
			return m, nil
		},
	}
}

// occurrences is how many of a k-mer have numbers of their own.
const occurrences = 1 << 16

type intersection struct{ g []*grams }

func (m *intersection) space() uint64          { return 0 }
func (m *intersection) crowded() bool          { return m.g[len(m.g)-1].crowded() }
func (m *intersection) tables() (all []*table) { return tablesOf(m.g) }

func (m *intersection) learn(x []int32) (needed bool) {
	for _, g := range m.g {
		needed = g.learn(x) || needed
	}
	return needed
}

func (m *intersection) keys(x []int32, s *scratch) {
	for at, g := range m.g {
		var all []int64
		for lo := 0; lo < len(x); lo += block {
			s.grams = g.of(s.grams, x, lo, min(lo+block, len(x)), s)
			all = append(all, s.grams...)
		}
		slices.Sort(all)
		keys, number := s.buffer, uint64(0)
		for i, id := range all {
			if number++; i == 0 || id != all[i-1] {
				number = 0
			}
			if id >= 0 {
				keys = append(keys, (uint64(id)*uint64(len(m.g))+uint64(at))*occurrences+min(number, occurrences-1))
			}
		}
		s.flush(keys)
	}
}
