package seq

import (
	"slices"
	"sync"
)

func checkGapped(args []int) *SpecError {
	g, m := args[0], args[1]
	if m >= g {
		return specErrorf("gapped: m must be below g: leaving %d of %d symbols out leaves none", m, g)
	}
	if n := binomial(g, m); n > maxPatterns {
		return specErrorf("gapped:%d,%d leaves symbols out in %d ways, more than %d: make m smaller", g, m, n,
			maxPatterns)
	}
	return nil
}

// maxPatterns bounds the features of one place of a sequence.
const maxPatterns = 20000

// gapped counts gapped k-mers: the symbols at g−m places of g, for every choice of places. The places are part of the
// feature (Ghandi et al. 2014). It goes through the patterns, which are sets of places, and not through the places of a
// sequence: all windows under one pattern have few keys, so that they are counted or sorted in the fastest memory.
// Patterns with the same first places share the work for these.
type gapped struct {
	plainMap
	g, k, letters int
	patterns      [][]int // the k places that are kept, ascending, in lexical order
	perKey, total uint64  // number of keys of a pattern, Lᵏ, and of all patterns
}

func newGapped(args []int, a *Alphabet) (extractor, *SpecError) {
	over := func(a *Alphabet) (extractor, *SpecError) { return newGappedOver(args[0], args[1], a) }
	return newReducedAlphabet(a, over)
}

func newGappedOver(g, m int, a *Alphabet) (extractor, *SpecError) {
	e := &gapped{g: g, k: g - m, letters: a.Letters, patterns: choose(g, g-m)}
	var one, all bool
	e.perKey, one = power(a.Letters, e.k, 1)
	e.total, all = power(a.Letters, e.k, uint64(len(e.patterns)))
	if !one || !all {
		return nil, tooWide("gapped", a)
	}
	return e, nil
}

func (g *gapped) space() uint64 { return g.total }

// A sequence is looked at in pieces of atATime windows or, where keys are sorted, in pieces of at most maxWindows.
const (
	atATime    = 1 << 11
	maxWindows = 1 << 13
)

// windows of a sequence have no unknown symbol: at[p][w] is the symbol at place p of window w.
type windows struct {
	at     [][]int32
	buffer [][]int32 // memory of at, unless at is in the sequence
	// number of the symbols at the first d places of a pattern, by depth d, for each window
	number [][]uint64
}

// split makes w the windows lo … hi−1 of the strands, except windows with an unknown symbol, whose keys it appends to
// rest.
func (g *gapped) split(w *windows, rest []uint64, strands [][]int32, lo, hi int) []uint64 {
	for len(w.at) < g.g {
		w.at = append(w.at, nil)
		w.buffer = append(w.buffer, nil)
	}
	if x := strands[0]; len(strands) == 1 && !slices.Contains(x[lo:hi+g.g-1], Unknown) {
		for p := range g.g {
			w.at[p] = x[lo+p : hi+p]
		}
		return rest
	}
	for p := range w.buffer {
		w.buffer[p] = w.buffer[p][:0]
	}
	for _, x := range strands {
		for from := lo; from < hi; {
			end := from
			for end < hi+g.g-1 && x[end] != Unknown {
				end++
			}
			to := max(from, end-g.g+1) // the windows before this have no unknown symbol
			for p := range g.g {
				w.buffer[p] = append(w.buffer[p], x[from+p:to+p]...)
			}
			for from = to; from < min(end+1, hi); from++ {
				rest = g.appendUnknown(rest, x[from:from+g.g])
			}
		}
	}
	copy(w.at, w.buffer)
	return rest
}

// appendUnknown appends the keys of a window with an unknown symbol: the patterns that leave it out.
func (g *gapped) appendUnknown(keys []uint64, window []int32) []uint64 {
next:
	for p, places := range g.patterns {
		key := uint64(0)
		for _, i := range places {
			if window[i] == Unknown {
				continue next
			}
			key = key*uint64(g.letters) + uint64(window[i])
		}
		keys = append(keys, uint64(p)*g.perKey+key)
	}
	return keys
}

// walk visits the patterns in order. The key of window i under one is base + first[i]·L + last[i].
func (g *gapped) walk(w *windows, visit func(base uint64, first []uint64, last []int32)) {
	n := len(w.at[0])
	base := uint64(0)
	letters := uint64(g.letters)
	for len(w.number) < g.k {
		w.number = append(w.number, nil)
	}
	for d := range g.k {
		w.number[d] = slices.Grow(w.number[d][:0], n)[:n]
	}
	clear(w.number[0])
	var down func(d, from int)
	down = func(d, from int) {
		first := w.number[d]
		for p := from; p <= g.g-g.k+d; p++ {
			if d == g.k-1 {
				visit(base, first, w.at[p])
				base += g.perKey
				continue
			}
			deeper := w.number[d+1][:len(first)]
			for i, c := range w.at[p][:len(first)] {
				deeper[i] = first[i]*letters + uint64(c)
			}
			down(d+1, p+1)
		}
	}
	down(0, 0)
}

// eachPiece visits the windows of a sequence piece by piece, and the keys of windows with an unknown symbol.
func (g *gapped) eachPiece(x []int32, s *scratch, visit func(w *windows, rest []uint64)) {
	for lo := 0; lo+g.g <= len(x); lo += atATime {
		s.buffer = g.split(&s.windows, s.buffer[:0], [][]int32{x}, lo, min(lo+atATime, len(x)-g.g+1))
		visit(&s.windows, s.buffer)
	}
	s.buffer = s.buffer[:0]
}

func (g *gapped) keys(x []int32, s *scratch) {
	g.eachPiece(x, s, func(w *windows, rest []uint64) {
		s.flush(rest)
		g.walk(w, func(base uint64, first []uint64, last []int32) {
			s.flush(g.appendKeys(s.buffer, base, first, last))
		})
	})
}

// appendKeys appends the keys of windows: base + first[i]·L + last[i].
func (g *gapped) appendKeys(keys []uint64, base uint64, first []uint64, last []int32) []uint64 {
	at := len(keys)
	keys = slices.Grow(keys, len(first))[:at+len(first)]
	for i, c := range last[:len(first)] {
		keys[at+i] = base + first[i]*uint64(g.letters) + uint64(c)
	}
	return keys
}

// scanned is the largest number of keys of a pattern for each window at which the counters of all keys are looked at.
const scanned = 8

// tally counts a sequence pattern by pattern.
func (g *gapped) tally(strands [][]int32, s *scratch) (tally, bool) {
	n := len(strands) * max(0, len(strands[0])-g.g+1)
	s.tally.keys, s.tally.counts = s.tally.keys[:0], s.tally.counts[:0]
	switch {
	case n == 0:
		return s.tally, true
	case g.total <= denseSpace && g.perKey <= uint64(scanned*n):
		return g.scan(strands, s), true
	case n <= maxWindows:
		return g.sort(strands, s), true
	}
	return tally{}, false
}

// scan counts the keys with a counter for each possible key.
func (g *gapped) scan(strands [][]int32, s *scratch) tally {
	s.few = slices.Grow(s.few[:0], int(g.total))[:g.total]
	letters := uint64(g.letters)
	for _, x := range strands {
		g.eachPiece(x, s, func(w *windows, rest []uint64) {
			for _, key := range rest {
				s.few[key]++
			}
			g.walk(w, func(base uint64, first []uint64, last []int32) {
				few := s.few[base : base+g.perKey]
				for i, c := range last[:len(first)] {
					few[first[i]*letters+uint64(c)]++
				}
			})
		})
	}
	s.tally.scan(0, s.few)
	return s.tally
}

// sort counts the keys by sorting the keys of each pattern.
func (g *gapped) sort(strands [][]int32, s *scratch) tally {
	w, t := &s.windows, &s.tally
	rest := g.split(w, s.buffer, strands, 0, len(strands[0])-g.g+1)
	g.walk(w, func(base uint64, first []uint64, last []int32) {
		s.sorted = s.sorter.sort(g.appendKeys(s.sorted[:0], 0, first, last))
		t.runs(base, s.sorted)
	})
	s.buffer = rest[:0]
	if len(rest) == 0 {
		return *t
	}
	var more tally
	slices.Sort(rest)
	more.runs(0, rest)
	return t.merge(more)
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

// reducedLetters is how many different bytes a reduced alphabet may have.
const reducedLetters = 128

// reducedAlphabet gives the bytes of a text small numbers for an extractor of few letters. The bytes of the training
// sequences come first, in the order they occur, then the others. Bytes for which no number is left share the last one.
// No training sequence has it, so that they count for the length of a vector. If the training sequences have all 128,
// other bytes are Unknown. If they have more than 128, all bytes are letters.
type reducedAlphabet struct {
	extractor
	wide  extractor // extractor for all bytes; nil if it has too many features
	known *table    // bytes of the training sequences
	once  sync.Once
	code  [256]int32
}

// newReducedAlphabet returns an extractor for texts that use few of the 256 bytes; of makes one for an alphabet.
func newReducedAlphabet(a *Alphabet, of func(*Alphabet) (extractor, *SpecError)) (extractor, *SpecError) {
	if a.Kind != Bytes {
		return of(a)
	}
	inner, err := of(&Alphabet{Kind: Bytes, Letters: reducedLetters})
	if err != nil {
		return of(a)
	}
	m := &reducedAlphabet{extractor: inner, known: newTable()}
	if wide, err := of(a); err == nil {
		m.wide = wide
	}
	return m, nil
}

func (r *reducedAlphabet) learn(x []int32) bool {
	for _, c := range x {
		r.known.put(uint64(c))
	}
	return true
}

// many reports whether the training sequences have more than reducedLetters different bytes.
func (r *reducedAlphabet) many() bool { return r.known.len() > reducedLetters }

// choose returns the extractor for the number of bytes in training.
func (r *reducedAlphabet) choose() extractor {
	if r.wide != nil && r.many() {
		return r.wide
	}
	return r.extractor
}

func (r *reducedAlphabet) space() uint64    { return r.choose().space() }
func (r *reducedAlphabet) crowded() bool    { return r.wide == nil && r.many() }
func (r *reducedAlphabet) tables() []*table { return []*table{r.known} }

func (r *reducedAlphabet) keys(x []int32, s *scratch) { r.choose().keys(r.encode(x), s) }

func (r *reducedAlphabet) tally(strands [][]int32, s *scratch) (tally, bool) {
	itself, ok := r.choose().(counting)
	if !ok {
		return tally{}, false
	}
	few := make([][]int32, len(strands))
	for i, x := range strands {
		few[i] = r.encode(x)
	}
	return itself.tally(few, s)
}

// encode returns the codes of a sequence's bytes, or x itself where all bytes are letters.
func (r *reducedAlphabet) encode(x []int32) []int32 {
	if r.wide != nil && r.many() {
		return x
	}
	r.once.Do(r.number)
	few := make([]int32, len(x))
	for i, c := range x {
		few[i] = r.code[c]
	}
	return few
}

// number assigns a code to each byte.
func (r *reducedAlphabet) number() {
	order := slices.Clone(r.known.keys)
	for c := range uint64(256) {
		if r.known.find(c) < 0 {
			order = append(order, c)
		}
	}
	for i, c := range order {
		r.code[c] = int32(min(i, reducedLetters-1))
		if i >= reducedLetters && r.known.len() == reducedLetters {
			r.code[c] = Unknown
		}
	}
}
