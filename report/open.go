package report

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// Run holds the contents of a run for a report.
type Run struct {
	*rundir.Run
	Label      string // its name among others
	Curve      []rundir.Reading
	Rows       *Rows       // nil where the run has none
	Importance *Importance // nil where the run has none
	History    History
}

// Open reads a run folder. A file that is missing leaves a part of the report out; one that is
// damaged is a *usage.Error.
func Open(path string) (*Run, error) {
	opened, err := rundir.OpenRun(path)
	if err != nil {
		return nil, err
	}
	r := &Run{Run: opened, Label: filepath.Base(filepath.Clean(path))}
	if r.History, err = ReadHistory(path); err != nil {
		return nil, err
	}
	for _, part := range []struct {
		name string
		read func(text []byte) error
	}{
		{rundir.MetricsFile, func(text []byte) (err error) { r.Curve, err = ParseReadings(text); return err }},
		{rundir.PredictionsFile, func(text []byte) (err error) { r.Rows, err = r.ParseRows(text); return err }},
		{rundir.ImportanceFile, func(text []byte) error { return json.Unmarshal(text, &r.Importance) }},
	} {
		text, err := os.ReadFile(filepath.Join(path, part.name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = part.read(text)
		}
		if err != nil {
			return nil, damaged(filepath.Join(path, part.name), err)
		}
	}
	return r, nil
}

// regression reports whether targets are numbers.
func (r *Run) regression() bool { return r.Result.Task == data.Regression }

// tested reports whether there are scores.
func (r *Run) tested() bool {
	return r.Result.Test.Regression != nil || r.Result.Test.Classification != nil
}
