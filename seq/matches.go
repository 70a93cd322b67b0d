package seq

import (
	"math"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/internal/simd"
)

// matches computes inner products of gapped k-mers without listing features. Two windows of g symbols have C(e, k)
// features in common if they have e symbols in common, so that
//
//	⟨c(x), c(y)⟩ = Σ over windows v of x and w of y of C(e(v, w), k),
//
// which is a whole number, and exact whatever the order of the sum. e is looked up: the places of a window are in three
// parts, or in five where the alphabet is larger. For each part a row says how many of its symbols each of 64 windows w
// has in common with it. A window v is a row of each part.
type matches struct {
	*gapped
	term   Term
	parts  int
	part   [6]int      // first place of each part: part p is the places part[p] … part[p+1]−1
	weight [2][16]byte // low and high byte of C(e, k), by e
	planes int         // number of bytes in use
}

const (
	maxMatches  = 15   // largest number of symbols of a window
	maxPartKeys = 1024 // largest number of rows of a part, which should stay in the cache
)

// matchesFor returns the matches of a term, or nil if features are faster or the only way. Features are used for counts
// that change by sqrt, log, presence or tf-idf, for large alphabets, and for sequences with few features but many
// windows. The choice depends only on X̄.
func matchesFor(t Term, xbar *Set) *matches {
	if m := newMatches(t, xbar.Alphabet); m != nil && m.pays(xbar) {
		return m
	}
	return nil
}

// newMatches returns nil for a term that matches cannot compute.
func newMatches(t Term, a *Alphabet) *matches {
	e, err := t.extractor(a)
	if err != nil || t.Counts != Raw || t.TFIDF {
		return nil
	}
	m := &matches{term: t}
	var ok bool
	if m.gapped, ok = e.(*gapped); !ok || m.g > maxMatches || m.letters < 2 {
		return nil
	}
	for _, m.parts = range []int{3, 5} {
		if keys, ok := power(m.letters, (m.g+m.parts-1)/m.parts, 1); ok && keys <= maxPartKeys {
			break
		} else if m.parts == 5 {
			return nil
		}
	}
	for p := range m.parts + 1 {
		m.part[p] = p * m.g / m.parts
	}
	for e := m.k; e <= m.g; e++ {
		c := binomial(e, m.k)
		m.weight[0][e], m.weight[1][e] = byte(c), byte(c>>8)
		m.planes = max(m.planes, 1+min(c>>8, 1))
	}
	return m
}

// strands returns the number of strands of a sequence that count.
func (m *matches) strands() float64 {
	if m.term.BothStrands {
		return 2
	}
	return 1
}

// pairTime returns the time of comparing the windows of two sequences of the mean length, in nanoseconds.
func (m *matches) pairTime(set *Set) float64 {
	const (
		windowTime = 2. // ns for a window of three parts and 64 others, of one plane
		largerTime = 3. // ns for a window of five parts, whose rows do not stay in the first cache
		scalarTime = 15.
	)
	perWindow := windowTime
	switch {
	case !simd.HasMatches():
		perWindow = scalarTime
	case m.parts > 3:
		perWindow = largerTime
	}
	n := m.windows(set)
	return n * n * m.strands() / simd.MatchLanes * perWindow * float64(m.planes)
}

// windows returns the number of windows of a sequence of the mean length.
func (m *matches) windows(set *Set) float64 {
	_, mean, _ := set.Lengths()
	return max(0, mean-float64(m.g)+1)
}

// pays reports whether matches are faster than features for two sequences of the mean length.
func (m *matches) pays(xbar *Set) bool {
	const (
		featureTime = 15.  // ns to count a feature
		distantTime = 300. // ns to count a feature where there are too many for the cache
		productTime = 1.2  // ns to multiply two features
		cached      = 1 << 20
	)
	perFeature := featureTime
	if float64(len(m.patterns))*float64(m.perKey) > cached {
		perFeature = distantTime
	}
	strands, n := m.strands(), m.windows(xbar)
	_, _, longest := xbar.Lengths()
	// Sums of words and sums of doubles are exact.
	if math.Pow(float64(longest), 2)*strands*float64(binomial(m.g, m.k)) >= 1<<52 {
		return false
	}
	cells, patterns := float64(m.perKey), float64(len(m.patterns))
	different := cells * -math.Expm1(-n*strands/cells) // expected number of keys of a pattern in random sequences
	features := patterns * (different*different/cells*productTime + n*strands*perFeature/float64(max(1, xbar.N())))
	return m.pairTime(xbar) < features
}

// windowRows are the windows of some sequences.
type windowRows struct {
	at        []uint32  // index of a window's row of each part
	odd       [][]int32 // windows with unknown symbols, which lack a row for some part
	end, odds []int     // end of the windows of each sequence, in at and in odd
}

// matcher is the memory of a goroutine that compares windows of X̄ with others.
type matcher struct {
	m *matches
	// rows of eight words: rows of the parts, of places and symbols, of an odd window, and a row of zeros
	counts []uint64
	first  [6]int // the first row of each part, and after them of places and symbols
	owner  [8]int // sequence of the windows in each word; −1: none
	lane   int    // number of windows so far
	codes  prepared
}

func (m *matches) matcher() *matcher {
	w := &matcher{m: m}
	rows := 0
	for p := range m.parts {
		w.first[p] = rows
		keys, _ := power(m.letters, m.part[p+1]-m.part[p], 1)
		rows += int(keys)
	}
	w.first[m.parts] = rows
	w.counts = make([]uint64, 8*(rows+m.g*m.letters+2))
	w.clear()
	return w
}

// row returns row i of the counts, eight words.
func (w *matcher) row(i int) *[8]uint64 { return (*[8]uint64)(w.counts[8*i:]) }

// symbolRow returns the row of a symbol at a place of the windows.
func (w *matcher) symbolRow(place int, symbol int32) *[8]uint64 {
	return w.row(w.first[w.m.parts] + place*w.m.letters + int(symbol))
}

func (w *matcher) spare() int { return w.first[w.m.parts] + w.m.g*w.m.letters }

// clear forgets the windows of X̄.
func (w *matcher) clear() {
	clear(w.counts[8*w.first[w.m.parts]:])
	w.owner, w.lane = [8]int{-1, -1, -1, -1, -1, -1, -1, -1}, 0
}

// take takes the windows of sequence n of X̄, and calls full where there are 64. The windows of the next sequence begin
// with a word.
func (w *matcher) take(set *Set, n, owner int, full func()) {
	x := set.At(n)
	w.add(w.codes.fold(w.m.term, x), owner, full)
	if w.m.term.BothStrands {
		w.add(w.codes.otherStrand(x), owner, full)
	}
	if w.lane = (w.lane + 7) &^ 7; w.lane == simd.MatchLanes {
		full()
		w.clear()
	}
}

// knownIn counts the symbols of a window that are not unknown.
func knownIn(window []int32) (n int) {
	for _, c := range window {
		if c != Unknown {
			n++
		}
	}
	return n
}

func (w *matcher) add(x []int32, owner int, full func()) {
	for i := 0; i+w.m.g <= len(x); i++ {
		window := x[i : i+w.m.g]
		if knownIn(window) < w.m.k {
			continue
		}
		for p, c := range window {
			if c != Unknown {
				w.symbolRow(p, c)[w.lane/8] |= 1 << (8 * (w.lane % 8))
			}
		}
		w.owner[w.lane/8] = owner
		if w.lane++; w.lane == simd.MatchLanes {
			full()
			w.clear()
		}
	}
}

// build makes the rows of the parts: a row of one place more is the sum of a row before and a symbol's.
func (w *matcher) build() {
	letters := w.m.letters
	for p := range w.m.parts {
		*w.row(w.first[p]) = [8]uint64{}
		for place, n := w.m.part[p], 1; place < w.m.part[p+1]; place, n = place+1, n*letters {
			for key := n - 1; key >= 0; key-- {
				less := *w.row(w.first[p] + key)
				for c := range letters {
					more, one := w.row(w.first[p]+key*letters+c), w.symbolRow(place, int32(c))
					for i := range more {
						more[i] = less[i] + one[i]
					}
				}
			}
		}
	}
}

// windows lists the windows of one strand of the sequences.
func (w *matcher) windows(set *Set) *windowRows {
	m := w.m
	r := &windowRows{at: make([]uint32, 0, m.parts*(set.Start[set.N()]-set.Start[0]))}
	for n := range set.N() {
		x := w.codes.fold(m.term, set.At(n))
		for i := 0; i+m.g <= len(x); i++ {
			window := x[i : i+m.g]
			if n := knownIn(window); n < m.g {
				if n >= m.k {
					r.odd = append(r.odd, slices.Clone(window))
				}
				continue
			}
			for p := range m.parts {
				key := 0
				for _, c := range window[m.part[p]:m.part[p+1]] {
					key = key*m.letters + int(c)
				}
				r.at = append(r.at, uint32(w.first[p]+key)*simd.MatchLanes)
			}
		}
		r.end, r.odds = append(r.end, len(r.at)), append(r.odds, len(r.odd))
	}
	return r
}

// compare adds what row n has in common with the windows of X̄ to dst, by owner.
func (w *matcher) compare(dst []float64, r *windowRows, n int) {
	from, oddFrom, scale := 0, 0, 1.
	if n > 0 {
		from, oddFrom = r.end[n-1], r.odds[n-1]
	}
	for plane := range w.m.planes {
		var sums [8]uint64
		weight := &w.m.weight[plane]
		simd.Matches(&sums, w.m.parts, r.at[from:r.end[n]], w.counts, weight)
		for _, odd := range r.odd[oddFrom:r.odds[n]] {
			at := w.spare()
			row := w.row(at)
			*row = [8]uint64{}
			for p, c := range odd {
				if c != Unknown {
					for i, v := range w.symbolRow(p, c) {
						row[i] += v
					}
				}
			}
			zero := uint32(at+1) * simd.MatchLanes
			rows := []uint32{uint32(at) * simd.MatchLanes, zero, zero, zero, zero}
			simd.Matches(&sums, w.m.parts, rows[:w.m.parts], w.counts, weight)
		}
		for i, owner := range w.owner {
			if owner >= 0 {
				dst[owner] += scale * float64(sums[i])
			}
		}
		scale *= 1 << 8
	}
}
