package seq

import "math"

// degreeMap is the weighted degree kernel (Rätsch & Sonnenburg 2004): k-mers of the lengths k = 1 …
// d with the position where they start, those of length k with weight 2(d−k+1)/(d(d+1)).
func degreeMap() Map {
	return Map{
		Name: "degree", Meaning: "k-mers of the lengths 1 … d with their position (weighted degree)",
		Example: "degree:8", Positions: true,
		Parameters: []Parameter{{"d", 1, 31}},
		make: func(args []int, a *Alphabet) (extractor, *SpecError) {
			d := args[0]
			m := &degrees{d: uint64(d)}
			for k := 1; k <= d; k++ {
				g, ok := newGrams(a, k, 1, uint64(d)*positions)
				if !ok {
					return nil, tooWide("degree", a)
				}
				m.g, m.radix = append(m.g, g), max(m.radix, g.radix)
				m.weights = append(m.weights, math.Sqrt(2*float64(d-k+1)/float64(d*(d+1))))
			}
			return m, nil
		},
	}
}

// positions is where a sequence is cut: features beyond would have no number.
const positions = 1 << 28

type degrees struct {
	d       uint64
	g       []*grams
	radix   uint64
	weights []float64 // by length − 1
}

func (m *degrees) space() uint64 { return 0 }
func (m *degrees) crowded() bool { return m.g[m.d-1].crowded() }

func (m *degrees) weight(key uint64) float64 { return m.weights[key/m.radix%m.d] }

func (m *degrees) learn(x []int32) (needed bool) {
	for _, g := range m.g {
		needed = g.learn(x) || needed
	}
	return needed
}

func (m *degrees) keys(x []int32, s *scratch) {
	x = x[:min(len(x), positions)]
	for at, g := range m.g {
		for lo := 0; lo < len(x); lo += block {
			s.grams = g.of(s.grams, x, lo, min(lo+block, len(x)), s)
			keys := s.buffer
			for i, id := range s.grams {
				if id >= 0 {
					keys = append(keys, (uint64(lo+i)*m.d+uint64(at))*m.radix+uint64(id))
				}
			}
			s.flush(keys)
		}
	}
}
