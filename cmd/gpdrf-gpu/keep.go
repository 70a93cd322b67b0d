package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/gpdrf/gpdrf-gpu/internal/atomicfile"
	"github.com/gpdrf/gpdrf-gpu/internal/hardware"
	"github.com/gpdrf/gpdrf-gpu/report"
	"github.com/gpdrf/gpdrf-gpu/train"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// keep adds to the run folder what reports and comparisons take from the test, and the report. A
// run is worth more than they are: what goes wrong is a warning.
func (f *finish) keep(ctx context.Context, scores *fitted.Scores) {
	if f.path == "" || f.out.End == train.Interrupted {
		return
	}
	kept, err := report.Keep(ctx, f.out.Trained, f.out.Config, f.out.Steps, f.job.Device, f.job.Test, scores)
	if err == nil {
		err = f.folder.Write(rundir.PredictionsFile, func(w io.Writer) error { return kept.Rows.Write(w, "csv") })
	}
	if err == nil && kept.Importance != nil {
		err = f.folder.Write(rundir.ImportanceFile, jsonTo(kept.Importance))
	}
	if err == nil && f.events != nil {
		var r *report.Run
		if r, err = report.Open(f.path); err == nil {
			f.events.end(f.result, f.out.Config, r.Rows)
		}
	}
	if err == nil && f.reports {
		err = f.writeReport(filepath.Join(f.path, rundir.ReportFile), f.path)
	}
	f.withoutReport(err)
}

// withoutReport warns that there is no report, if an error says why.
func (f *finish) withoutReport(err error) {
	if err != nil {
		f.note("warning: the report was left out: %v; to write it: gpdrf-gpu report %s", err, f.path)
	}
}

func jsonTo(v any) func(io.Writer) error {
	return func(w io.Writer) error {
		text, err := rundir.JSON(v)
		if err == nil {
			_, err = w.Write(text)
		}
		return err
	}
}

// history adds this command to those that have trained the run. Where it cannot, that is a warning.
func (f *finish) history() {
	past, err := report.ReadHistory(f.path)
	if err == nil {
		err = f.folder.Write(rundir.HistoryFile, jsonTo(append(past, f.session())))
	}
	if err != nil {
		f.note("warning: the command is not kept in the run folder: %v", err)
	}
}

// table writes metrics.csv.
func (f *finish) table() {
	text, err := os.ReadFile(filepath.Join(f.path, rundir.MetricsFile))
	var readings []rundir.Reading
	if err == nil {
		readings, err = report.ParseReadings(text)
	}
	if err == nil && len(readings) > 0 { // the trials of a search have none
		err = f.folder.Write(rundir.MetricsCSVFile,
			func(w io.Writer) error { return report.WriteReadings(w, readings) })
	}
	if err != nil {
		f.note("warning: %s was left out: %v", rundir.MetricsCSVFile, err)
	}
}

// session is this command.
func (f *finish) session() report.Session {
	return report.Session{
		Command: shellWords(append([]string{"gpdrf-gpu"}, f.args...)),
		Began:   f.began.UTC().Truncate(time.Second), Seconds: time.Since(f.began).Seconds(),
		Version: rundir.Version, System: runtime.GOOS + "/" + runtime.GOARCH,
		Processor: hardware.Processor(), Threads: runtime.GOMAXPROCS(0), Device: f.job.Device.Name(),
	}
}

// shellWords is a command as a shell reads it.
func shellWords(args []string) string {
	words := make([]string, len(args))
	for i, word := range args {
		if word == "" || strings.ContainsAny(word, " \t\n\"'\\$&|;<>()*?[]#~`!{}") {
			word = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
		words[i] = word
	}
	return strings.Join(words, " ")
}

// writeReport writes the page of some runs to a file.
func (p *program) writeReport(path string, folders ...string) error {
	var runs []*report.Run
	for _, folder := range folders {
		r, err := report.Open(folder)
		if err != nil {
			return err
		}
		runs = append(runs, r)
	}
	return atomicfile.WriteFile(path, func(w io.Writer) error { return report.Write(w, runs) })
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
