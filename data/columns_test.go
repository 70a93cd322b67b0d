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
	_, err := rows.Read()
	wantError(t, "", err, strings.HasPrefix, want)
}

// Columns that are not read may hold bytes: those that a user leaves out, and those that training had not.
func TestBytesBesideColumns(t *testing.T) {
	for name, opt := range map[string]ReadOptions{
		"ignored by name":   {TableOptions: TableOptions{Ignore: "b"}},
		"ignored by number": {TableOptions: TableOptions{Ignore: "2"}},
		"unknown":           {Schema: &Schema{Columns: []string{"a"}, Target: "y"}},
	} {
		in := &input{name: "t.parquet", opt: opt}
		rows := &columnRows{Reader: byteRows{}, name: "t.parquet", spared: in.spared([]string{"a", "b"})}
		if _, err := rows.Read(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	in := &input{name: "t.parquet", opt: ReadOptions{Schema: &Schema{Columns: []string{"a", "b"}, Target: "y"}}}
	if spared := in.spared([]string{"a", "b"}); spared[0] || spared[1] {
		t.Errorf("inputs are spared: %v", spared)
	}
	for _, opt := range []ReadOptions{{Schema: &Schema{Columns: []string{"a"}, Target: "y", ID: "b"}},
		{Schema: &Schema{Columns: []string{"a"}, Target: "y"}, TableOptions: TableOptions{ID: "2"}}} {
		in := &input{name: "t.parquet", opt: opt}
		rows := &columnRows{Reader: byteRows{}, name: "t.parquet", spared: in.spared([]string{"a", "b"})}
		if _, err := rows.Read(); err == nil {
			t.Errorf("names of rows, which predictions carry, hold bytes: %+v", opt)
		}
	}
}

// A wide table has a bounded number of notes about its columns, and those about all of them stay.
func TestNotesOfManyColumns(t *testing.T) {
	const columns = maxNotes + 12
	text := strings.Repeat("true,", columns) + "0.5\n" + strings.Repeat("false,", columns) + "1.5\n" +
		strings.Repeat(",", columns) + "2.5\n"
	_, notes, err := readText(text, ReadOptions{TableOptions: TableOptions{Missing: MissingImpute}})
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(notes, "\n")
	if n := strings.Count(all, "is true or false"); n != maxNotes ||
		!strings.Contains(all, "t.csv: not shown: 12 more notes about its columns") ||
		!strings.Contains(all, "missing cells are filled in with medians") {
		t.Errorf("%d notes:\n%s", n, all)
	}
}
