package columnar

import (
	"encoding/binary"
	"testing"
)

// Milliseconds within a day are of that day, also before 1970.
func TestArrowDate(t *testing.T) {
	for ms, want := range map[int64]string{0: "1970-01-01", 86_399_999: "1970-01-01", -1: "1969-12-31",
		-86_400_000: "1969-12-31", -86_400_001: "1969-12-30"} {
		var c arrowColumn
		c.fixed(arrowType{kind: arrowDate, bytes: 8}, binary.LittleEndian.AppendUint64(nil, uint64(ms)))
		if got := c.cell(0); got != want {
			t.Errorf("%d ms are %s, expected %s", ms, got, want)
		}
	}
}
