package seq

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// A counter of any kind counts like a map, and forgets; more keys than wait, and a sequence of few after one of many,
// included.
func TestCounter(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, space := range []uint64{1, 100, 64 * fewWords, 64*fewWords + 1, denseSpace, 1 << 40} {
		c := newCounter(space)
		c.add([]uint64{space - 1})
		c.drain()
		if (c.dense != nil) != (space <= denseSpace) || (c.words != nil) != (c.dense != nil && space > 64*fewWords) {
			t.Fatalf("%d keys: the wrong kind of counter", space)
		}
		for _, n := range []int{0, 3, 3 * fewPending, 70} {
			want := map[uint64]uint32{}
			for left := n; left > 0; {
				keys := make([]uint64, min(left, 1000))
				for i := range keys {
					keys[i] = r.Uint64N(min(space, uint64(1+r.IntN(1<<20))))
					want[keys[i]]++
				}
				c.add(keys)
				left -= len(keys)
			}
			got := c.drain()
			if !slices.Equal(got.keys, slices.Sorted(maps.Keys(want))) {
				t.Fatalf("%d of %d: %d keys, want %d in ascending order", n, space, len(got.keys), len(want))
			}
			for i, k := range got.keys {
				if got.counts[i] != want[k] {
					t.Fatalf("%d of %d: %d counted %d times, want %d", n, space, k, got.counts[i], want[k])
				}
			}
		}
	}
}
