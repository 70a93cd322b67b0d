package simd

// MatchLanes is how many windows are compared with one at a time: a byte each, in rows of eight
// words.
const MatchLanes = 64

// Matches adds up what windows have in common with MatchLanes others. For each of len(at)/parts
// windows, so many rows of counts are added, byte by byte, to numbers below 16; weight says what
// each is worth, and sums[i] grows by those of the eight bytes of word i. parts is 3 or 5; at holds
// where rows begin, in bytes; no sum exceeds a word.
func Matches(sums *[8]uint64, parts int, at []uint32, counts []uint64, weight *[16]byte) {
	if parts != 3 && parts != 5 || len(at)%parts != 0 {
		panic("simd: a window is three rows, or five")
	}
	matches(sums, parts, at, counts, weight)
}

func matchesScalar(sums *[8]uint64, parts int, at []uint32, counts []uint64, weight *[16]byte) {
	const ones = 0x0101010101010101
	least := uint64(0) // the least number that is worth something
	for least < 15 && weight[least] == 0 {
		least++
	}
	few := (0x80 - least) * ones
	for ; len(at) > 0; at = at[parts:] {
		var row [8]uint64
		for _, from := range at[:parts] {
			for i, v := range counts[from/8:][:8] {
				row[i] += v
			}
		}
		for i, v := range row {
			if (v+few)&(0x80*ones) == 0 {
				continue
			}
			sum := 0
			for range 8 {
				sum += int(weight[v&15])
				v >>= 8
			}
			sums[i] += uint64(sum)
		}
	}
}
