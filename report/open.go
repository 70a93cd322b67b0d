package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// Run holds the contents of a run for a report.
type Run struct {
	*rundir.Run
	Label      string // name of the run on a page of several
	Curve      []rundir.Reading
	Rows       *TestRows   // nil if the run has no predictions
	Importance *Importance // nil if the run has none
	History    []Session
}

// Open reads a run folder. If a file is missing, a part of the report is left out. The error of a damaged file is a
// *usererror.Error.
func Open(path string) (*Run, error) {
	opened, err := rundir.OpenRun(path)
	if err != nil {
		return nil, err
	}
	r := &Run{Run: opened, Label: filepath.Base(filepath.Clean(path))}
	for _, part := range []struct {
		name  string
		parse func(text []byte) error
	}{
		{rundir.HistoryFile, func(text []byte) error { return json.Unmarshal(text, &r.History) }},
		{rundir.MetricsFile, func(text []byte) (err error) { r.Curve, err = ParseReadings(text); return err }},
		{rundir.PredictionsFile, func(text []byte) (err error) { r.Rows, err = r.ParseRows(text); return err }},
		{rundir.ImportanceFile, func(text []byte) error { return json.Unmarshal(text, &r.Importance) }},
	} {
		if err := readFile(path, part.name, part.parse); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// regression reports whether targets are numbers.
func (r *Run) regression() bool { return r.Result.Task == data.Regression }

// readFile reads a file of a run folder, if it is there. If it cannot be parsed, the error is a *usererror.Error.
func readFile(folder, name string, parse func(text []byte) error) error {
	path := filepath.Join(folder, name)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = parse(text)
	}
	if err != nil {
		return usererror.Errorf("%s: damaged: %w: remove it, and the report leaves that part out", path, err)
	}
	return nil
}

// ParseReadings reads metrics.jsonl. An error names the line. A last line without an end is left out: the disk was
// full, or the run goes on.
func ParseReadings(text []byte) (all []rundir.Reading, err error) {
	text = text[:bytes.LastIndexByte(text, '\n')+1]
	for i, line := range bytes.Split(bytes.TrimSpace(text), []byte("\n")) {
		if len(line) == 0 {
			continue
		}
		var r rundir.Reading
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		all = append(all, r)
	}
	return all, nil
}

// WriteReadings writes readings as CSV, with the names of metrics.jsonl. A missing score is an empty cell.
func WriteReadings(w io.Writer, all []rundir.Reading) error {
	out := csv.NewWriter(w)
	out.Write([]string{"step", "elbo", "ell", "kl", "lr", "val_nlpd", "val_rmse", "val_nll", "val_error", "seconds"})
	for _, r := range all {
		cells := []string{strconv.Itoa(r.Step), number(r.ELBO), number(r.ELL), number(r.KL), number(r.LR)}
		for _, score := range []*float64{r.NLPD, r.RMSE, r.NLL, r.Error} {
			cell := ""
			if score != nil {
				cell = number(*score)
			}
			cells = append(cells, cell)
		}
		out.Write(append(cells, number(r.Seconds))) // The writer keeps an error until Flush.
	}
	out.Flush()
	return out.Error()
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// Session is a command that trained a run, as in history.json. A run that was resumed has several.
type Session struct {
	Command string    `json:"command"`
	Began   time.Time `json:"began"`
	Seconds float64   `json:"seconds"`
	Version string    `json:"version"`

	System    string `json:"system"` // "linux/amd64"
	Processor string `json:"processor"`
	Threads   int    `json:"threads"`
	Device    string `json:"device"`
}

// ReadHistory reads the sessions of a run folder, which may have none.
func ReadHistory(folder string) (h []Session, err error) {
	err = readFile(folder, rundir.HistoryFile, func(text []byte) error { return json.Unmarshal(text, &h) })
	return h, err
}
