package main

import (
	"time"

	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// trainMode is the kind of work that a call of train asks for.
type trainMode int

const (
	trainNew     trainMode = iota // one model
	trainResumed                  // one model, from its last checkpoint
	trainFolds                    // a cross-validation, new or resumed, or a part of it
	trainSeveral                  // a search or an ensemble, new or resumed
)

// trainRequest holds the parsed options of a call of train.
type trainRequest struct {
	call      *call
	mode      trainMode
	started   time.Time
	outDir    string // the new run folder; "" if its name is to be chosen
	resume    string // the run folder of --resume
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
	given, resumed := false, false
	if r.outDir, given = c.text("out"); given && r.outDir == "" {
		return nil, usagef("--out: is empty: give a folder, or leave it out")
	}
	r.resume, resumed = c.text("resume")
	cv, err := r.asksForCV()
	if _, given := c.text("jobs"); given && cv && err == nil {
		err = c.errorf("jobs", "is for preset best and ensemble: leave it out, or train the folds in several "+
			"processes with --set part")
	}
	if cv || err != nil {
		r.mode = trainFolds
		return r, err
	}
	several, err := r.asksForBest()
	switch {
	case several:
		r.mode = trainSeveral
	case resumed:
		r.mode = trainResumed
	}
	return r, err
}
