package main

import (
	"time"

	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// trainRequest holds the parsed options of a call of train.
type trainRequest struct {
	call      *call
	started   time.Time
	outDir    string // the new run folder; "" if its name is to be chosen
	resume    string // the run folder of --resume
	overwrite bool
	cv        *rundir.CV // a cross-validation, new or resumed, or a part of it; nil for another training
	several   bool       // a search or an ensemble, new or resumed
}

// parseTrain reads the flags and keys of train that are about the command.
func (p *program) parseTrain(c *call) (r *trainRequest, err error) {
	r = &trainRequest{call: c}
	if err := p.endAtEOF(c); err != nil {
		return nil, err
	}
	r.overwrite = c.isOn("overwrite")
	p.reports = c.isOnOr("report", true)
	p.tensorboard = c.isOn("tensorboard")
	if c.err != nil {
		return nil, c.err
	}
	given := false
	if r.outDir, given = c.text("out"); given && r.outDir == "" {
		return nil, usagef("--out: is empty: give a folder, or leave it out")
	}
	r.resume, _ = c.text("resume")
	if err := r.readCV(); err != nil {
		return nil, err
	}
	if _, given := c.text("jobs"); given && r.cv != nil {
		return nil, c.errorf("jobs", "is for preset best and ensemble: leave it out, or train the folds in several "+
			"processes with --set part")
	}
	if r.cv == nil {
		r.several, err = r.asksForBest()
	}
	return r, err
}
