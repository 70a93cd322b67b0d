package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/dustin/go-humanize/english"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/dist"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/train"
	"github.com/gpdrf/gpdrf-gpu/train/options"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// train trains a model, scores it on its test rows and leaves a run folder.
func (p *program) train(c *call) error {
	started := time.Now()
	signal.Ignore(syscall.SIGPIPE) // keep training when the output pipe closes
	if err := p.join(c); err != nil {
		return err
	}
	r, err := p.parseTrain(c)
	if err != nil {
		return err
	}
	r.started = started
	switch {
	case p.joined() && r.cv != nil:
		return usagef("--cv: several processes share one training only: give each fold to one of them with --set " +
			"part, or start one process")
	case p.joined() && r.several:
		return usagef("preset best and ensemble train several models, which processes cannot share: start one process")
	case r.cv != nil:
		return p.crossValidate(r)
	case r.several:
		return p.findBest(r)
	}
	if _, resume := c.text("resume"); resume {
		return p.resume(r)
	}
	return p.trainNew(r)
}

// modelTraining is the training of one model: a new run, or one that is resumed.
type modelTraining struct {
	p      *program
	job    *train.Job
	folder *rundir.Folder
	guard  *exitGuard // the guard until the first step
}

func (p *program) trainNew(r *trainRequest) error {
	cfg, err := r.call.config()
	if err != nil {
		return err
	}
	if err := rundir.CheckOut(r.outDir, r.overwrite, true); err != nil {
		return err
	}
	ctx, cancel := train.Limit{Began: r.started, Time: cfg.TimeLimit}.Until(p.ctx)
	defer cancel()
	s := &modelTraining{p: p}
	s.guard = p.newExitGuard(ctx, func() error {
		s.discard()
		if s.folder.CanResume() {
			p.afterFailure(errInterrupted, s.folder)
			return p.interrupted(ctx, " while held-out rows chose the objective")
		}
		return p.interrupted(ctx, " before a step was done: nothing was trained")
	})
	defer s.guard.stop() // this runs before cancel, so that cancel does not end the command
	s.job, err = p.newJob(ctx, r.call, cfg)
	if err != nil {
		return s.abandon(err)
	}
	if cfg.Device == "auto" && p.ranks == nil {
		p.chooseFaster(ctx, s.job, shortStep)
	}
	if !p.isWorker() {
		err := s.guard.write(func() (err error) {
			s.folder, err = rundir.NewFolder(r.outDir, s.job.Train.Name, s.job.Config.Model, r.overwrite)
			return err
		})
		if err != nil {
			return s.abandon(err)
		}
	}
	return s.trainAndReport(r.started)
}

// resume continues a run.
func (p *program) resume(r *trainRequest) (err error) {
	s := &modelTraining{p: p}
	s.guard = p.newExitGuard(p.ctx, func() error {
		s.discard()
		return p.interrupted(p.ctx, " before another step was done: the run is unchanged")
	})
	defer s.guard.stop()
	if err = r.call.noneOfNew(); err != nil {
		return s.abandon(err)
	}
	s.job, s.folder, err = p.reopen(s.guard, r.resume, r.call.given())
	if errors.Is(err, errFinished) {
		if err := p.agree([]dist.Fact{{Name: "run", Value: "finished"}}, nil); err != nil {
			return err
		}
		return p.finished(r, s.guard)
	}
	if err != nil {
		return s.abandon(err)
	}
	return s.trainAndReport(r.started)
}

// discard removes the folder of a run without a checkpoint.
func (s *modelTraining) discard() {
	if err := s.folder.Discard(); err != nil {
		s.p.printLine("%v", err)
	}
}

// abandon ends a training that an error keeps from beginning: it closes the device and discards the folder.
func (s *modelTraining) abandon(err error) error {
	if s.job != nil {
		defer s.job.Device.Close()
	}
	return errors.Join(s.guard.unless(err), s.folder.Discard())
}

// trainAndReport trains and tests the job, and prints the result.
func (s *modelTraining) trainAndReport(started time.Time) error {
	defer s.job.Device.Close()
	if s.p.joined() {
		err := train.CheckRanks(s.p.ranks, s.job.Config, s.job.Train.N())
		if err = s.p.share("training", s.job.Device, factsOf(s.job), err); err != nil {
			return errors.Join(err, s.folder.Discard())
		}
		s.job.Comm = s.p.ranks.Comm
	}
	s.job.Started = started
	if s.p.isWorker() {
		return s.p.trainAsWorker(s.job, s.guard)
	}
	s.p.noteRemoved(s.folder)
	r, path, err := s.trainAndScore()
	if hasEnded(err) {
		return err
	}
	if err != nil {
		s.p.afterFailure(err, s.folder)
	}
	if r != nil { // a result is printed also if it could not be written
		if err := s.p.printRun(r, s.job.Config, path); err != nil {
			return err
		}
	}
	if err != nil {
		return errors.Join(err, s.folder.Discard())
	}
	if s.p.ctx.Err() != nil {
		if r.Interrupted && s.folder.CanResume() { // after the last step there may be no checkpoint
			s.p.printLine("to resume: %s", s.p.resumeCommand(path))
		}
		return errInterrupted
	}
	return nil
}

// noteRemoved names the folders of dead runs that a new one has removed.
func (p *program) noteRemoved(folder *rundir.Folder) {
	for _, removed := range folder.Removed {
		p.note("%s: removed: its run was killed before its first checkpoint", removed)
	}
}

// newJob opens the device and reads the rows of a new run, until ctx is done. It prints the heading once they are read.
func (p *program) newJob(ctx context.Context, c *call, cfg options.Config, heading ...string) (*train.Job, error) {
	dev, err := p.openFor(c, cfg.Device)
	if err != nil {
		return nil, err
	}
	job := &train.Job{Config: p.on(dev, cfg), Device: dev}
	watch, end := p.reading(ctx)
	defer end()
	if err := p.startAt(job); err != nil {
		return job, err
	}
	cfg, rows, notes, err := job.Config.ReadRows(job.StartSchema(), watch)
	end()
	if err != nil {
		return job, err
	}
	p.noteAll(slices.Concat(heading, notes))
	job.Config = cfg
	if cfg.PredictDraws > 0 && rows.Train.Task != data.Regression {
		return job, cfg.Errorf("predict-draws", "is for regression: class probabilities need no draws")
	}
	if job.From != nil {
		p.warnAll(job.From.RowWarnings(ctx, rows.Train, onePercent(rows.Train)))
	}
	job.Train, job.Validation, job.Conformal, job.Test = rows.Train, rows.Validation, rows.Conformal, rows.Test
	return job, nil
}

// printRun prints the result of a run, and its warnings by its options c.
func (p *program) printRun(r *rundir.Result, c options.Config, path string) error {
	if p.json {
		if r.Rising {
			p.note("%s", rundir.RisingWarning())
		}
		return p.printJSON(struct {
			*rundir.Result
			Run string `json:"run"`
		}{r, path})
	}
	p.printResult(r)
	if warning := r.Generalisation.Warning(c); warning != "" {
		p.note("\nwarning: %s", warning)
	}
	if r.Rising {
		p.note("\n%s", rundir.RisingWarning())
	}
	if path == "" {
		return nil
	}
	fmt.Fprintf(p.out, "\nrun folder: %s\n", path)
	if page := filepath.Join(path, rundir.ReportFile); isFile(page) {
		fmt.Fprintf(p.out, "report: %s\n", page)
	}
	p.note("to predict other rows: gpdrf-gpu predict %s --data FILE", usererror.ShellWord(path))
	return nil
}

// resumeCommand returns the command that resumes a run, or the cross-validation that it belongs to.
func (p *program) resumeCommand(path string) string {
	if p.cvPath != "" {
		path = p.cvPath
	}
	return rundir.ResumeCommand(path)
}

// trainAndScore trains, saves and scores the model. After an error, the caller prints the result, if there is one, and
// discards the folder.
func (s *modelTraining) trainAndScore() (r *rundir.Result, path string, err error) {
	cfg := s.job.Config
	if cfg.KLWeight != 1 {
		s.p.note("kl-weight %g: the objective is tempered, so it is not the ELBO and not a bound", cfg.KLWeight)
	}
	if warning := cfg.ZeroSlopeWarning(); warning != "" {
		s.p.note("warning: %s", warning)
	}
	s.p.note("training %s on %s: %d rows of %s, %s, on %s", cfg.Model, s.job.Train.Name, s.job.Train.N(),
		inputsOf(s.job.Train), s.job.Train.Task, s.job.Device.Name())
	events := s.p.newEvents(s.folder)
	out, checkpoints, err := s.optimise(events)
	if checkpoints == nil && s.guard.ctx.Err() != nil { // training ended before the first step
		return nil, "", s.guard.leave()
	}
	if checkpoints != nil {
		defer checkpoints.stop()
	}
	if errors.Is(err, context.Canceled) && s.folder.Err() == nil {
		if s.job.Checkpoint == nil {
			s.p.printLine("interrupted before a step was done: nothing was trained")
		} else {
			s.p.printLine("interrupted before another step was done: the run is unchanged")
		}
		return nil, "", errInterrupted
	}
	if err != nil {
		return nil, "", errors.Join(s.folder.Err(), err)
	}
	if s.folder.Err() != nil {
		s.p.printLine("warning: training stopped at step %d, since %s cannot be written: the model so far is "+
			"tested", out.Steps, rundir.MetricsFile)
	}
	o := &runOutput{p: s.p, job: s.job, folder: s.folder, out: out, events: events, limit: s.job.Limit()}
	s.job.Config = out.Config // some options depend on the rows
	err = o.save(checkpoints)
	if err == nil && out.End == train.Interrupted {
		s.p.printLine("interrupted at step %d: the model so far is saved in %s", out.Steps, o.path)
	}
	err = errors.Join(err, o.score())
	return o.result, o.path, err
}

// optimise trains the model. checkpoints guards what is saved from the first step on; it is nil if no step was done.
func (s *modelTraining) optimise(events *events) (out *train.Outcome, checkpoints *exitGuard, err error) {
	ctx, cancel := context.WithCancel(s.p.ctx)
	defer cancel()
	endNotice := func() {}
	begin := func() {
		if s.guard.end() != nil { // main exits
			cancel()
			return
		}
		checkpoints = s.p.newQuitGuard(func() error {
			s.p.afterFailure(errInterrupted, s.folder)
			return s.folder.Discard()
		})
		endNotice = s.p.onInterrupt(func() {
			s.p.printLine("interrupted: training stops after this step, or after a part of it; press " +
				"Ctrl-C again to quit at once")
		})
	}
	s.job.Planned = func() {
		if s.guard.liftLimit(s.p.ctx) != nil { // main exits
			cancel()
		}
	}
	s.job.Reporter = s.p.newReporter(s.folder, events, begin, cancel)
	announced := false
	s.job.Save = func(c *rundir.Checkpoint) error {
		err := cmp.Or(checkpoints, s.guard).write(func() error {
			if err := s.folder.Save(c); err != nil {
				return err
			}
			// The end of the run writes the session again, and reports an error.
			s.p.keepSession(s.folder, s.job.Device.Name())
			return nil
		})
		if !announced && err == nil && c.Step > 0 {
			announced = true
			where := ""
			if s.p.cvPath != "" {
				where = " in " + s.folder.Path()
			}
			s.job.Reporter.Note("checkpoint at step %d%s; if the run is killed, resume it with: %s", c.Step,
				where, s.p.resumeCommand(s.folder.Path()))
		}
		return err
	}
	out, err = s.job.Run(ctx)
	if err == nil && !s.p.sharesTest(s.job, out) {
		err = s.p.leaveRanks()
	}
	endNotice()
	return out, checkpoints, err
}

// afterFailure prints what a failed run has left, and how to resume it.
func (p *program) afterFailure(err error, folder *rundir.Folder) {
	switch {
	case !folder.CanResume():
	case train.Diverged(err):
		// A run that is resumed would fail again.
		p.printLine("%s holds the last checkpoint: eval and predict use its parameters", folder.Path())
	default:
		p.printLine("to resume from the last checkpoint: %s", p.resumeCommand(folder.Path()))
	}
}

// onePercent returns the number of rows in a hundredth of a set.
func onePercent(rows *data.Dataset) int { return (rows.N() + 99) / 100 }

// inputsOf describes the inputs of a row.
func inputsOf(ds *data.Dataset) string {
	if ds.Sequences == nil {
		return english.Plural(ds.D(), "input", "")
	}
	noun := "a " + ds.Sequences.Alphabet.Kind.Noun()
	if ds.D() == 0 {
		return noun
	}
	return noun + " and " + english.Plural(ds.D(), "number", "")
}
