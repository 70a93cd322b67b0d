package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train"
)

// train trains a model, scores it on its test rows and leaves a run folder.
func (p *program) train(c *call) error {
	started := time.Now()
	guard := p.newExitGuard()
	asJSON, err := c.isOn("json")
	if err != nil {
		return err
	}
	if err := c.noMore(c.Args().Slice()); err != nil {
		return err
	}
	out, given := c.text("out")
	if given && out == "" {
		return usagef("--out: is empty: give a folder, or leave it out")
	}
	var job *train.Job
	var folder *train.Folder
	if path, resume := c.text("resume"); resume {
		if job, folder, err = p.oldJob(c, path); errors.Is(err, errFinished) {
			return p.finished(path, asJSON)
		}
		guard.end()
	} else if job, err = p.newJob(c); err == nil {
		guard.end() // from here on Ctrl-C saves the model so far
		folder, err = train.NewFolder(out, job.Train.Name, job.Config.Model)
	}
	if job != nil {
		defer job.Device.Close()
	}
	if err != nil {
		return err
	}
	for _, removed := range folder.Removed {
		p.note("%s: removed: its run was killed before there was anything to go on from", removed)
	}
	job.Started = started
	guard = p.newQuitGuard(func() error {
		p.afterFailure(errInterrupted, folder)
		return folder.Discard()
	})
	path, result, err := p.runJob(job, folder, guard)
	if err != nil {
		p.afterFailure(err, folder)
		return errors.Join(err, guard.write(folder.Discard))
	}
	if err := p.report(result, job.Config, path, asJSON); err != nil {
		return err
	}
	if p.ctx.Err() != nil {
		if result.Interrupted {
			p.note("to go on: %s", train.ResumeCommand(path))
		}
		return errInterrupted
	}
	return nil
}

// newJob is the run that the options ask for.
func (p *program) newJob(c *call) (*train.Job, error) {
	cfg, err := c.config()
	if err != nil {
		return nil, err
	}
	dev, err := p.openDevice(cfg.Device)
	if _, given := c.text("device"); err != nil && !given && errors.As(err, new(*device.AbsentError)) {
		return nil, usagef("%w: the config file asks for it; to take what there is here: --device auto", err)
	}
	if err != nil {
		return nil, err
	}
	job := &train.Job{Config: cfg, Device: dev}
	cfg.Device, cfg.Precision = dev.Name(), p.relax(dev, cfg.Precision)

	all, test, notes, err := cfg.Load()
	if err != nil {
		return job, err
	}
	rows, held, more, err := cfg.HoldOut(all)
	if err != nil {
		return job, err
	}
	for _, n := range append(notes, more...) {
		p.note("%s", n)
	}
	if cfg.PredictDraws > 0 && rows.Task != data.Regression {
		return job, usagef("predict-draws is for regression: a classification has its class probabilities without draws")
	}
	job.Train, job.Validation, job.Test = rows, held, test
	return job, nil
}

// report prints the result of a run with these options.
func (p *program) report(r *train.Result, c *train.Config, path string, asJSON bool) error {
	if !asJSON {
		p.printResult(r, splitOf(c))
		if warning := r.Generalisation.Warning(c); warning != "" {
			p.note("\nwarning: %s", warning)
		}
		fmt.Fprintf(p.out, "\nrun folder: %s\n", path)
		return nil
	}
	text, err := train.JSON(struct {
		*train.Result
		Run string `json:"run"`
	}{r, path})
	if err == nil {
		p.out.Write(text)
	}
	return err
}

// runJob trains, scores and commits. After an error the folder is the caller's to discard.
func (p *program) runJob(job *train.Job, folder *train.Folder, guard *exitGuard) (path string, r *train.Result, err error) {
	if p.ctx.Err() != nil {
		return "", nil, errInterrupted // before there is a model to save
	}
	cfg := job.Config
	if cfg.KLWeight != 1 {
		p.note("kl-weight %g: what is maximised is a tempered objective, not the ELBO, and no bound", cfg.KLWeight)
	}
	if warning := cfg.Blocked(); warning != "" {
		p.note("warning: %s", warning)
	}
	p.note("training %s on %s: %d rows of %s, %s, on %s", cfg.Model, job.Train.Name, job.Train.N(), inputsOf(job.Train), job.Train.Task, job.Device.Name())
	ctx, cancel := context.WithCancel(p.ctx)
	defer cancel()
	job.Reporter = p.newReporter(folder, cancel)
	job.Save = saving(job, folder, guard)
	stopping := p.onInterrupt(func() {
		job.Reporter.Note("interrupted: training stops after this step, or this part of it; Ctrl-C again to quit at once")
	})
	out, err := job.Run(ctx)
	stopping()
	if errors.Is(err, context.Canceled) {
		if job.From == nil {
			p.note("interrupted before a step was done: there is no model to save")
		} else {
			p.note("interrupted before another step was done: the run is where it was")
		}
		return "", nil, errInterrupted
	}
	if err := errors.Join(folder.Err(), err); err != nil {
		return "", nil, err
	}
	if out.Interrupted {
		p.note("interrupted at step %d: the model so far is tested and saved", out.Steps)
	}
	p.warnOfFar(out.Trained, job.Test)
	finishing := p.onInterrupt(func() {
		p.note("interrupted after training: the model is tested and saved; Ctrl-C again to quit at once")
	})
	bar := p.newRowsBar(job.Test.N())
	scores, err := out.Trained.EvaluateDraws(job.Device, job.Test, cfg.EvalSamples, cfg.PredictDraws, bar.show)
	bar.end()
	var generalisation *train.Generalisation
	if err == nil {
		generalisation = p.generalise(job, out.Trained, scores)
	}
	finishing()
	commit := func(r *train.Result) error {
		return guard.write(func() (err error) {
			path, err = folder.Commit(cfg, out.Trained, r)
			return err
		})
	}
	if err == nil {
		r = train.NewResult(job, out, scores)
		r.Generalisation = generalisation
		_, err = train.JSON(r.Scored) // finds scores that are no numbers
	}
	if err == nil {
		err = commit(r)
		return path, r, err
	}
	// A model that could not be scored is a model all the same.
	r = train.NewResult(job, out, nil)
	r.Failure = err.Error()
	if commitErr := commit(r); commitErr != nil {
		err = errors.Join(err, commitErr)
	} else {
		err = fmt.Errorf("the model is trained and saved in %s, but its evaluation failed: %w; to score it: gpdrf-gpu eval %[1]s", path, err)
	}
	return "", nil, err
}

// generalise compares training rows with unseen ones. A run is worth more than that, so a failure
// is a note.
func (p *program) generalise(job *train.Job, t *train.Trained, scores *train.Scores) *train.Generalisation {
	g, err := job.Generalise(t, scores)
	if err != nil {
		p.note("warning: training rows are not compared with others: %v", err)
	}
	return g
}

// saving keeps the checkpoints of a run in its folder, and says at the first what they are for.
func saving(job *train.Job, folder *train.Folder, guard *exitGuard) func(*train.Checkpoint) error {
	return func(c *train.Checkpoint) error {
		first := folder.Path() == ""
		err := guard.write(func() error { return folder.Save(c) })
		if first && err == nil {
			job.Reporter.Note("checkpoint at step %d; if the run is killed, this goes on with it: %s", c.Step, train.ResumeCommand(folder.Path()))
		}
		return err
	}
}

// afterFailure says what a run that failed has left.
func (p *program) afterFailure(err error, folder *train.Folder) {
	switch {
	case !folder.CanGoOn():
	case errors.As(err, new(*model.NotFiniteError)), errors.As(err, new(*device.NotPositiveDefiniteError)): // and would again
		p.note("%s holds the run at its last checkpoint: eval and predict take its parameters", folder.Path())
	default:
		p.note("to go on from the last checkpoint: %s", train.ResumeCommand(folder.Path()))
	}
}

// warnOfFar says which rows are too far from those of training for a prediction that means much, or have no features.
func (p *program) warnOfFar(t *train.Trained, rows *data.Dataset) {
	if t.Gram != nil {
		return // inputs are not looked at
	}
	for _, warning := range []string{t.Scaler.Far(rows), t.Empty(p.ctx, rows)} {
		if warning != "" {
			p.note("%s", warning)
		}
	}
}

// inputsOf says what a row is.
func inputsOf(ds *data.Dataset) string {
	switch {
	case ds.Sequences == nil:
		return fmt.Sprintf("%d inputs", ds.D())
	case ds.D() == 0:
		return "a sequence"
	}
	numbers := "numbers"
	if ds.D() == 1 {
		numbers = "number"
	}
	return fmt.Sprintf("a sequence and %d %s", ds.D(), numbers)
}

// config resolves the options of train from the command line and the config file.
func (c *call) config() (*train.Config, error) {
	var file []train.Setting
	if path, ok := c.text("config"); ok {
		var err error
		if file, err = train.ReadConfig(path); err != nil {
			return nil, err
		}
	}
	return train.Resolve(file, c.given())
}
