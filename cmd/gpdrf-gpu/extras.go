package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/gpdrf/gpdrf-gpu/internal/atomicfile"
	"github.com/gpdrf/gpdrf-gpu/internal/hardware"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/internal/version"
	"github.com/gpdrf/gpdrf-gpu/report"
	"github.com/gpdrf/gpdrf-gpu/train"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// The names of the extras of a run.
const (
	checkExtra  = "the check for memorised rows"
	reportExtra = "the report"
)

// extra computes one extra and reports success. A failure is a warning.
func (o *runOutput) extra(ctx context.Context, guard *exitGuard, what string,
	work func(context.Context) (write func() error, err error)) bool {
	guard.set(func() { o.extraName = what })
	err := runExtra(ctx, guard, extraTimeout(o.job.Started), work)
	if err != nil && !hasEnded(err) {
		o.leaveOut(err)
	}
	return err == nil
}

// leaveOut prints the reason for leaving out the current extra.
func (o *runOutput) leaveOut(why any) {
	hint := ""
	if o.extraName == reportExtra {
		hint = "; to write it: gpdrf-gpu report " + o.path
	}
	o.p.warn("%s was left out: %v%s", o.extraName, why, hint)
}

// generalise compares the scores of training rows with those of test rows.
func (o *runOutput) generalise(ctx context.Context, guard *exitGuard, scores *fitted.Scores) {
	if o.result.Generalisation != nil {
		return
	}
	o.extra(ctx, guard, checkExtra, func(ctx context.Context) (func() error, error) {
		g, err := o.job.MeasureGeneralisation(ctx, o.out.Trained, scores)
		return func() error {
			o.result.Generalisation = g
			return o.writeResult()
		}, err
	})
}

// addExtras adds the predictions of test rows, the log of TensorBoard and the report to the run folder. Without scores
// it adds the report alone.
func (o *runOutput) addExtras(ctx context.Context, guard *exitGuard, scores *fitted.Scores) {
	if o.path == "" || o.out.StopReason == train.Interrupted {
		return
	}
	ok := scores == nil || o.extra(ctx, guard, reportExtra, func(ctx context.Context) (func() error, error) {
		return o.predictions(ctx, scores)
	})
	if ok && scores != nil && o.events != nil {
		ok = o.extra(ctx, guard, reportExtra, func(context.Context) (func() error, error) {
			r, err := report.Open(o.path)
			if err != nil {
				return nil, err
			}
			records := o.events.scores(o.result, o.out.Config, r.Rows)
			return func() error { o.events.write(records, true); return nil }, nil
		})
	}
	if ok && o.p.reports {
		o.extra(ctx, guard, reportExtra, func(context.Context) (func() error, error) {
			text, err := page(o.path)
			return func() error { return o.folder.Write(rundir.ReportFile, atomicfile.Text(text)) }, err
		})
	}
}

// predictions computes the file of the predictions of test rows, and the importance of inputs.
func (o *runOutput) predictions(ctx context.Context, scores *fitted.Scores) (write func() error, err error) {
	out, job := o.out, o.job
	rows, importance, err := report.KeepTestRows(ctx, out.Trained, out.Config, out.Steps, job.Device, job.Test, scores)
	if err != nil {
		return nil, err
	}
	return func() error { // the predictions are written last: a run that has them has both
		if importance != nil {
			if err := o.folder.Write(rundir.ImportanceFile, atomicfile.JSON(importance)); err != nil {
				return err
			}
		}
		return o.folder.Write(rundir.PredictionsFile, atomicfile.Text(rows))
	}, nil
}

// writeHistory adds this command to the history of the run. A failure is a warning.
func (o *runOutput) writeHistory() {
	if err := o.p.keepSession(o.folder, o.job.Device.Name()); err != nil {
		o.p.warn("the command is not kept in the run folder: %v", err)
	}
}

func (o *runOutput) writeMetricsTable() {
	text, err := os.ReadFile(filepath.Join(o.path, rundir.MetricsFile))
	var readings []rundir.Reading
	if err == nil {
		readings, err = rundir.ParseReadings(text)
	}
	if err == nil && len(readings) > 0 { // the trials of a search have no readings
		err = o.folder.Write(rundir.MetricsCSVFile,
			func(w io.Writer) error { return rundir.WriteReadings(w, readings) })
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // a search that has ended has no log
		o.p.warn("%s was left out: %v", rundir.MetricsCSVFile, err)
	}
}

// keepSession adds this command to the history of the run in a folder. It replaces what the command added at an earlier
// checkpoint.
func (p *program) keepSession(folder *rundir.Folder, device string) error {
	past, err := rundir.ReadHistory(folder.Path())
	if err != nil {
		return err
	}
	line := "gpdrf-gpu" // the command in the syntax of a shell
	for _, word := range p.args {
		line += " " + usererror.ShellWord(word)
	}
	now := rundir.Session{
		Command: line, Given: p.given, NoReport: !p.reports,
		Began: p.began.UTC().Truncate(time.Second), Seconds: time.Since(p.began).Seconds(),
		Version: version.Number, System: runtime.GOOS + "/" + runtime.GOARCH,
		Processor: hardware.Processor(), Threads: runtime.GOMAXPROCS(0), Device: device,
	}
	if n := len(past); n > 0 && past[n-1].Command == now.Command && past[n-1].Began.Equal(now.Began) {
		past = past[:n-1]
	}
	return folder.Write(rundir.HistoryFile, atomicfile.JSON(append(past, now)))
}

// page returns the report of the runs in some folders.
func page(folders ...string) ([]byte, error) {
	runs, err := openRuns(folders)
	if err != nil {
		return nil, err
	}
	return report.Page(runs)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// extraTimeout returns the time that an extra of a run may take: as long as the run so far, from a minute to an hour.
func extraTimeout(began time.Time) time.Duration {
	return min(max(time.Minute, time.Since(began)), time.Hour)
}

// runExtra does work that may fail without harm to the result, which is on disk: a panic is an error, too. The work
// ends soon after the bound or its context, and the guard can end the command in the middle of it. It returns what it
// writes as a function, during which the command does not end.
func runExtra(ctx context.Context, guard *exitGuard, bound time.Duration,
	work func(context.Context) (write func() error, err error)) error {
	late := fmt.Errorf("it took more than %v", bound.Round(time.Millisecond))
	ctx, cancel := context.WithTimeoutCause(ctx, bound, late)
	defer cancel()
	write, err := recovered(ctx, work)
	if err != nil {
		return guard.endedOr(err)
	}
	return guard.write(write)
}

// recovered does the work of an extra, whose panic is an error.
func recovered(ctx context.Context, work func(context.Context) (func() error, error)) (write func() error, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("a fault of the program: %v", fault)
		}
	}()
	return work(ctx)
}
