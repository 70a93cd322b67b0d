package main

import (
	"time"

	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// trainRequest holds the parsed options of a call of train.
type trainRequest struct {
	call      *call
	do        func(*trainRequest) error
	started   time.Time
	outDir    string // the run folder; "" chooses one
	resume    string // the folder that goes on
	overwrite bool
	cv        *rundir.CV
}

// parseTrain reads the flags and keys of train that are about the command.
func (p *program) parseTrain(c *call) (r *trainRequest, err error) {
	r = &trainRequest{call: c}
	if err := p.endAtEOF(c); err != nil {
		return nil, err
	}
	r.overwrite, p.reports, p.tensorboard = c.isOn("overwrite"), c.isOnOr("report", true), c.isOn("tensorboard")
	if c.err != nil {
		return nil, c.err
	}
	given := false
	if r.outDir, given = c.text("out"); given && r.outDir == "" {
		return nil, usagef("--out: is empty: give a folder, or leave it out")
	}
	r.resume, _ = c.text("resume")
	cv, err := r.asksForCV()
	if _, given := c.text("jobs"); given && cv && err == nil {
		err = c.errorf("jobs", "is for preset best and ensemble: leave it out, or train the folds in several "+
			"processes with --set part")
	}
	if cv || err != nil {
		r.do = p.crossValidate // new or resumed, or a part of it
		return r, err
	}
	best, err := r.asksForBest()
	switch _, resume := c.text("resume"); {
	case best:
		r.do = p.findBest // or an ensemble, new or resumed
	case resume:
		r.do = p.resume
	default:
		r.do = p.start
	}
	return r, err
}
