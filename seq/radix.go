package seq

import (
	"math/bits"
	"slices"
)

// sortKeys sorts keys in ascending order. spare is scratch, and is returned, grown where it was too short.
func sortKeys(keys, spare []uint64) (sorted, scratch []uint64) {
	const few, many = 128, 1 << 13
	if len(keys) < few {
		slices.Sort(keys)
		return keys, spare
	}
	spare = slices.Grow(spare[:0], len(keys))[:len(keys)]
	all := uint64(0)
	for _, k := range keys {
		all |= k
	}
	var memory [1 << 11]uint32
	digit := 8
	if len(keys) >= many {
		digit = 11
	}
	starts := memory[:1<<digit]
	mask := uint64(len(starts) - 1)
	for shift := 0; shift < bits.Len64(all); shift += digit {
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
	return keys, spare
}
