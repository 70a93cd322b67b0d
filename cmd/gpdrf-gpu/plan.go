package main

import (
	"errors"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/train"
)

// plan prints the memory of a training with these options. If it does not fit, the plan is that of
// the least that was tried.
func (p *program) plan(c *call) error {
	p.newExitGuard(p.ctx, p.nothing)
	if args := c.args; len(args) > 0 {
		return usagef("unexpected argument %q: plan takes the options of train: gpdrf-gpu plan "+
			"--data %s", args[0], args[0])
	}
	cfg, err := c.config()
	if err != nil {
		return err
	}
	if cfg.StartFrom != "" {
		return cfg.Errorf("from", "takes the memory of the run that it starts at: plan with the options of that run")
	}
	dev, err := p.openDevice(cfg.Device)
	if err != nil {
		return err
	}
	defer dev.Close()
	watch, end := p.reading(p.ctx)
	defer end()
	cfg, rows, testRows, notes, err := cfg.Load(watch)
	if err != nil {
		return err
	}
	rows, _, intervals, err := cfg.HoldOutConformal(rows)
	if err != nil {
		return err
	}
	rows, validation, more, err := cfg.HoldOut(rows, watch)
	end()
	if err != nil {
		return err
	}
	cfg, fitting, err := cfg.Fit(p.ctx, rows)
	if err != nil {
		return err
	}
	p.notes(slices.Concat(notes, intervals, more, fitting))
	job := &train.Job{Config: cfg, Device: dev, Train: rows, Validation: validation, Test: testRows}
	plan, err := job.Plan(p.ctx)
	if plan != nil {
		err = errors.Join(p.show(plan), err)
	}
	return err
}
