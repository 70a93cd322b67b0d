package seq

import (
	"math"
	"slices"
)

// each numbers the k-mers of x block by block. add appends the keys of the k-mers that start at from, from+1, ….
func (g *grams) each(x []int32, s *scratch, add func(keys []uint64, from int, ids []int64) []uint64) {
	for lo := 0; lo < len(x); lo += block {
		s.grams = g.number(s.grams, x, lo, min(lo+block, len(x)), s)
		s.flush(add(s.buffer, lo, s.grams))
	}
}

// kmerMap is the common part of all maps of k-mers: the k-mers of some lengths.
type kmerMap struct{ g []*grams }

// newKmerMap returns a kmerMap of the lengths from … to. A feature of the map is a tuple of several k-mers and one of
// the numbers below extra.
func newKmerMap(name string, a *Alphabet, from, to, several int, extra uint64) (kmerMap, *SpecError) {
	var m kmerMap
	for k := from; k <= to; k++ {
		g, ok := newGrams(a, k, several, extra)
		if !ok {
			return m, tooWide(name, a)
		}
		m.g = append(m.g, g)
	}
	return m, nil
}

func (k kmerMap) longest() *grams { return k.g[len(k.g)-1] }
func (k kmerMap) space() uint64   { return 0 }
func (k kmerMap) crowded() bool   { return k.longest().crowded() }

func (k kmerMap) learn(x []int32) (needed bool) {
	for _, g := range k.g {
		needed = g.learn(x) || needed
	}
	return needed
}

func (k kmerMap) tables() (tables []*table) {
	for _, g := range k.g {
		tables = append(tables, g.tables...)
	}
	return tables
}

// newSpectrum returns the map that counts k-mers (Leslie, Eskin & Noble 2002).
func newSpectrum(args []int, a *Alphabet) (extractor, *SpecError) {
	m, err := newKmerMap("spectrum", a, args[0], args[0], 1, 1)
	return spectra{m}, err
}

// newBlended returns the map that counts k-mers of all lengths up to k.
func newBlended(args []int, a *Alphabet) (extractor, *SpecError) {
	m, err := newKmerMap("blended", a, 1, args[0], 1, uint64(args[0]))
	return spectra{m}, err
}

type spectra struct{ kmerMap }

func (m spectra) space() uint64 { return m.longest().space(1, uint64(len(m.g))) }

func (m spectra) keys(x []int32, s *scratch) {
	lengths := uint64(len(m.g))
	for at, g := range m.g {
		g.each(x, s, func(keys []uint64, _ int, ids []int64) []uint64 {
			for _, id := range ids {
				if id >= 0 {
					keys = append(keys, uint64(id)*lengths+uint64(at))
				}
			}
			return keys
		})
	}
}

// newPairs returns the map that counts pairs of k-mers: (a, b, j) with b starting j symbols after the end of a, where j
// = 1 is the next symbol (Kuksa, Huang & Pavlovic 2008; double:1,5 is the paper's).
func newPairs(args []int, a *Alphabet) (extractor, *SpecError) {
	k, d := args[0], args[1]
	m, err := newKmerMap("double", a, k, k, 2, uint64(d))
	return pairs{m, k, d}, err
}

type pairs struct {
	kmerMap
	k, d int
}

func (p pairs) space() uint64 { return p.longest().space(2, uint64(p.d)) }

func (p pairs) keys(x []int32, s *scratch) {
	g := p.longest()
	radix, d := g.radix, uint64(p.d)
	for lo := 0; lo < len(x); lo += block {
		hi := min(lo+block, len(x))
		s.grams = g.number(s.grams, x, lo, min(hi+p.k-1+p.d, len(x)), s)
		y, keys := s.grams, s.buffer
		for i := range hi - lo {
			if y[i] < 0 {
				continue
			}
			first := uint64(y[i]) * radix
			for j, b := range nextIDs(y, i+p.k, p.d) {
				if b >= 0 {
					keys = append(keys, (first+uint64(b))*d+uint64(j))
				}
			}
		}
		s.flush(keys)
	}
}

// nextIDs returns the numbers of at most d k-mers from position i on.
func nextIDs(ids []int64, i, d int) []int64 { return ids[min(i, len(ids)):min(i+d, len(ids))] }

// newTriples returns the map that counts triples of k-mers (a, b, c), each starting 1 … d symbols after the end of the
// k-mer before.
func newTriples(args []int, a *Alphabet) (extractor, *SpecError) {
	k, d := args[0], args[1]
	m, err := newKmerMap("triple", a, k, k, 3, uint64(d*d))
	return triples{m, k, d}, err
}

type triples struct {
	kmerMap
	k, d int
}

func (t triples) space() uint64 { return t.longest().space(3, uint64(t.d*t.d)) }

func (t triples) keys(x []int32, s *scratch) {
	g := t.longest()
	radix, d := g.radix, uint64(t.d)
	for lo := 0; lo < len(x); lo += block / t.d {
		hi := min(lo+block/t.d, len(x))
		s.grams = g.number(s.grams, x, lo, min(hi+2*(t.k-1+t.d), len(x)), s)
		y, keys := s.grams, s.buffer
		for i := range hi - lo {
			if y[i] < 0 {
				continue
			}
			for j, b := range nextIDs(y, i+t.k, t.d) {
				if b < 0 {
					continue
				}
				two := (uint64(y[i])*radix + uint64(b)) * radix
				for l, c := range nextIDs(y, i+t.k+j+t.k, t.d) {
					if c >= 0 {
						keys = append(keys, (two+uint64(c))*d*d+uint64(j)*d+uint64(l))
					}
				}
			}
		}
		s.flush(keys)
	}
}

// positions is the length to which maps with positions cut a sequence: later features would have no number.
const positions = 1 << 28

// newDegrees returns the weighted degree kernel (Rätsch & Sonnenburg 2004): k-mers of the lengths k = 1 … d with the
// position where they start, weighted by 2(d−k+1)/(d(d+1)).
func newDegrees(args []int, a *Alphabet) (extractor, *SpecError) {
	d := args[0]
	m, err := newKmerMap("degree", a, 1, d, 1, uint64(d)*positions)
	if err != nil {
		return nil, err
	}
	e := &degrees{kmerMap: m, d: uint64(d)}
	for i, g := range m.g {
		e.radix = max(e.radix, g.radix)
		e.weights = append(e.weights, math.Sqrt(2*float64(d-i)/float64(d*(d+1))))
	}
	return e, nil
}

type degrees struct {
	kmerMap
	d       uint64
	radix   uint64
	weights []float64 // weight of a k-mer, by its length − 1
}

func (d *degrees) weight(key uint64) float64 { return d.weights[key/d.radix%d.d] }

func (d *degrees) keys(x []int32, s *scratch) {
	for at, g := range d.g {
		g.each(x[:min(len(x), positions)], s, func(keys []uint64, from int, ids []int64) []uint64 {
			for i, id := range ids {
				if id >= 0 {
					keys = append(keys, (uint64(from+i)*d.d+uint64(at))*d.radix+uint64(id))
				}
			}
			return keys
		})
	}
}

// newPlaced returns the map that counts k-mers at the places within s of where they start. So two sequences share more
// of a k-mer the nearer it stands in them: max(0, 2s + 1 − |p − p'|) for the places p and p', as the weighted degree
// kernel with shifts (Rätsch, Sonnenburg & Schölkopf 2005).
func newPlaced(args []int, a *Alphabet) (extractor, *SpecError) {
	m, err := newKmerMap("placed", a, args[0], args[0], 1, 2*positions)
	return placed{m, args[1]}, err
}

type placed struct {
	kmerMap
	s int
}

func (p placed) keys(x []int32, s *scratch) {
	g := p.longest()
	g.each(x[:min(len(x), positions)], s, func(keys []uint64, from int, ids []int64) []uint64 {
		for i, id := range ids {
			if id < 0 {
				continue
			}
			for place := range 2*p.s + 1 {
				keys = append(keys, uint64(from+i+place)*g.radix+uint64(id))
			}
		}
		return keys
	})
}

// newIntersection returns the map with a feature for the first occurrence of a k-mer, one for the second, and so on. So
// two sequences share the smaller of two counts (histogram intersection, Swain & Ballard 1991), and their lengths
// matter, unlike with counts of unit length.
func newIntersection(args []int, a *Alphabet) (extractor, *SpecError) {
	m, err := newKmerMap("intersection", a, 1, args[0], 1, uint64(args[0])*occurrences)
	return intersection{m}, err
}

// occurrences is the number of occurrences of a k-mer that are numbered. Later ones are left out: one number for all of
// them would outweigh the others by its count.
const occurrences = 1 << 16

type intersection struct{ kmerMap }

func (m intersection) keys(x []int32, s *scratch) {
	for at, g := range m.g {
		var all []int64
		g.each(x, s, func(keys []uint64, _ int, ids []int64) []uint64 {
			all = append(all, ids...)
			return keys
		})
		slices.Sort(all)
		keys, number := s.buffer, uint64(0)
		for i, id := range all {
			number++
			if i == 0 || id != all[i-1] {
				number = 0
			}
			if id >= 0 && number < occurrences {
				keys = append(keys, (uint64(id)*uint64(len(m.g))+uint64(at))*occurrences+number)
			}
		}
		s.flush(keys)
	}
}
