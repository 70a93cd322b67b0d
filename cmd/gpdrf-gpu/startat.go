package main

import (
	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/train"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

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
	if job.Config, err = job.Config.StartAt(run.Config, run.Result.Steps); err != nil {
		return err
	}
	job.Start = run.Trained
	roles := run.Trained.Schema.Roles // by their names, also where the run has their numbers
	for key, name := range map[string]string{"weights": roles.Weights, "group": roles.Group, "time": roles.Time} {
		if !job.Config.Explicit(key) {
			job.Config = job.Config.With(key, name)
		}
	}
	p.note("starts at the model of %s, after its %d steps", path, run.Result.Steps)
	return nil
}
