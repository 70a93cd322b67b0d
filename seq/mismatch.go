package seq

import "slices"

func checkMismatches(args []int) *SpecError {
	if args[1] >= args[0] {
		return specErrorf("mismatch: m must be below k: with %d of %d symbols different, all k-mers "+
			"match each other", args[1], args[0])
	}
	return nil
}

// newMismatches returns the map that counts, for each k-mer, the places where a k-mer stands that differs from it in at
// most m symbols (Leslie et al. 2004).
func newMismatches(args []int, a *Alphabet) (extractor, *SpecError) {
	k, m := args[0], args[1]
	total, ok := power(a.Letters, k, 1)
	if !ok {
		return nil, tooWide("mismatch", a)
	}
	n := 0
	for i, ways := 0, 1; i <= m; i++ {
		n += binomial(k, i) * ways
		ways *= a.Letters - 1
		if n > maxPatterns {
			return nil, specErrorf("mismatch:%d,%d counts each k-mer of %s for more than %d others: make "+
				"m smaller", k, m, a.Kind, maxPatterns)
		}
	}
	return &mismatches{k: k, m: m, neighbours: n, letters: uint64(a.Letters), total: total}, nil
}

type mismatches struct {
	plainMap
	k, m, neighbours int
	letters, total   uint64
}

func (e *mismatches) space() uint64 { return e.total }

func (e *mismatches) keys(x []int32, s *scratch) {
	g := e.grams()
	step := max(1, block/e.neighbours)
	for lo := 0; lo < len(x); lo += step {
		hi := min(lo+step, len(x))
		s.grams = g.number(s.grams, x, lo, hi, s)
		keys := slices.Grow(s.buffer, e.neighbours*len(s.grams))
		for i, id := range s.grams {
			if id >= 0 {
				keys = e.change(keys, uint64(id), x[lo+i:lo+i+e.k], e.total, e.m)
			}
		}
		s.flush(keys)
	}
}

// grams numbers the k-mers themselves.
func (e *mismatches) grams() *grams { return &grams{k: e.k, letters: int(e.letters), radix: e.total} }

// change appends key and the keys that result from changing at most m of the symbols of rest, the first of which weighs
// above/letters. The memory has room for all of them.
func (e *mismatches) change(keys []uint64, key uint64, rest []int32, above uint64, m int) []uint64 {
	keys = append(keys, key)
	if m == 0 {
		return keys
	}
	for i, c := range rest {
		above /= e.letters
		without := key - uint64(c)*above
		if m == 1 {
			at, more := len(keys), e.letters-1
			keys = keys[:at+int(more)]
			for n, other := 0, without; n < int(more); n, other = n+1, other+above {
				if other == key { // left out: the last one stands in its place
					other += above
				}
				keys[at+n] = other
			}
			continue
		}
		for other := range e.letters {
			if other != uint64(c) {
				keys = e.change(keys, without+other*above, rest[i+1:], above, m-1)
			}
		}
	}
	return keys
}

// tally counts k-mers and then goes through their places, if that is less work than a key for each neighbour. Let
// C_j[w] be the number of k-mers that differ from w in at most j of the places so far. One place more makes it
//
//	C_j[w] + Σ_{w'} C_{j−1}[w'] − C_{j−1}[w]
//
// with the sum over the L words w' that equal w except for the symbol at that place.
func (e *mismatches) tally(strands [][]int32, s *scratch) (tally, bool) {
	const worth = 4 // a key costs as much as this number of words of a place
	symbols := 0
	for _, x := range strands {
		symbols += len(x)
	}
	if uint64(worth*symbols)*uint64(e.neighbours)/uint64(e.k*max(e.m, 1)) < e.total {
		return tally{}, false
	}
	size := int(e.total)
	s.few = slices.Grow(s.few[:0], (e.m+1)*size)[:(e.m+1)*size]
	for _, x := range strands {
		for lo := 0; lo < len(x); lo += block {
			s.grams = e.grams().number(s.grams, x, lo, min(lo+block, len(x)), s)
			for _, id := range s.grams {
				if id >= 0 {
					s.few[id]++
				}
			}
		}
	}
	for j := 1; j <= e.m; j++ {
		copy(s.few[j*size:], s.few[:size])
	}
	for weight := 1; weight < size; weight *= int(e.letters) {
		for j := e.m; j > 0; j-- {
			e.spread(s.few[j*size:(j+1)*size], s.few[(j-1)*size:j*size], weight)
		}
	}
	t := &s.tally
	t.keys, t.counts = t.keys[:0], t.counts[:0]
	t.scan(0, s.few[e.m*size:])
	clear(s.few[:e.m*size])
	return *t, true
}

// spread adds, for one place, the words of less that differ there.
func (e *mismatches) spread(more, less []uint32, weight int) {
	letters := int(e.letters)
	for ; len(less) > 0; more, less = more[letters*weight:], less[letters*weight:] {
		if letters == 4 {
			spread4(more[:4*weight], less[:4*weight], weight)
			continue
		}
		for at := range weight {
			sum := uint32(0)
			for i := at; i < letters*weight; i += weight {
				sum += less[i]
			}
			for i := at; i < letters*weight; i += weight {
				more[i] += sum - less[i]
			}
		}
	}
}

// spread4 does the work of spread for four letters, on the words that are the same before the place.
func spread4(more, less []uint32, weight int) {
	a, b, c, d := less[:weight], less[weight:2*weight], less[2*weight:3*weight], less[3*weight:4*weight]
	moreA, moreB, moreC, moreD := more[:weight], more[weight:2*weight], more[2*weight:3*weight], more[3*weight:4*weight]
	for i, x := range a {
		ab, cd := x+b[i], c[i]+d[i]
		moreA[i] += b[i] + cd
		moreB[i] += x + cd
		moreC[i] += ab + d[i]
		moreD[i] += ab + c[i]
	}
}
