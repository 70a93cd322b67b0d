package main

import (
	"context"
	"errors"
	"fmt"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/dist"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
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
	p.given = givenKeys(slices.Concat(c.fileOptions, c.runOptions()))
	switch {
	case p.joined() && r.cv != nil:
		return usagef("--cv: several processes share one training only: start one process, or give each fold " +
			"to a process of its own with --folds N --fold K")
	case p.joined() && r.several:
		return usagef("preset best and ensemble train several models, which processes cannot share: start one process")
	case r.cv != nil:
		return p.crossValidate(r)
	case r.several:
		return p.trainSeveral(r)
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
	guard  *exitGuard // ends the command, until the first step

	stopSignals func() // ends the watch for a second Ctrl-C, which begins at the first step
}

func (p *program) trainNew(r *trainRequest) error {
	cfg, err := r.call.config()
	if err != nil {
		return err
	}
	if err := rundir.CheckOutDir(r.outDir, r.overwrite); err != nil {
		return err
	}
	ctx, cancel := train.TimeLimit{Began: r.started, Time: cfg.TimeLimit}.WithDeadline(p.ctx)
	defer cancel()
	m := &modelTraining{p: p}
	m.guard = p.newExitGuard(ctx, func() error {
		m.discard()
		if m.folder.CanResume() {
			p.afterFailure(errInterrupted, m.folder)
			return p.interrupted(ctx, " while held-out rows chose the objective")
		}
		return p.interrupted(ctx, " before a step was done: nothing was trained")
	})
	defer m.guard.stop() // this runs before cancel, so that cancel does not end the command
	m.job, err = p.newJob(ctx, r.call, cfg)
	if err != nil {
		return m.abandon(err)
	}
	if !p.isWorker() {
		err := m.guard.write(func() (err error) {
			m.folder, err = rundir.NewFolder(r.outDir, m.job.Train.Name, m.job.Config.Model, r.overwrite)
			return err
		})
		if err != nil {
			return m.abandon(err)
		}
	}
	return m.trainAndReport(r.started)
}

// resume continues a run.
func (p *program) resume(r *trainRequest) (err error) {
	m := &modelTraining{p: p}
	m.guard = p.newExitGuard(p.ctx, func() error {
		m.discard()
		return p.interrupted(p.ctx, " before another step was done: the run is unchanged")
	})
	defer m.guard.stop()
	if err = r.call.noneOfNew(); err != nil {
		return m.abandon(err)
	}
	m.job, m.folder, err = p.reopen(m.guard, r.resume, r.call.runOptions())
	if errors.Is(err, errFinished) {
		if err := p.agree([]dist.Property{{Name: "run", Value: "finished"}}, nil); err != nil {
			return err
		}
		return p.finished(r, m.guard)
	}
	if err != nil {
		return m.abandon(err)
	}
	return m.trainAndReport(r.started)
}

// discard removes the folder of a run without a checkpoint.
func (m *modelTraining) discard() {
	if err := m.folder.Discard(); err != nil {
		m.p.printLine("%v", err)
	}
}

// abandon ends a training that fails before its first step: it closes the device and discards the folder.
func (m *modelTraining) abandon(err error) error {
	if m.job != nil {
		defer m.job.Device.Close()
	}
	return errors.Join(m.guard.endedOr(err), m.folder.Discard())
}

// trainAndReport trains and tests the job, and prints the result.
func (m *modelTraining) trainAndReport(started time.Time) error {
	defer m.job.Device.Close()
	if m.p.joined() {
		err := train.CheckRanks(m.p.ranks, m.job.Config, m.job.Train.N())
		if err = m.p.connectRanks("training", m.job.Device, propertiesOf(m.job), err); err != nil {
			return errors.Join(err, m.folder.Discard())
		}
		m.job.Comm = m.p.ranks.Comm
	}
	m.job.Started = started
	if m.p.isWorker() {
		return m.p.trainAsWorker(m.job, m.guard)
	}
	m.p.noteRemoved(m.folder)
	r, path, err := m.trainAndScore()
	if hasEnded(err) {
		return err
	}
	if err != nil {
		m.p.afterFailure(err, m.folder)
	}
	if r != nil { // a result is printed also if it could not be written
		if err := m.p.printRun(r, m.job.Config, path); err != nil {
			return err
		}
	}
	if err != nil {
		return errors.Join(err, m.folder.Discard())
	}
	if m.p.ctx.Err() != nil {
		if r.Interrupted && m.folder.CanResume() { // after the last step there may be no checkpoint
			m.p.printLine("to resume: %s", m.p.resumeCommand(path))
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
	job := &train.Job{Config: p.withDevice(dev, cfg), Device: dev}
	control, end := p.reading(ctx)
	defer end()
	if err := p.startAt(job); err != nil {
		return job, err
	}
	cfg, rows, notes, err := job.Config.ReadRows(job.StartSchema(), control)
	end()
	if err != nil {
		return job, err
	}
	p.relayAll(slices.Concat(heading, notes))
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
			p.warn("%s", rundir.RisingWarning(c))
		}
		return p.printJSON(struct {
			*rundir.Result
			Run string `json:"run"`
		}{r, path})
	}
	p.printResult(r)
	if warning := r.Generalisation.Warning(c); warning != "" {
		p.note("")
		p.warn("%s", warning)
	}
	if r.Rising {
		p.note("")
		p.warn("%s", rundir.RisingWarning(c))
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
func (m *modelTraining) trainAndScore() (r *rundir.Result, path string, err error) {
	cfg := m.job.Config
	if cfg.KLWeight != 1 {
		m.p.note("kl-weight %g: the objective is tempered, so it is not the ELBO and not a bound", cfg.KLWeight)
	}
	if warning := cfg.ZeroSlopeWarning(); warning != "" {
		m.p.warn("%s", warning)
	}
	m.p.note("training %s on %s: %d rows%s, %s, on %s", cfg.Model, m.job.Train.Name, m.job.Train.N(),
		inputsOf(m.job.Train), m.job.Train.Task, m.job.Device.Name())
	events := m.p.newEvents(m.folder)
	m.stopSignals = func() {}
	defer func() { m.stopSignals() }()
	out, began, err := m.optimise(events)
	if !began && m.guard.ctx.Err() != nil {
		return nil, "", m.guard.ended()
	}
	if errors.Is(err, context.Canceled) && m.folder.Err() == nil {
		if m.job.Checkpoint == nil {
			m.p.printLine("interrupted before a step was done: nothing was trained")
		} else {
			m.p.printLine("interrupted before another step was done: the run is unchanged")
		}
		return nil, "", errInterrupted
	}
	if err != nil {
		return nil, "", errors.Join(m.folder.Err(), err)
	}
	if m.folder.Err() != nil {
		m.p.warn("training stopped at step %d, since %s cannot be written: the model so far is "+
			"tested", out.Steps, rundir.MetricsFile)
	}
	o := &runOutput{p: m.p, job: m.job, folder: m.folder, out: out, events: events, limit: m.job.TimeLimit()}
	m.job.Config = out.Config // some options depend on the rows
	err = o.save(m.guard)
	if err == nil && out.StopReason == train.Interrupted {
		m.p.printLine("interrupted at step %d: the model so far is saved in %s", out.Steps, o.path)
	}
	err = errors.Join(err, o.score())
	return o.result, o.path, err
}

// optimise trains the model, and reports whether a step began. From then on, a second Ctrl-C ends the command until
// stopSignals is called.
func (m *modelTraining) optimise(events *events) (out *train.Outcome, began bool, err error) {
	ctx, cancel := context.WithCancel(m.p.ctx)
	defer cancel()
	endNotice := func() {}
	begin := func() {
		if m.guard.disarm() != nil { // main exits
			cancel()
			return
		}
		began = true
		m.stopSignals = m.p.onSecondSignal(m.guard, func() error {
			m.p.afterFailure(errInterrupted, m.folder)
			return m.folder.Discard()
		})
		endNotice = m.p.onInterrupt(func() {
			m.p.printLine("interrupted: training stops after this step, or after a part of it; press " +
				"Ctrl-C again to quit at once")
		})
	}
	m.job.Planned = func() {
		if m.guard.liftLimit(m.p.ctx) != nil { // main exits
			cancel()
		}
	}
	m.job.Reporter = &recorder{console: &m.p.console, folder: m.folder, events: events, begin: begin, stop: cancel}
	announced := false
	m.job.Save = func(c *rundir.Checkpoint) error {
		err := m.guard.write(func() error {
			if err := m.folder.Save(c); err != nil {
				return err
			}
			// The end of the run writes the session again, and reports an error.
			m.p.keepSession(m.folder, m.job.Device.Name())
			return nil
		})
		if !announced && err == nil && c.Step > 0 {
			announced = true
			where := ""
			if m.p.cvPath != "" {
				where = " in " + m.folder.Path()
			}
			m.job.Reporter.Note("checkpoint at step %d%s; if the run is killed, resume it with: %s", c.Step,
				where, m.p.resumeCommand(m.folder.Path()))
		}
		return err
	}
	out, err = m.job.Run(ctx)
	if err == nil && !m.p.sharesTest(m.job, out) {
		err = m.p.leaveRanks()
	}
	endNotice()
	return out, began, err
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

// inputsOf describes the inputs of each row, after the number of rows.
func inputsOf(ds *data.Dataset) string {
	if ds.Sequences == nil {
		return " of " + phrase.Plural(ds.D(), "input")
	}
	noun := ", each a " + ds.Sequences.Alphabet.Kind.Noun()
	if ds.D() == 0 {
		return noun
	}
	return noun + " and " + phrase.Plural(ds.D(), "number")
}
