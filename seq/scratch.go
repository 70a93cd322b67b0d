package seq

// scratch is what one goroutine needs to list features.
type scratch struct {
	buffer []uint64
	grams  []int64  // numbers of k-mers
	local  []*table // k-mers that training did not have, a table for each length
	count  counter
}

// block is the number of symbols whose features are listed before they are counted, so
// that memory does not grow with the length of a sequence.
const block = 1 << 14

// denseSpace is the largest number of possible features that get a counter each.
const denseSpace = 1 << 22

// counter counts keys, by an array where all are below a small number, by a table else.
type counter struct {
	dense   []uint32
	touched []uint32 // keys of dense with a count, in order of appearance

	table  *table
	counts []uint32 // by number of the table
}

func newCounter(space uint64) counter {
	if space > 0 && space <= denseSpace {
		return counter{dense: make([]uint32, space)}
	}
	return counter{table: newTable()}
}

func (c *counter) add(keys []uint64) {
	if c.dense != nil {
		for _, k := range keys {
			if c.dense[k] == 0 {
				c.touched = append(c.touched, uint32(k))
			}
			c.dense[k]++
		}
		return
	}
	for _, k := range keys {
		c.addTimes(k, 1)
	}
}

// addTimes counts a key times over.
func (c *counter) addTimes(key uint64, times uint32) {
	if c.dense != nil {
		if c.dense[key] == 0 {
			c.touched = append(c.touched, uint32(key))
		}
		c.dense[key] += times
		return
	}
	n := c.table.put(key)
	if n == len(c.counts) {
		c.counts = append(c.counts, 0)
	}
	c.counts[n] += times
}

// drain gives every key with its count, in ascending order or in that of appearance, and
// forgets them.
func (c *counter) drain(f func(key uint64, count uint32)) {
	switch {
	case c.dense == nil:
		for i, k := range c.table.keys {
			f(k, c.counts[i])
		}
		c.table.reset()
		c.counts = c.counts[:0]
	case len(c.dense) <= 8*len(c.touched):
		for k, n := range c.dense {
			if n > 0 {
				f(uint64(k), n)
			}
		}
		clear(c.dense)
	default:
		for _, k := range c.touched {
			f(uint64(k), c.dense[k])
			c.dense[k] = 0
		}
	}
	c.touched = c.touched[:0]
}

// newScratch is a scratch for an extractor's keys.
func newScratch(space uint64) *scratch { return &scratch{count: newCounter(space)} }

// flush counts the keys in the buffer.
func (s *scratch) flush(keys []uint64) {
	s.count.add(keys)
	s.buffer = keys[:0]
}
