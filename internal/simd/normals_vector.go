//go:build amd64 || arm64

package simd

import (
	"math/bits"

	"github.com/gpdrf/gpdrf-gpu/internal/philox"
)

// counters are the first two counter words of the lanes of a register.
type counters struct {
	lanes  int
	shift  int // shift that divides by a quarter of the lanes
	keys   [20]uint32
	c0, c1 [16]uint32
}

func newCounters(key [2]uint32) (c counters) {
	c.lanes = panelBytes() / 8
	c.shift = bits.TrailingZeros(uint(c.lanes / 4))
	c.keys = philox.Schedule(key)
	return c
}

// set puts a counter into the lane whose four normals are number slot of the kernel's output.
func (c *counters) set(slot int, c0, c1 uint32) {
	lane := slot&(1<<c.shift-1)*4 + slot>>c.shift
	c.c0[lane], c.c1[lane] = c0, c1
}

// draw writes 4·lanes normals for each of blocks registers of counters.
func (c *counters) draw(dst *float32, blocks int, c2, c3 uint32) {
	normals32Kernel(blocks, dst, &c.keys, &c.c0, &c.c1, c2, c3)
}

func normals32(dst []float32, key [2]uint32, c1, c2, c3 uint32) {
	if active == scalar {
		normalsScalar(dst, key, c1, c2, c3)
		return
	}
	c := newCounters(key)
	block := 4 * c.lanes
	for i := 0; i < len(dst); {
		for s := range c.lanes {
			c.set(s, uint32(i/4+s), c1)
		}
		if whole := min(chunk, len(dst)-i) / block; whole > 0 {
			c.draw(&dst[i], whole, c2, c3)
			i += whole * block
			continue
		}
		var last [64]float32
		c.draw(&last[0], 1, c2, c3)
		i += copy(dst[i:], last[:block])
	}
}

func normalRows32(dst []float32, ld, n, cols int, rows NormalRows) {
	switch {
	case active == scalar:
		normalRowsScalar(dst, ld, n, cols, rows)
	case cols >= 64:
		for r := range n {
			normals32(dst[r*ld:][:cols], rows.Key, rows.c1(r), rows.C2, rows.C3)
		}
	default:
		normalShortRows32(dst, ld, n, cols, rows)
	}
}

// normalShortRows32 gives the lanes of a register to counters of several rows.
func normalShortRows32(dst []float32, ld, n, cols int, rows NormalRows) {
	c := newCounters(rows.Key)
	var out [64]float32
	var to [16][]float32 // destinations of the normals of each slot
	used := 0
	flush := func() {
		c.draw(&out[0], 1, rows.C2, rows.C3)
		for s, d := range to[:used] {
			copy(d, out[4*s:4*s+4])
		}
		used = 0
	}
	for r := range n {
		row, c1 := dst[r*ld:][:cols], rows.c1(r)
		for i := 0; i < cols; i += 4 {
			c.set(used, uint32(i/4), c1)
			to[used] = row[i:]
			if used++; used == c.lanes {
				flush()
			}
		}
	}
	if used > 0 {
		flush()
	}
}
