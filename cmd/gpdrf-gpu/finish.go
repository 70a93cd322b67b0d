package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gpdrf/gpdrf-gpu/train"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// finish is what follows training: the model is saved, then scored. Whatever ends the scoring, the
// model is there.
type finish struct {
	*program
	job    *train.Job
	folder *rundir.Folder
	out    *train.Outcome
	events *events

	asJSON bool
	path   string // of the run folder; "" where it could not be written
	result *rundir.Result
	doing  string // which of its extras
}

// lastTest is how long a model is tested after its training was interrupted, or at the end of a
// time limit: what is soon done is worth the wait.
const lastTest = 700 * time.Millisecond

// save writes the run as it is before its test. guard keeps it whole.
func (f *finish) save(guard *exitGuard) error {
	r := train.NewResult(f.job, f.out, nil)
	r.Failure = rundir.Untested
	return guard.write(func() (err error) {
		f.path, err = f.folder.Commit(f.out.Config, f.out.Trained, r)
		if err == nil {
			f.history()
			f.table()
		}
		return err
	})
}

// score tests the model, and then does what the scores are complete without, until the latest time
// of a limit; 0 is none. The scores are the result, also where they cannot be written.
func (f *finish) score(limit time.Duration) error {
	if f.job.Test == nil { // and so nothing to score
		f.result = train.NewResult(f.job, f.out, nil)
	}
	ctx, cancel := f.until(limit)
	defer cancel()
	guard := f.newExitGuard(ctx, func() error { return f.left(ctx) })
	defer guard.stop()
	var scores *fitted.Scores
	if f.result == nil {
		var err error
		if scores, err = f.test(ctx); err == nil {
			err = guard.write(func() error {
				r := train.NewResult(f.job, f.out, scores)
				if _, err := rundir.JSON(r.Scored); err != nil { // finds scores that are no numbers
					return err
				}
				f.result = r
				return nil
			})
		}
		if err != nil && ctx.Err() != nil {
			guard.now()
		}
		if err != nil {
			return guard.write(func() error { return f.failed(err) })
		}
	}
	if err := guard.write(f.rescore); err != nil {
		return err
	}
	if scores != nil {
		f.generalise(guard, scores)
	}
	f.keep(guard, scores)
	guard.end()
	return nil
}

// until is the context of the test.
func (f *finish) until(limit time.Duration) (context.Context, context.CancelFunc) {
	// the signal that is to end the test is the second one
	if f.out.End == train.Interrupted && f.ctx.Err() != nil {
		return context.WithTimeoutCause(context.Background(), lastTest, context.Canceled)
	}
	if limit == 0 {
		return context.WithCancel(f.ctx)
	}
	ctx, cancel := train.Latest(f.ctx, f.job.Started, limit)
	if ctx.Err() == nil || f.ctx.Err() != nil {
		return ctx, cancel
	}
	cancel()
	return context.WithTimeoutCause(f.ctx, lastTest, train.ErrLate)
}

func (f *finish) test(ctx context.Context) (*fitted.Scores, error) {
	cfg, t, rows := f.out.Config, f.out.Trained, f.job.Test
	f.warnOfFar(ctx, t, rows, manyOf(rows))
	bar := f.newRowsBar(rows.N())
	defer bar.end()
	scores, err := t.Evaluate(f.together(ctx), f.job.Device, rows, cfg.EvalSamples, cfg.PredictDraws, bar.show)
	if err == nil {
		err = f.leave()
	}
	return scores, err
}

// rescore writes the scores into a run folder that is saved.
func (f *finish) rescore() error {
	if f.path == "" {
		return nil // why, was said when it was to be saved
	}
	return f.folder.Rewrite(f.result)
}

// left says what a test that was ended has left out.
func (f *finish) left(ctx context.Context) error {
	cause := context.Cause(ctx)
	if f.result != nil {
		if why := "there was no time"; f.doing != "" {
			if errors.Is(cause, context.Canceled) {
				why = "interrupted"
			}
			f.leaveOut(why)
		}
		err := f.rescore()
		if err == nil {
			err = f.printRun(f.result, f.out.Config, f.path, f.asJSON)
		}
		if err != nil {
			f.say("gpdrf-gpu: %v", err)
		}
	} else if f.path != "" {
		f.say("the model is trained and saved in %s; its test was left out; to score it: gpdrf-gpu eval %[1]s", f.path)
	}
	if (f.out.End == train.Interrupted || f.cvPath != "" && errors.Is(cause, context.Canceled)) && f.path != "" {
		f.say("to resume: %s", f.resumeCommand(f.path))
	}
	switch {
	case errors.Is(cause, context.Canceled):
		return errInterrupted
	case f.result != nil:
		return nil
	}
	f.say("gpdrf-gpu: %v", cause)
	return cause
}

// failed is the error of a test that could not be done. A model that could not be scored is a model
// all the same.
func (f *finish) failed(err error) error {
	if f.path == "" {
		return err
	}
	r := train.NewResult(f.job, f.out, nil)
	r.Failure = err.Error()
	if writing := f.folder.Rewrite(r); writing != nil {
		return errors.Join(err, writing)
	}
	return fmt.Errorf("the model is trained and saved in %s, but its evaluation failed: %w; to score "+
		"it: gpdrf-gpu eval %[1]s", f.path, err)
}
