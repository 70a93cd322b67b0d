package main

import (
	"errors"
	"path/filepath"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/report"
	"github.com/gpdrf/gpdrf-gpu/train"
	"github.com/gpdrf/gpdrf-gpu/train/best"
	"github.com/gpdrf/gpdrf-gpu/train/options"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// errFinished means that there is nothing to resume.
var errFinished = errors.New("finished")

// reopen opens the run in a folder, at its last checkpoint, with these options. The error is errFinished if it has
// ended.
func (p *program) reopen(guard *exitGuard, path string, flags []options.Setting) (*train.Job, *rundir.Folder, error) {
	switch run, err := rundir.OpenRun(path); {
	case errors.Is(err, rundir.ErrNoStep):
	case err != nil:
		return nil, nil, err
	case !run.CanResume() || !run.Result.Interrupted && !run.Result.Unfinished:
		return nil, nil, errFinished
	}
	from, err := rundir.ReadCheckpoint(path)
	if err != nil {
		return nil, nil, err
	}
	if from.Config, err = from.Config.Resume(flags, &from.Trained.Schema); err != nil {
		return nil, nil, err
	}
	dev, err := p.openDevice(p.anyGPU(from.Config.Device))
	if err != nil {
		return nil, nil, err
	}
	job := &train.Job{Config: p.withDevice(dev, from.Config), Device: dev, Checkpoint: from}
	if from.Config.StartFrom != "" {
		job.From = from.Trained
	}
	control, end := p.reading(p.ctx)
	rows, notes, err := from.Load(control)
	if end(); err != nil {
		return job, nil, err
	}
	job.Train, job.Validation, job.Conformal, job.Test = rows.Train, rows.Validation, rows.Conformal, rows.Test
	p.relayAll(notes)
	if p.isWorker() {
		return job, nil, nil
	}
	var folder *rundir.Folder
	err = guard.write(func() (err error) {
		folder, err = from.Folder(path)
		return err
	})
	if err != nil {
		return job, folder, err
	}
	p.note("%s: continues after step %d", path, from.Step)
	return job, folder, nil
}

// finished says that a run has ended, and how, and completes one that was killed after its scores.
func (p *program) finished(r *trainRequest, guard *exitGuard) error {
	path := r.resume
	run, err := rundir.OpenRun(path)
	if err != nil {
		return err
	}
	p.note("%s: finished after %d steps: there is nothing to resume", path, run.Result.Steps)
	if err := p.leaveRanks(); err != nil { // rank 0 writes the report alone
		return err
	}
	if !p.isWorker() {
		if err := p.complete(r.call, guard, path); err != nil {
			return err
		}
		if run, err = rundir.OpenRun(path); err != nil {
			return err
		}
	}
	if why := run.Result.Failure; why != "" {
		p.warn("%s has no scores: %s; to score it: gpdrf-gpu eval %[1]s", path, why)
	}
	return p.printRun(run.Result, run.Config, path)
}

// complete brings the folder of a run that has ended to its end, unless another process is at it: the scores, the check
// for memorised rows, the predictions of test rows, the importance of inputs, and the report. A test that was cut short
// has no predictions: its scores are of fewer rows. Only the end of the command is an error.
func (p *program) complete(c *call, guard *exitGuard, path string) error {
	release, busy := rundir.TryLock(path)
	defer release()
	if busy {
		return nil
	}
	if state, err := best.Open(path); err == nil && !state.Complete {
		if err := guard.write(func() error { return tidySearch(path, state) }); err != nil {
			p.warn("%v", err)
		}
	}
	run, err := report.Open(path)
	if err == nil {
		r := run.Result
		if r.Failure == rundir.Untested || r.Failure == "" && r.Cut == nil && r.NTest > 0 && run.Rows == nil {
			err = p.testEnded(c, guard, run.Run)
		}
	}
	switch page := filepath.Join(path, rundir.ReportFile); {
	case hasEnded(err), run == nil, !p.reports, isFile(page):
	case err == nil:
		err = p.writePage(c, guard, page, path)
	default: // its test rows cannot be predicted
		err = errors.Join(err, writeRuns(guard, page, run))
	}
	if hasEnded(err) {
		return err
	}
	if err = guard.endedOr(err); err != nil && !hasEnded(err) {
		p.warn("%s is not complete: %v", path, err)
		return nil
	}
	return err
}

// testEnded tests a run that has ended, and writes what it lacks. Scores that it has stay.
func (p *program) testEnded(c *call, guard *exitGuard, run *rundir.Run) error {
	p.note("%s: holds no predictions: its test rows are predicted", run.Path)
	from := &rundir.Checkpoint{Trained: run.Trained, Config: run.Config, Result: run.Result}
	if v := run.Result.Validation; v != nil {
		from.Validation = v.Fingerprint
	}
	control, end := p.reading(p.ctx)
	rows, notes, err := from.Load(control)
	if end(); err != nil {
		return err
	}
	p.relayAll(notes)
	dev, _, err := p.deviceOf(c, run.Result.Device, run.Config.Precision)
	if err != nil {
		return err
	}
	defer dev.Close()
	if err := guard.disarm(); err != nil {
		return err
	}
	folder, err := rundir.OpenEnded(run.Path)
	if err != nil {
		return err
	}
	o := &runOutput{
		p: p, folder: folder, path: run.Path, saved: run.Result, events: p.newEvents(folder),
		job: &train.Job{Config: run.Config, Device: dev, Started: p.began,
			Train: rows.Train, Validation: rows.Validation, Test: rows.Test},
		out: &train.Outcome{Config: run.Config, Trained: run.Trained, Steps: run.Result.Steps,
			StopReason: train.Finished},
	}
	o.writeHistory() // it may have been killed before these
	o.writeMetricsTable()
	return o.score()
}

// warnUnfinished warns that a run is not finished, and names the checkpoint that is used.
func (p *program) warnUnfinished(run *rundir.Run) {
	if r := run.Result; r.Unfinished {
		p.warn("%s is not finished: this uses the checkpoint at step %d of %d; to finish it: %s",
			run.Path, r.Steps, run.Config.Last(), rundir.ResumeCommand(run.Path))
	}
}

// startAt gives a job the model of the run in --from, and its options.
func (p *program) startAt(job *train.Job) error {
	path := job.Config.StartFrom
	if path == "" {
		return nil
	}
	if c := job.Config; !c.Explicit("data") || data.Folds(c.Data) > 0 {
		return c.Errorf("from", "needs --data FILE, with the new rows")
	}
	run, err := rundir.OpenRun(path)
	if err != nil {
		return err
	}
	p.warnUnfinished(run)
	base, roles := run.Config, run.Trained.Schema.Roles // roles has names, also where the run has numbers of columns
	base.Roles.Weights, base.Roles.Group, base.Roles.Time = roles.Weights, roles.Group, roles.Time
	if job.Config, err = job.Config.WarmStart(base, run.Result.Steps); err != nil {
		return err
	}
	job.From = run.Trained
	p.note("starts at the model of %s, after its %d steps", path, run.Result.Steps)
	return nil
}

// complete brings a fold to its end that was killed in its test, or after it.
func (v *crossValidation) complete(k int) error {
	cv := v.cv
	if cv.Path() == "" || !rundir.IsRun(cv.FoldPath(k)) || cv.CanResume(k) {
		return nil
	}
	v.p.cvPath = cv.Path()
	guard := v.p.newExitGuard(v.p.ctx, func() error { return v.leave(nil) })
	defer guard.stop()
	if err := v.p.complete(v.req.call, guard, cv.FoldPath(k)); err != nil || !cv.IsPending(k) {
		return err
	}
	return cv.Update(k, nil)
}
