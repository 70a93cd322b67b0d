package data

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/internal/tablefile"
)

// listRows are the rows of a file with a column of lists.
type listRows struct {
	tablefile.Reader
	row int
}

func (*listRows) Columns() []tablefile.Column {
	return []tablefile.Column{{Name: "a"}, {Name: "emb", Unread: "LIST"}, {Name: "y"}}
}

func (*listRows) ReadNumbers([]float64, []bool, float64) bool { return false }

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
