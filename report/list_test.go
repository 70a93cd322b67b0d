package report

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// A search that has not ended is listed.
func TestSearchIsListed(t *testing.T) {
	folder := t.TempDir()
	search := filepath.Join(folder, "houses-best-1")
	if err := os.Mkdir(search, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{rundir.SearchFile: "{}", rundir.HistoryFile: `[{"command": "gpdrf-gpu"}]`} {
		if err := os.WriteFile(filepath.Join(search, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	all, err := List(folder, func(err error) { t.Error(err) })
	if err != nil || len(all) != 1 || all[0].Run != search || all[0].Standing != "unfinished" || all[0].Began == nil {
		t.Errorf("%+v, %v", all, err)
	}
}
