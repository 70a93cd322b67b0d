package simd

// MatchLanes is the number of windows that are compared with one at a time: a byte each, in rows of eight words.
const MatchLanes = 64

// Matches adds up the similarities of len(at)/parts windows to MatchLanes others. Each window adds parts rows of counts
// bytewise; weight maps each count (<16) to its value; sums[i] adds word i's eight values. parts is 3 or 5; at holds
// the offsets of rows, in bytes; no sum exceeds a word.
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
