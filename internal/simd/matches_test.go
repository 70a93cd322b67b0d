package simd

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// TestMatches: every tier has the sums of a loop over bytes, and allocates nothing.
func TestMatches(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const rows = 30
	counts := make([]uint64, 8*rows)
	for i := range counts {
		for b := range 8 {
			counts[i] |= uint64(r.IntN(4)) << (8 * b)
		}
	}
	for _, c := range [][2]int{{0, 3}, {1, 3}, {7, 3}, {1<<14 + 3, 3}, {0, 5}, {1, 5}, {1<<14 + 3, 5}} {
		n, parts := c[0], c[1]
		at := make([]uint32, parts*n)
		for i := range at {
			at[i] = uint32(r.IntN(rows)) * MatchLanes
		}
		for _, least := range []int{0, 6, 15} {
			var weight [16]byte
			for i := least; i < 16; i++ {
				weight[i] = byte(255 - i)
			}
			want := [8]uint64{1, 2, 3}
			for w := 0; w < len(at); w += parts {
				for lane := range MatchLanes {
					sum := uint64(0)
					for _, row := range at[w : w+parts] {
						sum += counts[int(row)/8+lane/8] >> (8 * (lane % 8)) & 0xff
					}
					want[lane/8] += uint64(weight[sum])
				}
			}
			eachTier(t, func(t *testing.T) {
				got := [8]uint64{1, 2, 3}
				if Matches(&got, parts, at, counts, &weight); got != want {
					t.Errorf("%d windows of %d rows: %v, want %v", n, parts, got, want)
				}
			})
		}
	}
	eachTier(t, func(t *testing.T) {
		if n := must.AllocsPerRun(10, func() {
			var sums [8]uint64
			var weight [16]byte
			Matches(&sums, 3, []uint32{0, 64, 128}, counts, &weight)
		}); n != 0 {
			t.Errorf("%g allocations", n)
		}
	})
}

func BenchmarkMatches(b *testing.B) {
	for _, c := range []struct{ parts, rows int }{{3, 384}, {5, 2000}} {
		b.Run(strconv.Itoa(c.parts), func(b *testing.B) {
			counts, at, weight := make([]uint64, 8*c.rows), make([]uint32, c.parts*91), [16]byte{6: 1, 7, 28, 84, 210}
			for i := range at {
				at[i] = uint32(i*7919%c.rows) * MatchLanes
			}
			var sums [8]uint64
			for b.Loop() {
				Matches(&sums, c.parts, at, counts, &weight)
			}
			b.ReportMetric(float64(b.N*91*MatchLanes)/1e9/b.Elapsed().Seconds(), "Gpairs/s")
		})
	}
}
