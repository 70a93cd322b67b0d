package report

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/internal/safetensors"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// The list has the number of scored test rows of a run whose test was cut by a time limit. A model that is gone or cut
// short is damaged, and a result without facts is left out.
func TestRunsAreListed(t *testing.T) {
	folder := t.TempDir()
	var model bytes.Buffer
	must.OK(t, safetensors.Write(&model, nil, []safetensors.Tensor{{Name: "w", DType: "F64", Shape: []int{1},
		Data: []float64{1}}}))
	put := func(name, text string) { must.OK(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666)) }
	list := func() (Entry, []error) {
		var left []error
		all := must.Get(List(folder, func(err error) { left = append(left, err) }))(t)
		return append(all, Entry{})[0], left
	}
	put(rundir.ConfigFile, "")
	put(rundir.ResultFile, `{"model": "gpdrf", "n_test": 90, "test_cut": {"rows": 12, "samples": 1}}`)
	for status, text := range map[string]string{"complete": model.String(), "damaged model": model.String()[:70]} {
		put(rundir.ModelFile, text)
		if e, left := list(); e.Cut != "12 of 90" || e.Status != status || left != nil {
			t.Errorf("%s: %+v, %v", status, e, left)
		}
	}
	must.OK(t, os.Remove(filepath.Join(folder, rundir.ModelFile)))
	if e, left := list(); e.Status != "damaged model" || left != nil {
		t.Errorf("without its model: %+v, %v", e, left)
	}
	put(rundir.ResultFile, "{}")
	if e, left := list(); e.Run != "" || len(left) != 1 {
		t.Errorf("an empty result: %+v, %v", e, left)
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
	if want := (Entry{Run: search, Data: "houses", Model: "gpdrf", Status: "unfinished search", Steps: 42,
		Seconds: 2.5}); all[0] != want {
		t.Errorf("%+v, expected %+v", all[0], want)
	}
}
