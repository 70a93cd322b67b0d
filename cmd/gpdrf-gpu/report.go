package main

import (
	"path/filepath"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/internal/atomicfile"
	"github.com/gpdrf/gpdrf-gpu/report"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

func (p *program) reportVerb() verb {
	return verb{
		name: "report", args: "RUN [RUN ...]", line: "write a page of HTML about runs", run: p.report,
		about: "The page shows the options, learning curves, calibration, predictions, residuals, the importance of " +
			"inputs, the confusion matrix and the worst rows, in one self-contained file. Several runs, or the folds " +
			"of a cross-validation, are side by side. train writes the page of its run. Without predictions in the " +
			"run folder, the test rows are predicted again.",
		flags: []flagSpec{
			{group: "Output", name: "out", arg: "FILE.html",
				help: "where to write; otherwise report.html in the run folder, or here for several runs"},
		},
		examples: []example{
			{"gpdrf-gpu report runs/powerplant-gpdrf-1", "the page of a run"},
			{"gpdrf-gpu report runs/houses-gpdrf-1 runs/houses-gp-1 --out both.html", "two runs side by side"},
		},
	}
}

// report writes a page about runs.
func (p *program) report(c *call) error {
	folders, err := c.runFolders()
	if err != nil {
		return err
	}
	out, given := c.text("out")
	switch {
	case given && filepath.Ext(out) != ".html":
		return usagef("--out: %q does not end in .html", out)
	case !given && len(c.args) == 1:
		out = filepath.Join(c.args[0], rundir.ReportFile)
	case !given:
		out = rundir.ReportFile
	}
	if err := p.writePage(c, p.newExitGuard(p.ctx, p.nothingWritten), out, folders...); err != nil {
		return err
	}
	p.printLine("report: %s", out)
	return nil
}

// writePage writes a page about runs. If a folder holds no predictions, its test rows are predicted again.
func (p *program) writePage(c *call, guard *exitGuard, out string, folders ...string) error {
	runs, err := openRuns(folders)
	if err != nil {
		return err
	}
	for _, r := range runs {
		if r.Rows == nil && r.Result.NTest > 0 {
			if err := p.testAgain(c, r); err != nil {
				if err := guard.endedOr(err); hasEnded(err) {
					return err
				}
				p.warn("%s: parts of the report are left out: %v", r.Path, err)
			}
		}
	}
	return writeRuns(guard, out, runs...)
}

func openRuns(folders []string) (runs []*report.Run, err error) {
	for _, folder := range folders {
		r, err := report.Open(folder)
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	return runs, nil
}

// writeRuns writes a page about runs that are open.
func writeRuns(guard *exitGuard, out string, runs ...*report.Run) error {
	text, err := report.Page(runs)
	if err != nil {
		return err
	}
	return guard.write(func() error { return atomicfile.WriteFile(out, atomicfile.Text(text)) })
}

// runFolders returns the run folders of the arguments. A cross-validation stands for its finished folds.
func (c *call) runFolders() (folders []string, err error) {
	args := c.args
	if len(args) == 0 {
		return nil, usagef("%s needs a run folder: gpdrf-gpu %s %s", c.verb.name, c.verb.name, c.verb.args)
	}
	for _, path := range args {
		if !rundir.IsCV(path) {
			folders = append(folders, path)
			continue
		}
		cv, err := rundir.OpenCV(path)
		if err != nil {
			return nil, err
		}
		for k, run := range cv.Runs {
			if run.Status == rundir.FoldFinished {
				folders = append(folders, cv.FoldPath(k+1))
			}
		}
	}
	if len(folders) == 0 {
		return nil, usagef("%s: no fold of it is finished: there is nothing to report", args[0])
	}
	if len(folders) > maxReported {
		return nil, usagef("%d runs are too many for a page: give at most %d", len(folders), maxReported)
	}
	for i, path := range folders {
		if slices.Contains(folders[:i], path) {
			return nil, usagef("%s: is given twice: leave one out", path)
		}
	}
	return folders, nil
}

// maxReported is the number of runs that a page can hold side by side.
const maxReported = 20

// testAgain predicts the test rows of a run whose folder holds no predictions.
func (p *program) testAgain(c *call, r *report.Run) error {
	p.note("%s: holds no predictions: its test rows are predicted again", r.Path)
	rows, err := p.testedRows(r.Run)
	if err != nil {
		return err
	}
	dev, _, err := p.deviceOf(c, r.Result.Device, r.Config.Precision)
	if err != nil {
		return err
	}
	defer dev.Close()
	scores, err := p.evaluate(p.ctx, r.Trained, dev, rows,
		fitted.EvaluateOptions{Samples: r.Trained.EvalSamples, Draws: r.Config.PredictDraws})
	if err != nil {
		return err
	}
	var predictions []byte
	predictions, r.Importance, err = report.KeepTestRows(p.ctx, r.Trained, r.Config, r.Result.Steps, dev, rows, scores)
	if err != nil {
		return err
	}
	r.Rows, err = r.ParseRows(predictions)
	return err
}
