package seq

import (
	"math/bits"
	"slices"
)

// sortByColumn sorts entries column<<32 | count by column, all below width. spare is scratch
// and is returned, grown where it was too short.
func sortByColumn(entries, spare []uint64, width int) (sorted, scratch []uint64) {
	const digit, few = 11, 128
	if len(entries) < few {
		slices.Sort(entries)
		return entries, spare
	}
	spare = slices.Grow(spare[:0], len(entries))[:len(entries)]
	var starts [1 << digit]int
	for shift := 32; shift < 32+bits.Len(uint(width-1)); shift += digit {
		clear(starts[:])
		for _, e := range entries {
			starts[e>>shift&(1<<digit-1)]++
		}
		sum := 0
		for i, n := range starts {
			starts[i] = sum
			sum += n
		}
		for _, e := range entries {
			d := e >> shift & (1<<digit - 1)
			spare[starts[d]] = e
			starts[d]++
		}
		entries, spare = spare, entries
	}
	return entries, spare
}
