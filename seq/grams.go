package seq

// grams numbers the k-mers of sequences. Where an alphabet is small, the number of a k-mer is Σ x[i+t]·Lᵏ⁻¹⁻ᵗ.
// Otherwise, the k-mers of the training sequences are numbered as they come: a k-mer by the pair of its first k−1
// symbols' number and its last symbol.
type grams struct {
	k, letters int
	radix      uint64   // bound of the numbers
	tables     []*table // tables[j] numbers the (j+1)-mers; nil: by the formula
}

// newGrams returns grams for features that are tuples of several k-mers and one of the numbers below extra. It returns
// false unless radix^several · extra is below 2⁶².
func newGrams(a *Alphabet, k, several int, extra uint64) (*grams, bool) {
	if _, ok := power(a.Letters, k*several, extra); ok {
		radix, _ := power(a.Letters, k, 1)
		return &grams{k: k, letters: a.Letters, radix: radix}, true
	}
	g := &grams{k: k, letters: a.Letters, radix: 1}
	for g.radix < 1<<31 {
		if _, ok := power(int(2*g.radix), several, extra); !ok {
			break
		}
		g.radix *= 2
	}
	for range k {
		g.tables = append(g.tables, newTable())
	}
	return g, g.radix > 1<<12
}

// space returns the number of possible keys of several k-mers and extra, or 0 if the k-mers are in tables.
func (g *grams) space(several int, extra uint64) uint64 {
	if g.tables != nil {
		return 0
	}
	s, _ := power(g.letters, g.k*several, extra)
	return s
}

// learn numbers the k-mers of a training sequence.
func (g *grams) learn(x []int32) bool {
	if g.tables == nil {
		return false
	}
	for i := range x {
		id := uint64(0)
		for j, t := range g.tables {
			if i+j >= len(x) || x[i+j] == Unknown {
				break
			}
			id = uint64(t.put(id<<32 | uint64(uint32(x[i+j]))))
		}
	}
	return true
}

// number writes the numbers of the k-mers that start at positions lo … hi−1 of x into dst, −1 where one goes beyond the
// end or contains an unknown symbol.
func (g *grams) number(dst []int64, x []int32, lo, hi int, s *scratch) []int64 {
	dst = dst[:0]
	if g.tables != nil {
		s.levels(g.k)
		for i := lo; i < hi; i++ {
			dst = append(dst, g.look(x, i, s))
		}
		return dst
	}
	id, length := int64(0), 0
	letters, radix := int64(g.letters), int64(g.radix)
	for i := lo; i < min(hi+g.k-1, len(x)); i++ {
		c := int64(x[i])
		if c < 0 {
			id, length = 0, 0
		} else {
			// The symbol that leaves the window is the multiple of Lᵏ in id·L + c.
			if g.k == 1 {
				id = c
			} else {
				if length >= g.k {
					id -= int64(x[i-g.k]) * (radix / letters)
				}
				id = id*letters + c
			}
			length++
		}
		if i >= lo+g.k-1 {
			if length >= g.k {
				dst = append(dst, id)
			} else {
				dst = append(dst, -1)
			}
		}
	}
	for len(dst) < hi-lo {
		dst = append(dst, -1)
	}
	return dst
}

// look finds the number of the k-mer at position i in the tables.
func (g *grams) look(x []int32, i int, s *scratch) int64 {
	if i+g.k > len(x) {
		return -1
	}
	id := uint64(0)
	for j, t := range g.tables {
		if x[i+j] == Unknown {
			return -1
		}
		key := id<<32 | uint64(uint32(x[i+j]))
		if n := t.find(key); n >= 0 {
			id = uint64(n)
		} else {
			id = uint64(t.len() + s.local[j].put(key))
		}
	}
	if id >= g.radix {
		return -1
	}
	return int64(id)
}

// crowded reports whether training has more k-mers than numbers, with room for later ones.
func (g *grams) crowded() bool {
	return g.tables != nil && uint64(g.tables[g.k-1].len()) > g.radix/2
}
