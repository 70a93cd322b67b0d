package data

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/internal/tablefile"
)

// byteRows are rows whose second cell is no UTF-8, or another text.
type byteRows struct {
	tablefile.Reader
	cell string
}

func (b byteRows) Read() ([]string, error) { return []string{"1", cmp.Or(b.cell, "caf\xe9")}, nil }

// Bytes in a column of a typed file are an error with their place: a model file cannot hold them.
func TestBytesInColumns(t *testing.T) {
	rows := &columnRows{Reader: byteRows{}, name: "t.parquet"}
	const want = `t.parquet:1:2: is not UTF-8 text ("caf\xe9")`
	_, err := rows.Read()
	wantError(t, "", err, strings.HasPrefix, want)
	rows.Reader = byteRows{cell: "r\x00"}
	_, err = rows.Read()
	wantError(t, "", err, strings.HasPrefix, "t.parquet:2:2: found a byte 0x00, which text does not have")
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
	must.OK(t, err)
	all := strings.Join(notes, "\n")
	if n := strings.Count(all, "is true or false"); n != maxNotes ||
		!strings.Contains(all, "t.csv: not shown: 12 more notes about its columns") ||
		!strings.Contains(all, "missing cells are filled in with medians") {
		t.Errorf("%d notes:\n%s", n, all)
	}
}

// listRows are the rows of a file with a column of lists.
type listRows struct {
	tablefile.Reader
	row int
}

func (*listRows) Columns() []tablefile.Column {
	return []tablefile.Column{{Name: "a"}, {Name: "emb", Unread: "LIST"}, {Name: "y"}}
}

func (r *listRows) Read() ([]string, error) {
	if r.row++; r.row > 12 {
		return nil, io.EOF
	}
	return []string{fmt.Sprint(r.row, ".25"), "", fmt.Sprint(r.row, ".5")}, nil
}

// A column of lists in a file is left out with a note. It is an error as the target, and as an input of a model.
func TestListsInColumns(t *testing.T) {
	library := *must.Get(tablefile.Linked())(t)
	defer tablefile.Register(library)
	lists := library
	lists.OpenParquet = func(io.ReaderAt, int64) (tablefile.Reader, error) { return &listRows{}, nil }
	tablefile.Register(lists)
	path := filepath.Join(t.TempDir(), "t.parquet")
	must.OK(t, os.WriteFile(path, []byte("PAR1PAR1"), 0o600))
	const note = `column "emb" is of type LIST, which cannot be read: left out`
	for ignore, want := range map[string]bool{"": true, "emb": false} {
		ds, notes, err := ReadFile(path, ReadOptions{TableOptions: TableOptions{Ignore: ignore}})
		if err != nil || ds.N() != 12 || strings.Contains(strings.Join(notes, "\n"), note) != want {
			t.Errorf("left out %q: %q, %v", ignore, notes, err)
		}
	}
	for what, opt := range map[string]ReadOptions{
		"target":  {Target: "emb"},
		"weights": {TableOptions: TableOptions{Roles: RowRoles{Weights: "emb"}}},
		"input":   {Schema: &Schema{Columns: []string{"a", "emb"}, Target: "y", Task: Regression}},
	} {
		_, _, err := ReadFile(path, opt)
		wantError(t, what, err, strings.Contains, `"emb" is of type LIST`)
	}
}
