package seq

import (
	"math/bits"
	"slices"
)

// longestDigit is how many bits are sorted at a time at most, so that their counters stay in the
// cache.
const longestDigit = 11

// sorter is the memory of a sort.
type sorter struct {
	spare  []uint64
	starts [1 << longestDigit]uint32
}

// sort returns keys in ascending order, in their own memory or in that of s, which keeps the other.
// Digits have fewer bits where there are few keys, and only the bits in use are sorted.
func (s *sorter) sort(keys []uint64) []uint64 {
	all, size := uint64(0), bits.Len(uint(len(keys)))
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
