package cpu

import (
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/philox"
	"github.com/gpdrf/gpdrf-gpu/internal/simd"
)

// keyOf returns the key of sample s. With draws > 0, sample s uses draw s mod draws.
func keyOf(key device.Key, s, draws int) device.Key {
	key.Sample += uint32(s)
	if draws > 0 {
		key.Sample %= uint32(draws)
	}
	return key
}

// draw fills dst with normals of the sample of a key, cols to a row. rows are the row numbers; without rows, the
// numbers start at first.
func draw[T Float](m *kernels[T], dst []T, cols int, key device.Key, rows []int32, first int) {
	words, _, c2, c3 := key.Words(0, 0)
	if key.Strata > 0 {
		for r := 0; r*cols < len(dst); r++ {
			row := uint32(first + r)
			if rows != nil {
				row = uint32(rows[r])
			}
			if rows != nil && r > 0 && rows[r] == rows[r-1] { // a prediction ends with repeated rows
				copy(dst[r*cols:][:cols], dst[(r-1)*cols:])
				continue
			}
			latin(dst[r*cols:][:cols], words, row, c2, c3, key.Strata)
		}
		return
	}
	m.normalRows(dst, cols, len(dst)/cols, cols, simd.NormalRows{Key: words, Rows: rows, First: first, C2: c2, C3: c3})
}

// latin fills a row with a point of a Latin hypercube.
func latin[T Float](dst []T, key [2]uint32, c1, c2, c3 uint32, n int) {
	for i := 0; i < len(dst); i += 4 {
		z := philox.Latin(key, uint32(i/4), c1, c2, c3, n)
		for q := range min(4, len(dst)-i) {
			dst[i+q] = T(z[q])
		}
	}
}
