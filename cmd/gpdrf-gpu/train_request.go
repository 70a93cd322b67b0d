package main

import (
	"time"

	"github.com/gpdrf/gpdrf-gpu/train/best"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// trainRequest holds the parsed options of a call of train.
type trainRequest struct {
	call      *call
	started   time.Time
	outDir    string // the new run folder; "" if its name is to be chosen
	resume    string // the run folder of --resume
	overwrite bool
	cv        *rundir.CV // a cross-validation, new or resumed; nil for another training
	several   bool       // a search or an ensemble, new or resumed
}

// parseTrain reads the flags and keys of train that are about the command.
func (p *program) parseTrain(c *call) (r *trainRequest, err error) {
	r = &trainRequest{call: c}
	if err := p.endAtEOF(c); err != nil {
		return nil, err
	}
	r.overwrite = c.isOn("overwrite")
	p.reports = c.isOn("report")
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
		return nil, c.errorf("jobs", "is for preset best and ensemble: leave it out, or train each fold by itself "+
			"with --folds N --fold K")
	}
	p.keepNoReport(r)
	if r.cv == nil {
		r.several, err = r.asksForSeveral()
	}
	return r, err
}

// readCV reads the cross-validation that train is asked for, if it is: a new one, or one that goes on, whose path is
// known then.
func (r *trainRequest) readCV() (err error) {
	_, resume := r.call.text("resume")
	folds, begin := r.call.text("cv")
	switch {
	case resume && rundir.IsCV(r.resume):
		if err := r.call.noneOfNew(); err != nil {
			return err
		}
		r.cv, err = rundir.OpenCV(r.resume)
	case begin && !resume:
		if err := r.call.readConfig(); err != nil {
			return err
		}
		r.cv, err = rundir.NewCV(folds, r.call.fileOptions, r.call.runOptions())
	}
	return err
}

// asksForSeveral reports whether train is to train several models, or to resume such a training.
func (r *trainRequest) asksForSeveral() (bool, error) {
	if _, resume := r.call.text("resume"); resume {
		return rundir.IsSearch(r.resume), nil
	}
	cfg, err := r.call.config()
	// An error is reported by the next reader of the options.
	several := err == nil && best.TrainsSeveral(cfg)
	if _, given := r.call.text("jobs"); given && err == nil && !several {
		return false, r.call.errorf("jobs", "is for preset best and ensemble: leave it out")
	}
	return several, nil
}

// noneOfNew refuses options of new runs.
func (c *call) noneOfNew() error {
	for _, name := range []string{"config", "out", "overwrite", "cv"} {
		if _, given := c.text(name); given {
			return usagef("--%s: a resumed run keeps its folder and its options: leave this out with --resume", name)
		}
	}
	return nil
}

// keepNoReport lets a resumed training write no report if it began without one, unless the command says so.
func (p *program) keepNoReport(r *trainRequest) {
	_, given := r.call.text("report")
	past, err := rundir.ReadHistory(r.resume)
	switch {
	case r.cv != nil && (given || r.cv.Path() == ""):
		r.cv.NoReport = !p.reports
	case r.cv != nil:
		p.reports = !r.cv.NoReport
	case !given && r.resume != "" && err == nil && len(past) > 0:
		p.reports = !past[len(past)-1].NoReport
	}
}
