package seq

import "slices"

// gappedMap counts gapped k-mers: what stands at g−m places of g symbols, for every choice of places.
// The places are part of the feature (Ghandi et al. 2014).
func gappedMap() Map {
	return Map{
		Name: "gapped", Meaning: "g symbols of which any m are left out", Example: "gapped:6,2", Reversal: true,
		Parameters: []Parameter{{"g", 1, 31}, {"m", 0, 30}},
		check: func(args []int) *SpecError {
			g, m := args[0], args[1]
			if m >= g {
				return specErrorf("gapped: m must be below g: leaving %d of %d symbols out leaves none", m, g)
			}
			if n := binomial(g, m); n > mostPatterns {
				return specErrorf("gapped:%d,%d leaves symbols out in %d ways, more than %d: make m smaller", g, m, n, mostPatterns)
			}
			return nil
		},
		make: func(args []int, a *Alphabet) (extractor, *SpecError) { return newGapped(args[0], args[1], a) },
	}
}

// mostPatterns bounds the features of one place of a sequence.
const mostPatterns = 20000

// gapped looks a window up in chunks: the chunks' shares of every pattern's key are tables, so that a
// key costs an addition for each chunk.
type gapped struct {
	plainMap
	g        int
	total    uint64
	patterns [][]int // the places that are kept, in ascending order
	perKey   uint64  // Lᵍ⁻ᵐ: keys of a pattern
	letters  int
	chunks   []chunk
}

// chunk is `size` symbols of a window from `at` on. Its share of pattern p's key is part[v·P+p] for its number v.
type chunk struct {
	at, size int
	part     []uint64
}

func newGapped(g, m int, a *Alphabet) (extractor, *SpecError) {
	e := &gapped{g: g, patterns: choose(g, g-m), letters: a.Letters}
	var ok bool
	if e.perKey, ok = power(a.Letters, g-m, 1); !ok {
		return nil, tooWide("gapped", a)
	}
	if e.total, ok = power(a.Letters, g-m, uint64(len(e.patterns))); !ok {
		return nil, tooWide("gapped", a)
	}
	const largest = 256 // values of a chunk, so that the tables stay in the cache
	size := 1
	for n := a.Letters * a.Letters; n <= largest && size < g; n *= a.Letters {
		size++
	}
	if a.Letters > largest {
		return e, nil // no tables: every key by the formula
	}
	for at := 0; at < g; at += size {
		e.chunks = append(e.chunks, e.newChunk(at, min(size, g-at)))
	}
	return e, nil
}

func (e *gapped) newChunk(at, size int) chunk {
	values, _ := power(e.letters, size, 1)
	c := chunk{at: at, size: size, part: make([]uint64, 0, int(values)*len(e.patterns))}
	digits := make([]int32, e.g)
	for v := range int(values) {
		for i, rest := at+size-1, v; i >= at; i-- {
			digits[i] = int32(rest % e.letters)
			rest /= e.letters
		}
		for p, places := range e.patterns {
			key := e.pack(digits, places)
			if at == 0 {
				key += uint64(p) * e.perKey
			}
			c.part = append(c.part, key)
		}
	}
	return c
}

// pack is the number of the symbols of window at places.
func (e *gapped) pack(window []int32, places []int) (key uint64) {
	for _, i := range places {
		key = key*uint64(e.letters) + uint64(window[i])
	}
	return key
}

func (e *gapped) space() uint64 { return e.total }

func (e *gapped) keys(x []int32, s *scratch) {
	step := max(1, block/len(e.patterns))
	for lo := 0; lo+e.g <= len(x); lo += step {
		keys := s.buffer
		for i := lo; i < min(lo+step, len(x)-e.g+1); i++ {
			keys = e.window(keys, x[i:i+e.g])
		}
		s.flush(keys)
	}
}

// window appends the keys of one window.
func (e *gapped) window(keys []uint64, w []int32) []uint64 {
	var unknown int32
	for _, c := range w {
		unknown |= c
	}
	if unknown < 0 || e.chunks == nil {
		return e.slow(keys, w)
	}
	n, from := len(e.patterns), len(keys)
	keys = slices.Grow(keys, n)[:from+n]
	out := keys[from:]
	copy(out, e.chunks[0].share(w, n, e.letters))
	for _, c := range e.chunks[1:] {
		for p, share := range c.share(w, n, e.letters)[:len(out)] {
			out[p] += share
		}
	}
	return keys
}

// share is the chunk's part of the keys of a window.
func (c *chunk) share(w []int32, patterns, letters int) []uint64 {
	v := 0
	for _, symbol := range w[c.at : c.at+c.size] {
		v = v*letters + int(symbol)
	}
	return c.part[v*patterns : (v+1)*patterns]
}

// slow leaves out the patterns that keep an unknown symbol.
func (e *gapped) slow(keys []uint64, w []int32) []uint64 {
next:
	for p, places := range e.patterns {
		for _, i := range places {
			if w[i] == Unknown {
				continue next
			}
		}
		keys = append(keys, uint64(p)*e.perKey+e.pack(w, places))
	}
	return keys
}

// choose lists the sets of k of the numbers 0 … n−1.
func choose(n, k int) (sets [][]int) {
	var grow func(set []int, from int)
	grow = func(set []int, from int) {
		if len(set) == k {
			sets = append(sets, slices.Clone(set))
			return
		}
		for i := from; i <= n-(k-len(set)); i++ {
			grow(append(set, i), i+1)
		}
	}
	grow(nil, 0)
	return sets
}

func binomial(n, k int) int {
	b := 1
	for i := range k {
		b = b * (n - i) / (i + 1)
	}
	return b
}
