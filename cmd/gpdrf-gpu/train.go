package main

import (
	"context"
	"errors"
	"fmt"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/dustin/go-humanize/english"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/dist"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/options"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// train trains a model, scores it on its test rows and leaves a run folder.
func (p *program) train(c *call) error {
	started := time.Now()
	signal.Ignore(syscall.SIGPIPE) // a run outlives who reads its notes
	if err := p.join(c); err != nil {
		return err
	}
	ctx, cancel, err := c.untilEOF(p.ctx)
	if err != nil {
		return err
	}
	defer cancel()
	defer func(before context.Context) { p.ctx = before }(p.ctx)
	p.ctx = ctx
	asJSON, err := c.isOn("json")
	if err != nil {
		return err
	}
	if err := c.noMore(c.args); err != nil {
		return err
	}
	out, given := c.text("out")
	if given && out == "" {
		return usagef("--out: is empty: give a folder, or leave it out")
	}
	overwrite, err := c.isOn("overwrite")
	if err != nil {
		return err
	}
	if p.reports, err = c.isOnOr("report", true); err != nil {
		return err
	}
	if p.tensorboard, err = c.isOn("tensorboard"); err != nil {
		return err
	}
	if asked, cv, err := p.asksForCV(c); err != nil {
		return err
	} else if asked {
		return p.crossValidate(c, cv, out, overwrite, asJSON)
	}
	if asked, err := p.asksForBest(c); err != nil {
		return err
	} else if asked {
		return p.findBest(c, out, overwrite, asJSON, started)
	}
	var (
		job    *train.Job
		folder *rundir.Folder
		guard  *exitGuard
	)
	leave := func() error {
		if folder != nil {
			if err := folder.Discard(); err != nil {
				p.say("%v", err)
			}
		}
		if _, resume := c.text("resume"); resume {
			return p.interrupted(ctx, " before another step was done: the run is unchanged")
		}
		return p.interrupted(ctx, " before a step was done: nothing was trained")
	}
	path, resume := c.text("resume")
	if resume {
		guard = p.newExitGuard(ctx, leave)
		defer guard.stop()
		job, folder, err = p.oldJob(c, guard, path)
		if errors.Is(err, errFinished) {
			if err := p.agree([]dist.Fact{{Name: "run", Value: "finished"}}, nil); err != nil {
				return err
			}
			return p.finished(path, asJSON)
		}
	} else {
		cfg, wrong := c.config()
		if wrong == nil {
			wrong = rundir.CheckOut(out, overwrite)
		}
		if wrong != nil {
			return wrong
		}
		var cancel context.CancelFunc
		ctx, cancel = train.Until(ctx, started, cfg.TimeLimit)
		defer cancel()
		guard = p.newExitGuard(ctx, leave)
		defer guard.stop() // before the context is cancelled
		if job, err = p.newJob(ctx, c, cfg); err == nil && !p.follows() {
			err = guard.write(func() (err error) {
				begin := rundir.NewFolder
				if overwrite {
					begin = rundir.ReplaceFolder
				}
				folder, err = begin(out, job.Train.Name, job.Config.Model)
				return err
			})
		}
	}
	if job != nil {
		defer job.Device.Close()
	}
	if err != nil && ctx.Err() != nil {
		guard.now()
	}
	if p.joined() && err == nil {
		err = p.share("training", job.Device, factsOf(job), train.CheckRanks(p.ranks, job.Config, job.Train.N()))
		job.Comm = p.ranks.Comm
	}
	if err != nil {
		if folder != nil {
			err = errors.Join(err, folder.Discard())
		}
		return err
	}
	if p.follows() {
		job.Started = started
		return p.follow(job, guard)
	}
	for _, removed := range folder.Removed {
		p.note("%s: removed: its run was killed before its first checkpoint", removed)
	}
	job.Started = started
	r, path, err := p.runJob(job, folder, guard, job.Config.TimeLimit, asJSON)
	if err != nil {
		p.afterFailure(err, folder)
	}
	if r != nil { // also where it could not be written
		if err := p.printRun(r, job.Config, path, asJSON); err != nil {
			return err
		}
	}
	if err != nil {
		return errors.Join(err, folder.Discard())
	}
	if p.ctx.Err() != nil {
		if r.Interrupted {
			p.say("to resume: %s", p.resumeCommand(path))
		}
		return errInterrupted
	}
	return nil
}

// newJob is a run with this configuration, from its start. Its files are read until ctx ends.
func (p *program) newJob(ctx context.Context, c *call, cfg *options.Config) (*train.Job, error) {
	dev, err := p.openDevice(cfg.Device)
	if _, given := c.text("device"); err != nil && !given && errors.As(err, new(*device.AbsentError)) {
		return nil, usagef("%w: the config file asks for it; --device auto takes what this machine has", err)
	}
	if err != nil {
		return nil, err
	}
	job := &train.Job{Config: p.on(dev, cfg), Device: dev}
	watch, end := p.reading(ctx)
	defer end()
	cfg, all, test, notes, err := job.Config.Load(watch)
	if err != nil {
		return job, err
	}
	job.Config = cfg
	rows, held, more, err := cfg.HoldOut(all, watch)
	end()
	if err != nil {
		return job, err
	}
	if note := fewDoubles(dev, cfg, rows); note != "" {
		more = append(more, note)
	}
	for _, n := range append(notes, more...) {
		p.note("%s", n)
	}
	if cfg.PredictDraws > 0 && rows.Task != data.Regression {
		return job, cfg.Errorf("predict-draws", "is for regression: class probabilities need no draws")
	}
	job.Train, job.Validation, job.Test = rows, held, test
	return job, nil
}

// printRun prints the result of a run with these options.
func (p *program) printRun(r *rundir.Result, c *options.Config, path string, asJSON bool) error {
	if asJSON && r.Rising {
		p.note("%s", rundir.Rising)
	}
	if !asJSON {
		p.printResult(r, splitOf(c))
		if warning := r.Generalisation.Warning(c); warning != "" {
			p.note("\nwarning: %s", warning)
		}
		if r.Rising {
			p.note("\n%s", rundir.Rising)
		}
		if path != "" {
			fmt.Fprintf(p.out, "\nrun folder: %s\n", path)
			if page := filepath.Join(path, rundir.ReportFile); isFile(page) {
				fmt.Fprintf(p.out, "report: %s\n", page)
			}
		}
		return nil
	}
	text, err := rundir.JSON(struct {
		*rundir.Result
		Run string `json:"run"`
	}{r, path})
	if err == nil {
		p.out.Write(text)
	}
	return err
}

// resumeCommand is the command that resumes a run, or the cross-validation that it belongs to.
func (p *program) resumeCommand(path string) string {
	if p.cvPath != "" {
		path = p.cvPath
	}
	return rundir.ResumeCommand(path)
}

// runJob trains, saves and scores. The test ends with the time limit; 0 means no limit. The guard
// covers the time before the first step. After an error, the caller discards the folder and shows
// the result, if there is one.
func (p *program) runJob(job *train.Job, folder *rundir.Folder, guard *exitGuard,
	limit time.Duration, asJSON bool) (r *rundir.Result, path string, err error) {
	cfg := job.Config
	if cfg.KLWeight != 1 {
		p.note("kl-weight %g: the objective is tempered, so it is not the ELBO and not a bound", cfg.KLWeight)
	}
	if warning := cfg.Blocked(); warning != "" {
		p.note("warning: %s", warning)
	}
	p.note("training %s on %s: %d rows of %s, %s, on %s", cfg.Model, job.Train.Name, job.Train.N(),
		inputsOf(job.Train), job.Train.Task, job.Device.Name())
	ctx, cancel := context.WithCancel(p.ctx)
	defer cancel()
	var saved *exitGuard
	stopping := func() {}
	events := p.newEvents(folder)
	job.Reporter = p.newReporter(job.Device, folder, events, func() {
		guard.end()
		saved = p.newQuitGuard(func() error {
			p.afterFailure(errInterrupted, folder)
			return folder.Discard()
		})
		stopping = p.onInterrupt(func() {
			p.say("interrupted: training stops after this step, or after a part of it; press " +
				"Ctrl-C again to quit at once")
		})
	}, cancel)
	job.Save = func(c *rundir.Checkpoint) error {
		first := folder.Path() == ""
		err := saved.write(func() error { return folder.Save(c) })
		if first && err == nil {
			where := ""
			if p.cvPath != "" {
				where = " in " + folder.Path()
			}
			job.Reporter.Note("checkpoint at step %d%s; if the run is killed, resume it with: %s", c.Step,
				where, p.resumeCommand(folder.Path()))
		}
		return err
	}
	out, err := job.Run(ctx)
	if err == nil && !p.sharesTest(job, out) {
		err = p.leave()
	}
	if stopping(); saved != nil {
		defer saved.stop()
	}
	if saved == nil && ctx.Err() != nil { // before the first step, and the guard did not see it
		guard.now()
	}
	if errors.Is(err, context.Canceled) && folder.Err() == nil {
		if job.From == nil {
			p.say("interrupted before a step was done: nothing was trained")
		} else {
			p.say("interrupted before another step was done: the run is unchanged")
		}
		return nil, "", errInterrupted
	}
	if err != nil {
		return nil, "", errors.Join(folder.Err(), err)
	}
	if folder.Err() != nil {
		p.say("warning: training stopped at step %d, since %s cannot be written: the model so far is "+
			"tested", out.Steps, rundir.MetricsFile)
	}
	f := &finish{program: p, job: job, folder: folder, out: out, events: events, asJSON: asJSON}
	err = f.save(saved)
	if err == nil && out.End == train.Interrupted {
		p.say("interrupted at step %d: the model so far is saved in %s", out.Steps, f.path)
	}
	return f.result, f.path, errors.Join(err, f.score(limit))
}

// afterFailure says what a run that failed has left.
func (p *program) afterFailure(err error, folder *rundir.Folder) {
	switch {
	case !folder.CanGoOn():
	// and would again
	case errors.As(err, new(*model.NotFiniteError)), errors.As(err, new(*device.NotPositiveDefiniteError)):
		p.say("%s holds the last checkpoint: eval and predict use its parameters", folder.Path())
	default:
		p.say("to resume from the last checkpoint: %s", p.resumeCommand(folder.Path()))
	}
}

// warnOfFar says which rows are unlike those of training, where at least so many are.
func (p *program) warnOfFar(ctx context.Context, t *fitted.Trained, rows *data.Dataset, least int) {
	if warning := t.Unlike(ctx, rows, least); warning != "" {
		p.note("%s", warning)
	}
}

// manyOf is how many rows of a test set are so many that they say something of the set: 1 %.
func manyOf(rows *data.Dataset) int { return (rows.N() + 99) / 100 }

// inputsOf says what a row is.
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
