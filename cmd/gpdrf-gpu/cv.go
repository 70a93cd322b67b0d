package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gpdrf/gpdrf-gpu/train"
	"github.com/gpdrf/gpdrf-gpu/train/options"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// crossValidation is a cross-validation that is being trained.
type crossValidation struct {
	p          *program
	req        *trainRequest
	cv         *rundir.CV
	changes    []options.Setting // the options that --resume changes
	release    func()            // releases the lock of the folder; nil without the lock
	created    bool              // this process has made the folder
	foldsBegun int               // number of folds that this process has begun
}

// clock returns the time limit of the next fold of this process. A fold pays for earlier folds that were late. A tenth
// of its time is kept for the work after all folds.
func (v *crossValidation) clock(now time.Time) train.TimeLimit {
	limit := v.cv.FoldTimeLimit()
	after := limit / 10
	l := train.TimeLimit{Began: v.req.started.Add(time.Duration(v.foldsBegun) * (limit - after)), Time: limit}
	v.foldsBegun++
	if limit == 0 || now.Before(l.Began) {
		l.Began = now
	}
	l.Began = l.Began.Add(-after)
	return l
}

// crossValidate trains and tests on one fold after the other, and prints their scores.
func (p *program) crossValidate(r *trainRequest) error {
	if r.overwrite {
		return usagef("--overwrite: does not work with --cv: give another folder")
	}
	cv := r.cv
	p.given = givenKeys(slices.Concat(cv.Options, r.call.runOptions()))
	v := &crossValidation{p: p, req: r, cv: cv}
	if cv.Path() != "" {
		v.changes = cv.Changes(r.call.runOptions())
		if cv.Complete && !cv.Predicts() {
			p.note("%s: all %d folds are finished: there is nothing to resume", cv.Path(), cv.Folds)
			if err := v.folds(); err != nil {
				return err
			}
			return p.reportCV(cv)
		}
		if err := v.resume(); err != nil {
			if p.ctx.Err() != nil {
				return errInterrupted
			}
			return err
		}
	} else if err := rundir.CheckNewDir(r.outDir); err != nil {
		return err
	}
	defer func() {
		if v.release != nil {
			v.release()
		}
	}()
	err := v.folds()
	if err == nil && cv.Predicts() {
		err = v.afterFolds()
	}
	if hasEnded(err) {
		return err
	}
	if v.created && err != nil {
		err = errors.Join(err, cv.Prune())
	}
	if cv.Path() != "" && cv.Finished > 0 {
		err = errors.Join(p.reportCV(cv), err)
	}
	if errors.Is(err, errInterrupted) {
		v.printResume()
	}
	return err
}

// printResume prints the command that resumes the cross-validation, if its folder is there.
func (v *crossValidation) printResume() {
	if path := v.cv.Path(); path != "" && rundir.IsCV(path) {
		v.p.printLine("to resume: %s", rundir.ResumeCommand(path))
	}
}

// resume takes the lock and checks the rows: new folds must have the same rows as finished folds.
func (v *crossValidation) resume() (err error) {
	if v.release, err = v.cv.Lock(); err != nil {
		return err
	}
	finished := 0
	anyNew := false
	for k := 1; k <= v.cv.Folds; k++ {
		if v.cv.Runs[k-1].Status == rundir.FoldFinished {
			finished = k
		}
		anyNew = anyNew || v.cv.IsPending(k) && !v.cv.CanResume(k)
	}
	cfg, err := v.cv.Begin(max(finished, 1), v.changes)
	if err != nil || !anyNew || finished == 0 {
		return err
	}
	_, rows, _, err := cfg.ReadRows(nil, v.p.readControl())
	if err != nil {
		return err
	}
	return v.cv.Verify(finished, rows.Train, rows.Test)
}

// folds trains the folds that are to be trained. If the numbers of a fold diverge, in training or in the test of its
// saved model, the next fold begins. Other errors, such as bad input or a full disk, would stop the next fold, too:
// they end the command.
func (v *crossValidation) folds() error {
	for k := 1; k <= v.cv.Folds; k++ {
		if err := v.complete(k); err != nil {
			return err
		}
		if !v.cv.IsPending(k) {
			continue
		}
		if v.p.ctx.Err() != nil {
			return errInterrupted
		}
		if err := v.record(k, v.fold(k)); err != nil {
			return err
		}
	}
	return v.failed()
}

// record records the end of a fold in cv.json. It returns the error that ends the command; nil if another fold follows.
func (v *crossValidation) record(k int, err error) error {
	if hasEnded(err) || v.cv.Path() == "" || v.release == nil { // there is no cv.json, or it is another process's
		return err
	}
	interrupted := errors.Is(err, errInterrupted)
	if interrupted {
		err = nil
	}
	if err := v.cv.Update(k, err); err != nil {
		return err
	}
	switch {
	case interrupted, err == nil && v.p.ctx.Err() != nil:
		return errInterrupted
	case err != nil && v.cv.Runs[k-1].Status == rundir.FoldFailed && (train.Diverged(err) || !v.cv.IsPending(k)):
		v.p.note("fold %d of %d failed: %v", k, v.cv.Folds, err)
	case err != nil:
		return fmt.Errorf("fold %d of %d: %w", k, v.cv.Folds, err)
	}
	return nil
}

// failed returns the error that names the folds without scores; nil if there are none.
func (v *crossValidation) failed() error {
	var failures []string
	for _, run := range v.cv.Runs {
		if run.Status == rundir.FoldFailed {
			failures = append(failures, fmt.Sprintf("fold %d: %s", run.Fold, run.Failure))
		}
	}
	if failures == nil {
		return nil
	}
	return fmt.Errorf("%s: %d of %d folds failed: %s", v.cv.Path(), len(failures), v.cv.Folds,
		strings.Join(failures, "; "))
}

// fold trains one fold, from its start or from its last checkpoint.
func (v *crossValidation) fold(k int) error {
	limit := v.clock(time.Now())
	var folder *rundir.Folder
	guard := v.p.newExitGuard(v.p.ctx, func() error { return v.leave(folder) })
	defer guard.stop()
	job, opened, err := v.open(k, guard, limit)
	guard.set(func() { folder = opened })
	if job != nil {
		defer job.Device.Close()
	}
	if err != nil {
		return guard.endedOr(err)
	}
	v.p.noteRemoved(folder)
	job.Started = limit.Began
	v.p.cvPath = v.cv.Path()
	m := &modelTraining{p: v.p, job: job, folder: folder, guard: guard}
	r, _, err := m.trainAndScore()
	if err != nil {
		return errors.Join(err, folder.Discard())
	}
	v.p.note("fold %d of %d: %s", k, v.cv.Folds, scoresInLine(r.TestScores))
	if warning := r.Generalisation.Warning(job.Config); warning != "" {
		v.p.warn("fold %d of %d: %s", k, v.cv.Folds, warning)
	}
	if r.Rising {
		v.p.warn("fold %d of %d: %s", k, v.cv.Folds, rundir.RisingWarning(job.Config))
	}
	return nil
}

// leave prints the state after an interrupt before the first step of a fold.
func (v *crossValidation) leave(folder *rundir.Folder) error {
	err := folder.Discard()
	if v.created && v.cv.Finished == 0 {
		err = errors.Join(err, v.cv.Prune())
	}
	if err != nil {
		v.p.printLine("%v", err)
	}
	v.p.printLine("interrupted before a step of this fold was done")
	v.printResume()
	return errInterrupted
}

// open returns the job and the folder of a fold. The first fold makes the folder of the cross-validation, whose name
// depends on the rows. The guard protects the writing of files.
func (v *crossValidation) open(k int, guard *exitGuard, limit train.TimeLimit) (*train.Job, *rundir.Folder, error) {
	cv := v.cv
	heading := fmt.Sprintf("\nfold %d of %d", k, cv.Folds)
	if cv.Path() != "" && cv.Runs[k-1].Status != rundir.FoldWaiting && cv.CanResume(k) {
		v.p.note("%s", heading)
		return v.p.reopen(guard, cv.FoldPath(k), v.changes)
	}
	cfg, err := cv.Begin(k, v.changes)
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := limit.WithDeadline(v.p.ctx)
	defer cancel()
	job, err := v.p.newJob(ctx, v.req.call, cfg, heading)
	if err != nil {
		return job, nil, err
	}
	if cv.Path() == "" {
		if err := v.checkFolds(ctx, job); err != nil {
			return job, nil, err
		}
		if err := v.begin(job, guard); err != nil {
			return job, nil, err
		}
	}
	folder, err := cv.NewFolder(k)
	return job, folder, err
}

// checkFolds reads all folds before the first one is trained, where options might be too large for one: groups and
// times make folds of unequal sizes. None has less than half the training rows of the first.
func (v *crossValidation) checkFolds(ctx context.Context, first *train.Job) error {
	if first.Config.CheckRows(first.Train.N()/2) == nil {
		return nil
	}
	control, end := v.p.reading(ctx)
	defer end()
	for k := 1; k <= v.cv.Folds; k++ {
		fold, err := v.cv.Begin(k, v.changes)
		if err != nil {
			return err
		}
		fold, rows, _, err := fold.ReadRows(nil, control)
		if err == nil {
			err = fold.CheckRows(rows.Train.N())
		}
		if err != nil {
			return fmt.Errorf("fold %d of %d: %w", k, v.cv.Folds, err)
		}
	}
	return nil
}

// begin makes the folder of the cross-validation, with the name of the rows of the first fold.
func (v *crossValidation) begin(job *train.Job, guard *exitGuard) error {
	cv := v.cv
	cv.Data, cv.Task, cv.Device = job.Train.Name, job.Train.Task, job.Device.Name()
	err := guard.write(func() error { return cv.Place(v.req.outDir) })
	if err != nil {
		return err
	}
	if v.release, err = cv.Lock(); err != nil {
		return err
	}
	v.created = true
	v.p.note("%d folds in %s; if this is killed, resume it with: %s", cv.Folds, cv.Path(),
		rundir.ResumeCommand(cv.Path()))
	return nil
}

// reportCV prints a cross-validation.
func (p *program) reportCV(cv *rundir.CV) error {
	if p.json {
		return p.show(cvInfo{cv, cv.Path()})
	}
	p.note("")
	fmt.Fprintf(p.out, "%s\n\nrun folder: %s\n", cvTable(cv), cv.Path())
	if cv.Complete && !cv.OwnFolds {
		p.note("for a model of all rows: the same command with --test none in place of --cv")
	}
	return nil
}

// cvInfo is what `info RUN` prints for a cross-validation.
type cvInfo struct {
	*rundir.CV
	Path string `json:"path"`
}

// Lines returns the text for people.
func (i cvInfo) Lines() []string {
	lines := []string{fmt.Sprintf("%s: cross-validation, %d of %d folds finished, with gpdrf-gpu "+
		"%s on %s", i.Path, i.Finished, i.Folds, i.Version, i.Device)}
	if !i.Complete {
		lines = append(lines, "to resume  "+rundir.ResumeCommand(i.Path))
	}
	for _, run := range i.Runs {
		if run.Failure != "" {
			lines = append(lines, fmt.Sprintf("fold %d failed: %s", run.Fold, run.Failure))
		}
	}
	lines = append(append(lines, ""), strings.Split(cvTable(i.CV), "\n")...)
	lines = append(lines, "", "options")
	for _, o := range i.Options {
		lines = append(lines, fmt.Sprintf("  %s: %s", o.Key, o.Text))
	}
	return lines
}
