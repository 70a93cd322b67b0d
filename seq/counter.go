package seq

import (
	"math/bits"
	"slices"
)

// denseSpace is the largest number of possible features that get a counter each.
const denseSpace = 1 << 23

// fewWords is how many words of bits are looked at one by one.
const fewWords = 256

// fewPending is how many keys wait at least until they are sorted. A quarter of what is counted waits, too, so that it is not merged too often.
const fewPending = 1 << 16

// tally is keys, ascending, and how often each came.
type tally struct {
	keys   []uint64
	counts []uint32
}

// counter counts keys: by an array where all are below a small number; else by sorting them.
type counter struct {
	tally

	dense []uint32
	seen  []uint64 // a bit for each key that has a count
	words []uint64 // a bit for each word of seen that is not 0; nil where there are few words
	added int      // keys in dense, each as often as it came

	pending, sorting []uint64 // as they came; scratch of the sort
}

func newCounter(space uint64) *counter {
	if space == 0 || space > denseSpace {
		return &counter{}
	}
	c := &counter{dense: make([]uint32, space), seen: make([]uint64, (space+63)/64)}
	if len(c.seen) > fewWords {
		c.words = make([]uint64, (len(c.seen)+63)/64)
	}
	return c
}

// add counts keys.
func (c *counter) add(keys []uint64) {
	if c.dense == nil {
		c.pending = append(c.pending, keys...)
		if len(c.pending) > max(fewPending, len(c.keys)/4) {
			c.settle()
		}
		return
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

// drain is every key and its count. They are forgotten, but stay where they are until the next call of add.
func (c *counter) drain() (t tally) {
	if c.dense == nil {
		c.settle()
		t = c.tally
		c.keys, c.counts = t.keys[:0], t.counts[:0]
		return t
	}
	n := min(c.added, len(c.dense))
	c.keys, c.counts, c.added = slices.Grow(c.keys[:0], n)[:n], slices.Grow(c.counts[:0], n)[:n], 0
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

// settle sorts what is pending, and adds it to what is counted.
func (c *counter) settle() {
	c.pending, c.sorting = sortKeys(c.pending, c.sorting)
	if len(c.keys) == 0 {
		c.tally = c.runs(c.pending)
	} else {
		c.tally = c.plus(tally{}.runs(c.pending))
	}
	c.pending = c.pending[:0]
}

// runs counts ascending keys, in the memory of t.
func (t tally) runs(keys []uint64) tally {
	t.keys, t.counts = t.keys[:0], t.counts[:0]
	for i := 0; i < len(keys); {
		from := i
		for i++; i < len(keys) && keys[i] == keys[from]; i++ {
		}
		t.keys, t.counts = append(t.keys, keys[from]), append(t.counts, uint32(i-from))
	}
	return t
}

// plus is a and b together.
func (a tally) plus(b tally) tally {
	sum, i := tally{make([]uint64, 0, len(a.keys)+len(b.keys)), make([]uint32, 0, len(a.keys)+len(b.keys))}, 0
	for j, key := range b.keys {
		for ; i < len(a.keys) && a.keys[i] < key; i++ {
			sum.keys, sum.counts = append(sum.keys, a.keys[i]), append(sum.counts, a.counts[i])
		}
		n := b.counts[j]
		if i < len(a.keys) && a.keys[i] == key {
			n += a.counts[i]
			i++
		}
		sum.keys, sum.counts = append(sum.keys, key), append(sum.counts, n)
	}
	return tally{append(sum.keys, a.keys[i:]...), append(sum.counts, a.counts[i:]...)}
}
