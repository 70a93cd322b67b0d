package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"github.com/gpdrf/gpdrf-gpu/train"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// runOutput saves the model of a run, then scores it. A model that is saved stays, however the scoring ends.
type runOutput struct {
	p      *program
	job    *train.Job
	folder *rundir.Folder
	out    *train.Outcome
	limit  train.Limit
	events *events

	path      string         // the path of the run folder; "" if it could not be written
	saved     *rundir.Result // the result before the test
	result    *rundir.Result
	extraName string // the extra that is being computed; "" before the first
}

// lastTest is the time for the test after training was interrupted. It is also the time for the work after the
// test if a time limit is over: short work is worth the wait.
const lastTest = 700 * time.Millisecond

// save writes the run as it is before its test. guard keeps it whole.
func (f *runOutput) save(guard *exitGuard) error {
	f.saved = train.NewResult(f.job, f.out, nil)
	f.saved.Failure = rundir.Untested
	return guard.write(func() (err error) {
		f.path, err = f.folder.Commit(f.out.Config, f.out.Trained, f.saved)
		if err != nil {
			return err
		}
		f.writeHistory()
		f.writeMetricsTable()
		return nil
	})
}

// score tests the model, on as many rows as the limit leaves time for. Then it computes the extras of the run, until
// the latest time of the limit. The scores are the result, also if they cannot be written.
func (f *runOutput) score() error {
	defer f.folder.Release()
	if f.job.Test == nil { // there is nothing to score
		f.result = f.scored(&fitted.Scores{})
	}
	ctx, cancel := f.testContext()
	defer cancel()
	guard := f.p.newExitGuard(ctx, f.leave)
	defer guard.stop()
	var scores *fitted.Scores
	if f.result == nil {
		var err error
		if scores, err = f.test(ctx); err == nil {
			err = guard.write(func() error {
				r := f.scored(scores)
				if _, err := rundir.JSON(r.ResultScores); err != nil { // scores that are not numbers are an error
					return err
				}
				f.result = r
				return nil
			})
		}
		if err != nil && ctx.Err() != nil {
			return guard.leave()
		}
		if err != nil {
			return guard.write(func() error { return f.recordFailure(err) })
		}
	}
	if err := guard.write(f.rescore); err != nil {
		return err
	}
	late, stop := f.extrasContext(ctx)
	defer stop()
	if scores != nil {
		f.generalise(late, guard, scores)
	}
	f.addExtras(late, guard, scores)
	return guard.end()
}

// scored returns the result with the scores of the test, unless it had scores before.
func (f *runOutput) scored(scores *fitted.Scores) *rundir.Result {
	r := *f.saved
	if r.Failure != "" {
		r.Failure = ""
		r.ResultScores = scores.ResultScores
	}
	return &r
}

func (f *runOutput) testContext() (context.Context, context.CancelFunc) {
	// Only a second signal is to end the test.
	if f.out.End == train.Interrupted && f.p.ctx.Err() != nil {
		return context.WithTimeoutCause(context.Background(), lastTest, context.Canceled)
	}
	return context.WithCancel(f.p.ctx)
}

// extrasContext returns the context of the work after the test, which ends at the latest time of the limit.
func (f *runOutput) extrasContext(ctx context.Context) (context.Context, context.CancelFunc) {
	late, cancel := f.limit.Latest(ctx)
	if late.Err() == nil || ctx.Err() != nil {
		return late, cancel
	}
	cancel()
	return context.WithTimeoutCause(ctx, min(lastTest, f.limit.Time/20), train.ErrLate)
}

// testShare is the share of the remaining time for the test; the rest is for the work after it.
const testShare = 0.85

func (f *runOutput) test(ctx context.Context) (scores *fitted.Scores, err error) {
	cfg := f.out.Config
	t := f.out.Trained
	rows := f.job.Test
	f.p.warnAll(t.RowWarnings(ctx, rows, onePercent(rows)))
	bar := f.p.newRowsBar(rows.N())
	defer bar.end()
	request := fitted.Evaluation{Samples: cfg.EvalSamples, Draws: cfg.PredictDraws, Ranks: f.p.sharers(),
		Progress: bar.show}
	if f.limit.Time > 0 && f.out.End != train.Interrupted {
		now := time.Now()
		request.Until = now.Add(time.Duration(testShare * float64(f.limit.Began.Add(f.limit.Time).Sub(now))))
	}
	scores, err = t.Evaluate(ctx, f.job.Device, rows, request)
	if err != nil {
		return nil, err
	}
	if err := f.p.leaveRanks(); err != nil {
		return nil, err
	}
	if scores.Cut != nil {
		f.p.note("scored %s of %s test rows with %s to keep to the time limit; gpdrf-gpu eval %s scores all",
			humanize.Comma(int64(scores.Cut.Rows)), humanize.Comma(int64(rows.N())),
			english.Plural(scores.Cut.Samples, "sample", ""), cmp.Or(f.path, "RUN"))
	}
	return scores, nil
}

// rescore writes the scores into the run folder, if it was saved.
func (f *runOutput) rescore() error {
	if f.path == "" {
		return nil // the error was reported when the folder could not be saved
	}
	return f.folder.Rewrite(f.result)
}

// leave prints the result so far after an interrupt of the test.
func (f *runOutput) leave() error {
	if f.result != nil {
		if f.extraName != "" {
			f.leaveOut("interrupted")
		}
		err := f.rescore()
		if err == nil {
			err = f.p.printRun(f.result, f.out.Config, f.path)
		}
		if err != nil {
			f.p.printLine("gpdrf-gpu: %v", err)
		}
	} else if f.path != "" {
		f.p.printLine("the model is trained and saved in %s; its test was left out; "+
			"to score it: gpdrf-gpu eval %[1]s", f.path)
	}
	// After the last step there may be no checkpoint.
	resumable := f.out.End == train.Interrupted && f.folder.CanResume()
	if (resumable || f.p.cvPath != "") && f.path != "" {
		f.p.printLine("to resume: %s", f.p.resumeCommand(f.path))
	}
	return errInterrupted
}

// recordFailure records the error of a test in the run folder, and adds to it that the model is saved.
func (f *runOutput) recordFailure(err error) error {
	if f.path == "" || f.saved.Failure == "" {
		return err
	}
	r := *f.saved
	r.Failure = err.Error()
	if writing := f.folder.Rewrite(&r); writing != nil {
		return errors.Join(err, writing)
	}
	return fmt.Errorf("the model is trained and saved in %s, but its evaluation failed: %w; to score "+
		"it: gpdrf-gpu eval %[1]s", f.path, err)
}
