package data

import (
	"runtime"
	"strings"
	"testing"
)

// A header that claims a hundred million columns costs next to no memory where the file does not
// hold them, plain or gzip.
func TestHeadersClaimNoMemory(t *testing.T) {
	array := npy("<f8", "2, 100000000", make([]float64, 6))
	images := "\x00\x00\x08\x03\x00\x00\x00\x02\x00\x00\x27\x10\x00\x00\x27\x10few"
	for _, c := range []struct{ name, text, want string }{
		{"t.npy", array, "t.npy: byte 176: ends in the middle of its 200000000 values"},
		{"x.npy", array, "x.npy: byte 176: ends in the middle of its 200000000 values"},
		{"t.npy.gz", zipped(array), "ends in the middle of its 200000000 values"},
		{"x.npy.gz", zipped(array), "ends in the middle of its 200000000 values"},
		{"t.npz", zipOf("x.npy", array), "ends in the middle of its 200000000 values"},
		{"images", images, "images: byte 19: ends in the middle of its 200000000 values"},
		{"images.gz", zipped(images), "byte 19: ends in the middle of its 200000000 values"},
	} {
		path := write(t, c.name, c.text)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _, err := ReadFile(path, ReadOptions{})
		runtime.ReadMemStats(&after)
		wantError(t, c.name, err, strings.Contains, c.want)
		if took := after.TotalAlloc - before.TotalAlloc; took > 16<<20 {
			t.Errorf("%s: took %d bytes", c.name, took)
		}
	}
}
