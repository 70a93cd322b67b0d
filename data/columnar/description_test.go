package columnar

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"
)

// A description with long lists, values far within each other, or more columns than it has room for is an error that
// takes little memory.
func TestDescriptions(t *testing.T) {
	const field1List, field1Struct, field2List, field5 = 0x19, 0x1c, 0x29, 0x55
	list := func(n int, elements ...byte) []byte { // of field 2, or of field 4 after it: of structs
		return append(binary.AppendUvarint([]byte{field2List, 0xfc}, uint64(n)), elements...)
	}
	empty := make([]byte, 1000) // each byte is a struct without fields
	for what, test := range map[string]struct {
		text []byte
		says string
	}{
		"a long list":        {list(1 << 22), "a list of 4194304"},
		"lists in lists":     {bytes.Repeat([]byte{field1List}, 1<<16), "within each other"},
		"structs in structs": {bytes.Repeat([]byte{field1Struct}, 1<<16), "within each other"},
		"groups of columns in groups": {append(list(1000, bytes.Repeat([]byte{field5, 2, 0}, 1000)...), 0),
			"groups of columns within each other"},
		"columns times groups": {slices.Concat(list(1000, empty...), list(1000, empty...), []byte{0}),
			"1000 columns in 1000 groups of rows"},
	} {
		text := slices.Concat([]byte("PAR1"), test.text,
			binary.LittleEndian.AppendUint32(nil, uint32(len(test.text))), []byte("PAR1"))
		taken, err := takes(text)
		if err == nil || !strings.Contains(err.Error(), test.says) ||
			!strings.Contains(err.Error(), "write it again") {
			t.Errorf("%s: %v, expected an error with %q", what, err, test.says)
		}
		if taken > 1<<20 {
			t.Errorf("%s: %d bytes were taken", what, taken)
		}
	}
}
