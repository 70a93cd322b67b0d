package data

import (
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/tablefile"
)

// byteRows are rows whose second cell is no UTF-8.
type byteRows struct{ tablefile.Reader }

func (byteRows) Read() ([]string, error) { return []string{"1", "caf\xe9"}, nil }

// Bytes in a column of a typed file are an error with their place: a model file cannot hold them.
func TestBytesInColumns(t *testing.T) {
	rows := &columnRows{Reader: byteRows{}, name: "t.parquet"}
	const want = `t.parquet:1:2: is not UTF-8 text ("caf\xe9")`
	if _, err := rows.Read(); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, expected %s", err, want)
	}
}
