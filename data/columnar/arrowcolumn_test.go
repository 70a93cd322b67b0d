package columnar

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"
)

// types is what pyarrow has written into testdata/types.arrow and types.arrows, a column of each type.
var types = [][]string{
	strings.Fields("int8 int16 int32 int64 uint8 uint16 uint32 uint64 half single double large view " +
		"date64 seconds nanos " +
		"decimal128 decimal256 decimal64 words bool null"),
	{"-128", "-32768", "-2147483648", "-9223372036854775808", "255", "65535", "4294967295", "18446744073709551615",
		"-1.5", "0.10000000149011612", "0.1", "a text that is longer than twelve bytes",
		"a text that is longer than twelve bytes", "2001-02-03", "1970-01-01 00:00:00", "1970-01-01 00:00:00.000000001",
		"-1.25", "-1.25", "-1.25", "b", "true", ""},
	make([]string, 22),
	{"127", "5", "5", "4611686018427387905", "0", "0", "0", "0", "5.960464477539063e-08", "-3.0000000054977558e+38", "",
		"", "short", "1960-01-01", "1969-12-31 23:59:59", "2001-09-09 01:46:40", "3.00",
		"123456789012345678901234567890123456789012.00", "3.00", "a", "false", ""},
}

func TestArrowTypes(t *testing.T) {
	for _, name := range []string{"types.arrow", "types.arrows"} {
		got, err := all(sample(t, name))
		if err != nil {
			t.Fatal(name, err)
		}
		for i, row := range types {
			if !slices.Equal(got[i], row) {
				t.Errorf("%s, row %d: %q, expected %q", name, i, got[i], row)
			}
		}
	}
}

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
