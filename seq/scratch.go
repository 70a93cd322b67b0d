package seq

// scratch is what one goroutine needs to list features.
type scratch struct {
	buffer []uint64
	grams  []int64  // numbers of k-mers
	local  []*table // k-mers that training did not have, a table for each length
	count  counter

	keys   []uint64 // what a sequence has, after counting
	counts []uint32
}

// block is the number of symbols whose features are listed before they are counted, so
// that memory does not grow with the length of a sequence.
const block = 1 << 14

// denseSpace is the largest number of possible features that get a counter each.
const denseSpace = 1 << 22

// scanSpace is the largest number of possible features that are all looked at after a sequence,
// rather than kept in a list when they first occur.
const scanSpace = 1 << 13

// counter counts keys, by an array where all are below a small number, by a table else.
type counter struct {
	dense   []uint32
	touched []uint32 // keys of dense with a count, in order of appearance, beyond scanSpace

	table  *table
	counts []uint32 // by number of the table
}

func newCounter(space uint64) counter {
	if space > 0 && space <= denseSpace {
		return counter{dense: make([]uint32, space)}
	}
	return counter{table: newTable()}
}

// add counts keys.
func (c *counter) add(keys []uint64) {
	switch dense := c.dense; {
	case dense == nil:
		for _, k := range keys {
			n := c.table.put(k)
			if n == len(c.counts) {
				c.counts = append(c.counts, 0)
			}
			c.counts[n]++
		}
	case len(dense) <= scanSpace:
		for _, k := range keys {
			dense[k]++
		}
	default:
		for _, k := range keys {
			if dense[k] == 0 {
				c.touched = append(c.touched, uint32(k))
			}
			dense[k]++
		}
	}
}

// drain appends every key and its count, and forgets them. The order is that of the keys, which is
// ascending, or that of appearance.
func (c *counter) drain(keys []uint64, counts []uint32) (k []uint64, n []uint32, ascending bool) {
	switch {
	case c.dense == nil:
		keys, counts = append(keys, c.table.keys...), append(counts, c.counts...)
		c.table.reset()
		c.counts = c.counts[:0]
		return keys, counts, false
	case len(c.dense) <= scanSpace, len(c.dense) <= 8*len(c.touched):
		for k, n := range c.dense {
			if n > 0 {
				keys, counts = append(keys, uint64(k)), append(counts, n)
			}
		}
		clear(c.dense)
		c.touched = c.touched[:0]
		return keys, counts, true
	}
	for _, k := range c.touched {
		keys, counts = append(keys, uint64(k)), append(counts, c.dense[k])
		c.dense[k] = 0
	}
	c.touched = c.touched[:0]
	return keys, counts, false
}

// newScratch is a scratch for an extractor's keys.
func newScratch(space uint64) *scratch { return &scratch{count: newCounter(space)} }

// begin starts a sequence: what training did not have gets numbers of its own.
func (s *scratch) begin() {
	for _, t := range s.local {
		t.reset()
	}
}

// levels are tables for what training did not have, n of them at least.
func (s *scratch) levels(n int) []*table {
	for len(s.local) < n {
		s.local = append(s.local, newTable())
	}
	return s.local
}

// flush counts the keys in the buffer.
func (s *scratch) flush(keys []uint64) {
	s.count.add(keys)
	s.buffer = keys[:0]
}
