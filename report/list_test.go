package report

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// The list has the number of scored test rows of a run whose test was cut by a time limit.
func TestCutIsListed(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		rundir.ConfigFile: "", rundir.ResultFile: `{"n_test": 90, "test_cut": {"rows": 12, "samples": 1}}`,
	} {
		must.OK(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666))
	}
	all, err := List(folder, func(err error) { must.OK(t, err) })
	if err != nil || len(all) != 1 || all[0].Cut != "12 of 90" {
		t.Errorf("%+v, %v", all, err)
	}
}

// A search that has not ended is listed, with its data and the steps of its trials.
func TestSearchIsListed(t *testing.T) {
	folder := t.TempDir()
	search := filepath.Join(folder, "houses-best-1")
	must.OK(t, os.Mkdir(search, 0o777))
	for name, text := range map[string]string{
		rundir.SearchFile: `{"given": [{"key": "data", "text": "../houses.csv.gz"}, {"key": "preset", "text": "best"}],
			"used": 2500000000, "candidates": [{"trials": [{"steps": 30}, {"steps": 12}]}]}`,
		rundir.HistoryFile: `[{"command": "gpdrf-gpu"}]`,
	} {
		must.OK(t, os.WriteFile(filepath.Join(search, name), []byte(text), 0o666))
	}
	all, err := List(folder, func(err error) { t.Error(err) })
	if err != nil || len(all) != 1 || all[0].Began == nil {
		t.Fatalf("%+v, %v", all, err)
	}
	all[0].Began = nil
	if want := (Entry{Run: search, Data: "houses", Model: "gpdrf", Standing: "unfinished search", Steps: 42,
		Seconds: 2.5}); all[0] != want {
		t.Errorf("%+v, expected %+v", all[0], want)
	}
}
