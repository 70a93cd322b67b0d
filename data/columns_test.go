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

// Columns that are not read may hold bytes: those that a user leaves out, and those that training had not.
func TestBytesBesideColumns(t *testing.T) {
	for name, opt := range map[string]ReadOptions{
		"ignored by name":   {TableOptions: TableOptions{Ignore: "b"}},
		"ignored by number": {TableOptions: TableOptions{Ignore: "2"}},
		"unknown":           {Like: &Schema{Columns: []string{"a"}, Target: "y"}},
	} {
		in := &input{name: "t.parquet", opt: opt}
		rows := &columnRows{Reader: byteRows{}, name: "t.parquet", spared: in.spared([]string{"a", "b"})}
		if _, err := rows.Read(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	in := &input{name: "t.parquet", opt: ReadOptions{Like: &Schema{Columns: []string{"a", "b"}, Target: "y"}}}
	if spared := in.spared([]string{"a", "b"}); spared[0] || spared[1] {
		t.Errorf("inputs are spared: %v", spared)
	}
	for _, opt := range []ReadOptions{{Like: &Schema{Columns: []string{"a"}, Target: "y", ID: "b"}},
		{Like: &Schema{Columns: []string{"a"}, Target: "y"}, TableOptions: TableOptions{ID: "2"}}} {
		in := &input{name: "t.parquet", opt: opt}
		rows := &columnRows{Reader: byteRows{}, name: "t.parquet", spared: in.spared([]string{"a", "b"})}
		if _, err := rows.Read(); err == nil {
			t.Errorf("names of rows, which predictions carry, hold bytes: %+v", opt)
		}
	}
}
