package seq

import (
	"math/bits"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/graph"
)

// denseSpace is the largest number of possible features that get a counter each.
const denseSpace = 1 << 23

// fewWords is the largest number of words of bits that are looked at one by one.
const fewWords = 256

// fewPending is the least number of keys that wait until they are sorted. The number grows to a quarter of the counted
// keys, so that these are not merged too often.
const fewPending = 1 << 16

// tally counts keys, which are ascending.
type tally struct {
	keys   []uint64
	counts []uint32
}

// counter counts keys: in an array if all keys are below a small number, otherwise by sorting them.
type counter struct {
	tally

	space int      // length of dense; 0: keys are sorted
	dense []uint32 // count of each key; made when it is needed
	seen  []uint64 // a bit for each key that has a count
	words []uint64 // a bit for each word of seen that is not 0; nil where there are few words
	added int      // number of keys added to dense, each as often as it came

	pending []uint64 // keys in the order they came
	sorter  sorter
}

func newCounter(space uint64) *counter {
	if space > denseSpace {
		space = 0
	}
	return &counter{space: int(space)}
}

func (c *counter) start() {
	c.dense, c.seen = make([]uint32, c.space), make([]uint64, (c.space+63)/64)
	if len(c.seen) > fewWords {
		c.words = make([]uint64, (len(c.seen)+63)/64)
	}
}

func (c *counter) add(keys []uint64) {
	if c.space == 0 {
		c.pending = append(c.pending, keys...)
		if len(c.pending) > max(fewPending, len(c.keys)/4) {
			c.settle()
		}
		return
	}
	if c.dense == nil {
		c.start()
	}
	c.added += len(keys)
	dense, seen := c.dense, c.seen
	for _, k := range keys {
		dense[k]++
		seen[k/64] |= 1 << (k % 64)
	}
	if words := c.words; words != nil {
		for _, k := range keys {
			words[k/(64*64)] |= 1 << (k / 64 % 64)
		}
	}
}

// drain returns every key and its count, and clears the counter. The result is valid until the next call of add.
func (c *counter) drain() (t tally) {
	if c.space == 0 {
		c.settle()
		t = c.tally
		c.keys, c.counts = t.keys[:0], t.counts[:0]
		return t
	}
	n := min(c.added, len(c.dense))
	c.keys = slices.Grow(c.keys[:0], n)[:n]
	c.counts = slices.Grow(c.counts[:0], n)[:n]
	c.added = 0
	n = 0
	if c.words == nil {
		for at := range c.seen {
			n = c.take(at, n)
		}
	}
	for at, word := range c.words {
		for c.words[at] = 0; word != 0; word &= word - 1 {
			n = c.take(at*64+bits.TrailingZeros64(word), n)
		}
	}
	return tally{c.keys[:n], c.counts[:n]}
}

// take moves what a word of seen stands for to the n keys before, and returns their new number.
func (c *counter) take(at, n int) int {
	keys, counts, dense, word := c.keys, c.counts, c.dense, c.seen[at]
	for c.seen[at] = 0; word != 0; word &= word - 1 {
		k := at*64 + bits.TrailingZeros64(word)
		keys[n], counts[n], dense[k] = uint64(k), dense[k], 0
		n++
	}
	return n
}

// settle sorts the pending keys, and adds them to the counts.
func (c *counter) settle() {
	c.pending = c.sorter.sort(c.pending)
	if len(c.keys) == 0 {
		c.keys, c.counts = c.keys[:0], c.counts[:0]
		c.runs(0, c.pending)
	} else {
		var more tally
		more.runs(0, c.pending)
		c.tally = c.merge(more)
	}
	c.pending = c.pending[:0]
}

// runs counts equal keys in an ascending list, and appends each key plus base and its count. It compares neighbours
// without a branch, which a processor could not predict.
func (t *tally) runs(base uint64, keys []uint64) {
	if len(keys) == 0 {
		return
	}
	from, n, last := len(t.keys), -1, ^keys[0]
	t.keys, t.counts = slices.Grow(t.keys, len(keys)), slices.Grow(t.counts, len(keys))
	to, ends := t.keys[from:from+len(keys)], t.counts[from:from+len(keys)]
	for i, key := range keys {
		change := key ^ last
		n += int((change | -change) >> 63)
		to[n], ends[n], last = base+key, uint32(i+1), key
	}
	for i := n; i > 0; i-- {
		ends[i] -= ends[i-1]
	}
	t.keys, t.counts = t.keys[:from+n+1], t.counts[:from+n+1]
}

// scan appends each of the keys base, base + 1, … whose counter is not 0, and clears the counters.
func (t *tally) scan(base uint64, counters []uint32) {
	from, n := len(t.keys), 0
	t.keys, t.counts = slices.Grow(t.keys, len(counters)), slices.Grow(t.counts, len(counters))
	keys, counts := t.keys[from:from+len(counters)], t.counts[from:from+len(counters)]
	for k, c := range counters {
		keys[n], counts[n] = base+uint64(k), c
		n += int(-c >> 31)
	}
	clear(counters)
	t.keys, t.counts = t.keys[:from+n], t.counts[:from+n]
}

// merge returns the keys of a and b, with the sums of their counts; b itself where a has no keys.
func (t tally) merge(b tally) tally {
	if len(t.keys) == 0 {
		return b
	}
	sum := tally{make([]uint64, 0, len(t.keys)+len(b.keys)), make([]uint32, 0, len(t.keys)+len(b.keys))}
	i := 0
	for j, key := range b.keys {
		for ; i < len(t.keys) && t.keys[i] < key; i++ {
			sum.keys, sum.counts = append(sum.keys, t.keys[i]), append(sum.counts, t.counts[i])
		}
		n := b.counts[j]
		if i < len(t.keys) && t.keys[i] == key {
			n += t.counts[i]
			i++
		}
		sum.keys, sum.counts = append(sum.keys, key), append(sum.counts, n)
	}
	return tally{append(sum.keys, t.keys[i:]...), append(sum.counts, t.counts[i:]...)}
}

// longestDigit is the largest number of bits that are sorted at a time, so that their counters stay in the cache.
const longestDigit = 11

// sorter is the memory of a sort.
type sorter struct {
	spare  []uint64
	starts [1 << longestDigit]uint32
}

// sort sorts keys in ascending order. The result is in the memory of keys or in the memory of s, which keeps the other.
// Digits have fewer bits where there are few keys, and only the bits in use are sorted.
func (s *sorter) sort(keys []uint64) []uint64 {
	all := uint64(0)
	size := bits.Len(uint(len(keys)))
	for _, k := range keys {
		all |= k
	}
	used, digit := bits.Len64(all), max(1, min(size-1, longestDigit))
	passes := max(1, (used+digit-1)/digit)
	if passes > size {
		slices.Sort(keys)
		return keys
	}
	digit = (used + passes - 1) / passes
	spare := slices.Grow(s.spare[:0], len(keys))[:len(keys)]
	starts := s.starts[:1<<digit]
	mask := uint64(len(starts) - 1)
	for shift := 0; shift < used; shift += digit {
		clear(starts)
		for _, k := range keys {
			starts[k>>shift&mask]++
		}
		sum := uint32(0)
		for i, n := range starts {
			starts[i] = sum
			sum += n
		}
		for _, k := range keys {
			to := &starts[k>>shift&mask]
			spare[*to] = k
			*to++
		}
		keys, spare = spare, keys
	}
	s.spare = spare
	return keys
}

// scratch is the memory of one goroutine that lists features.
type scratch struct {
	buffer []uint64
	grams  []int64  // numbers of k-mers
	local  []*table // k-mers that training did not have, a table for each length
	count  *counter

	asked, any bool // only whether a sequence has any feature is asked; the answer

	windows windows  // windows of a gapped map
	tally   tally    // counts of one sequence
	few     []uint32 // a counter for each of few keys, all 0
	sorter  sorter
	sorted  []uint64
	graph   graph.Work
	found   []repeated // features found in a graph
	codes   prepared
	other   prepared
}

// block is the number of symbols whose features are listed before they are counted, so that memory does not grow with
// the length of a sequence.
const block = 1 << 14

// newScratch returns a scratch for an extractor's keys.
func newScratch(space uint64) *scratch { return &scratch{count: newCounter(space)} }

// begin starts a sequence: k-mers that training did not have are numbered from the start.
func (s *scratch) begin() {
	for _, t := range s.local {
		t.reset()
	}
}

// levels returns n tables or more, for keys that training did not have.
func (s *scratch) levels(n int) []*table {
	for len(s.local) < n {
		s.local = append(s.local, newTable())
	}
	return s.local
}

func (s *scratch) flush(keys []uint64) {
	s.any = s.any || len(keys) > 0
	if !s.asked {
		s.count.add(keys)
	}
	s.buffer = keys[:0]
}
