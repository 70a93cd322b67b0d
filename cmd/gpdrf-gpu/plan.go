package main

import (
	"errors"

	"github.com/gpdrf/gpdrf-gpu/train"
	"github.com/gpdrf/gpdrf-gpu/train/options"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

func (p *program) planVerb() verb {
	return verb{
		name: "plan", line: "list the memory that a training takes", run: p.plan,
		about: "It takes the options of train and lists the memory of that training, or of the first fold of --cv, " +
			"part by part; --json lists every buffer. Nothing is trained. If the training does not fit, the exit " +
			"code is 2, and the error names options that would fit.",
		flags: append(ofMemory(trainFlags()), jsonFlag), keys: ofMemory(optionFlags(false)),
		examples: []example{
			{"gpdrf-gpu plan --data examples/power.csv --set samples=100 --device cuda", "does it fit the GPU?"},
			{"gpdrf-gpu plan --config runs/powerplant-gpdrf-1/config.yaml", "how much memory an earlier run took"},
		},
	}
}

// plan prints the memory of a training with these options. If it does not fit, it prints the plan of the smallest
// training that was tried.
func (p *program) plan(c *call) error {
	p.newExitGuard(p.ctx, p.nothingWritten)
	cfg, err := c.config()
	if folds, given := c.text("cv"); given && err == nil {
		cfg, err = p.planFold(c, folds)
	}
	if err != nil {
		return err
	}
	if cfg.Preset == options.Best || cfg.Ensemble > 1 {
		return usagef("preset best and ensemble train several models at a time, and plan measures one: leave them out")
	}
	if cfg.StartFrom != "" {
		return cfg.Errorf("from", "takes the memory of the run that it starts at: plan with the options of that run")
	}
	dev, err := p.openFor(c, cfg.Device)
	if err != nil {
		return err
	}
	defer dev.Close()
	control, end := p.reading(p.ctx)
	defer end()
	cfg, rows, notes, err := cfg.ReadRows(nil, control)
	end()
	if err != nil {
		return err
	}
	job := &train.Job{Config: cfg, Device: dev, Train: rows.Train, Validation: rows.Validation, Test: rows.Test}
	plan, fitting, err := job.Plan(p.ctx)
	if plan != nil {
		p.relayAll(append(notes, fitting...))
		err = errors.Join(p.show(plan), err)
	}
	return err
}

// planFold returns the Config of the first fold of a cross-validation.
func (p *program) planFold(c *call, folds string) (options.Config, error) {
	cv, err := rundir.NewCV(folds, c.fileOptions, c.runOptions())
	if err != nil {
		return options.Config{}, err
	}
	p.note("the memory of fold 1 of %d: they are trained one after another", cv.Folds)
	return cv.Begin(1, nil)
}
