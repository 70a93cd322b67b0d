package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gpdrf/gpdrf-gpu/data"
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
	cfg, err := c.config()
	if err != nil {
		return err
	}
	dev, err := p.openDevice(cfg.Device)
	if err != nil {
		return err
	}
	defer dev.Close()
	cfg.Device, cfg.Precision = dev.Name(), p.relax(dev, cfg.Precision)

	trainRows, testRows, notes, err := cfg.Load()
	if err != nil {
		return err
	}
	trainRows, held, more, err := cfg.HoldOut(trainRows)
	if err != nil {
		return err
	}
	for _, n := range append(notes, more...) {
		p.note("%s", n)
	}
	if cfg.PredictDraws > 0 && trainRows.Task != data.Regression {
		return usagef("predict-draws is for regression: a classification has its class probabilities without draws")
	}
	out, given := c.text("out")
	if given && out == "" {
		return usagef("--out: is empty: give a folder, or leave it out")
	}
	guard.end() // from here on Ctrl-C saves the model so far
	folder, err := train.NewFolder(out, trainRows.Name, cfg.Model)
	if err != nil {
		return err
	}
	job := &train.Job{Config: cfg, Device: dev, Train: trainRows, Validation: held, TestRows: testRows.N(), Started: started}
	path, result, err := p.runJob(job, testRows, folder)
	if err != nil {
		return errors.Join(err, folder.Discard())
	}
	if asJSON {
		text, err := train.JSON(struct {
			*train.Result
			Run string `json:"run"`
		}{result, path})
		if err != nil {
			return err
		}
		p.out.Write(text)
	} else {
		p.printResult(result, cfg.Fold)
		fmt.Fprintf(p.out, "\nrun folder: %s\n", path)
	}
	if p.ctx.Err() != nil {
		return errInterrupted
	}
	return nil
}

// runJob trains, scores and commits. After an error the folder is the caller's to discard.
func (p *program) runJob(job *train.Job, test *data.Dataset, folder *train.Folder) (path string, r *train.Result, err error) {
	if p.ctx.Err() != nil {
		return "", nil, errInterrupted // before there is a model to save
	}
	cfg := job.Config
	if cfg.KLWeight != 1 {
		p.note("kl-weight %g: what is maximised is a tempered objective, not the ELBO, and no bound", cfg.KLWeight)
	}
	p.note("training %s on %s: %d rows of %d inputs, %s, on %s", cfg.Model, job.Train.Name, job.Train.N(), job.Train.D(), job.Train.Task, job.Device.Name())
	ctx, cancel := context.WithCancel(p.ctx)
	defer cancel()
	job.Reporter = p.newReporter(folder, cancel)
	out, err := job.Run(ctx)
	if errors.Is(err, context.Canceled) {
		p.note("interrupted before the first step: there is no model to save")
		return "", nil, errInterrupted
	}
	if err := errors.Join(folder.Err(), err); err != nil {
		return "", nil, err
	}
	if out.Interrupted {
		p.note("interrupted at step %d: the model so far is tested and saved; Ctrl-C again to quit at once", out.Steps)
	}
	cfg.Scaling = out.Trained.Scaler.Kind
	p.warnOfFar(out.Trained, test)
	scores, err := out.Trained.EvaluateDraws(job.Device, test, cfg.EvalSamples, cfg.PredictDraws)
	if err != nil {
		return "", nil, err
	}
	r = train.NewResult(job, out, test, scores)
	path, err = folder.Commit(cfg, out.Trained, r)
	return path, r, err
}

// warnOfFar says which rows are too far from those of training for a prediction that means much.
func (p *program) warnOfFar(t *train.Trained, rows *data.Dataset) {
	if warning := t.Scaler.Far(rows); warning != "" {
		p.note("%s", warning)
	}
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
