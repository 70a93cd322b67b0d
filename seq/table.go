package seq

import (
	"math/bits"
	"slices"
)

// table numbers keys in the order in which they are first put. It is a hash table with open addressing whose slots hold
// numbers, so that it can be walked in order and emptied fast.
type table struct {
	keys  []uint64
	slots []uint32 // number + 1; 0 is empty
	shift uint     // 64 − log₂ of the slots
}

const golden = 0x9E3779B97F4A7C15 // 2⁶⁴ over the golden ratio

const fewestSlots = 64

func newTable() *table {
	return &table{slots: make([]uint32, fewestSlots), shift: uint(64 - bits.TrailingZeros(fewestSlots))}
}

// tableOf returns a table of distinct keys, whose memory it shares: no keys may be added.
func tableOf(keys []uint64) *table {
	size := max(fewestSlots, 1<<bits.Len(uint(2*len(keys))))
	t := &table{keys: keys, slots: make([]uint32, size), shift: uint(64 - bits.TrailingZeros(uint(size)))}
	t.number()
	return t
}

func (t *table) len() int { return len(t.keys) }

// hash mixes high bits down before the multiplication, which carries only upwards.
func (t *table) hash(key uint64) int { return int((key ^ key>>32) * golden >> t.shift) }

// slot returns the slot of key, or the empty slot for it.
func (t *table) slot(key uint64) *uint32 {
	mask := len(t.slots) - 1
	for at := t.hash(key); ; at++ {
		if slot := &t.slots[at&mask]; *slot == 0 || t.keys[*slot-1] == key {
			return slot
		}
	}
}

// find returns the number of key, or −1.
func (t *table) find(key uint64) int { return int(*t.slot(key)) - 1 }

// findAll writes the number of each key, or −1, into dst. Many keys are looked up side by side, so that they wait for
// memory together.
func (t *table) findAll(dst []int32, keys []uint64) {
	const together = 64
	var slots [together]uint32
	var there [together]uint64
	if len(t.keys) == 0 {
		for i := range dst {
			dst[i] = -1
		}
		return
	}
	for len(keys) > 0 {
		n := min(len(keys), together)
		for i, key := range keys[:n] {
			slots[i] = t.slots[t.hash(key)]
		}
		for i, slot := range slots[:n] {
			there[i] = t.keys[max(slot, 1)-1]
		}
		for i, key := range keys[:n] {
			dst[i] = int32(slots[i]) - 1
			if slots[i] > 0 && there[i] != key {
				dst[i] = int32(t.find(key))
			}
		}
		dst, keys = dst[n:], keys[n:]
	}
}

// put returns the number of key, and adds it with the next number if it is new.
func (t *table) put(key uint64) int {
	slot := t.slot(key)
	if *slot > 0 {
		return int(*slot) - 1
	}
	t.keys = append(t.keys, key)
	*slot = uint32(len(t.keys))
	if 2*len(t.keys) > len(t.slots) {
		t.grow()
	}
	return len(t.keys) - 1
}

// down numbers a chain of symbols, from 1, by its last symbol and the number of the chain before it, 0 for the empty
// chain.
func (t *table) down(chain, symbol uint64) uint64 { return uint64(t.put(chain<<32|symbol)) + 1 }

// downBeside returns a down that leaves t unchanged: new chains go into local, with numbers behind the numbers of t.
func (t *table) downBeside(local *table) func(chain, symbol uint64) uint64 {
	return func(chain, symbol uint64) uint64 {
		key := chain<<32 | symbol
		if n := t.find(key); n >= 0 {
			return uint64(n) + 1
		}
		return uint64(t.len()+local.put(key)) + 1
	}
}

func (t *table) grow() {
	t.slots = make([]uint32, 4*len(t.slots))
	t.shift -= 2
	t.number()
}

// number enters the numbers of all keys into empty slots.
func (t *table) number() {
	for i, key := range t.keys {
		*t.slot(key) = uint32(i + 1)
	}
}

// reset forgets all keys. If few of many slots are used, it empties these one by one.
func (t *table) reset() {
	if 16*len(t.keys) >= len(t.slots) {
		clear(t.slots)
	} else {
		mask := len(t.slots) - 1
		for i, key := range t.keys {
			at := t.hash(key)
			for t.slots[at] != uint32(i+1) {
				at = (at + 1) & mask
			}
			t.slots[at] = 0
		}
	}
	t.keys = t.keys[:0]
}

// columns are the places of keys in ascending order.
type columns struct {
	width int
	dense []int32 // column of each key, −1 without one; nil unless all keys are below a small number

	table *table
}

// newColumns returns the columns of ascending keys below space; 0 if the keys have no small bound.
func newColumns(keys []uint64, space uint64) *columns {
	c := &columns{width: len(keys)}
	if space > 0 && space <= denseSpace {
		c.dense = slices.Repeat([]int32{-1}, int(space))
		for i, k := range keys {
			c.dense[k] = int32(i)
		}
		return c
	}
	c.table = tableOf(keys)
	return c
}

// lookup writes the column of each key into dst, or −1 for a key without a column, and reports whether there is such a
// key.
func (c *columns) lookup(dst []int32, keys []uint64) (strays bool) {
	dst = dst[:len(keys)]
	all := int32(0)
	if c.dense != nil {
		for i, k := range keys {
			column := c.dense[k]
			dst[i] = column
			all |= column
		}
		return all < 0
	}
	c.table.findAll(dst, keys)
	for _, column := range dst {
		all |= column
	}
	return all < 0
}
