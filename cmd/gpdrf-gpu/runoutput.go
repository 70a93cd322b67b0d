package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
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
	limit  train.TimeLimit
	events *events

	path      string         // the path of the run folder; "" if it could not be written
	saved     *rundir.Result // the result before the test
	result    *rundir.Result
	extraName string // the extra that is being computed; "" before the first
}

// lastTest is the time for the test after training was interrupted. It is also the time for the work after the test if
// a time limit is over: short work is worth the wait.
const lastTest = 700 * time.Millisecond

// save writes the run as it is before its test. guard keeps it whole.
func (o *runOutput) save(guard *exitGuard) error {
	o.saved = train.NewResult(o.job, o.out)
	o.saved.Failure = rundir.Untested
	return guard.write(func() (err error) {
		o.path, err = o.folder.Commit(o.out.Config, o.out.Trained, o.saved)
		if err != nil {
			return err
		}
		o.writeHistory()
		o.writeMetricsTable()
		return nil
	})
}

// score tests the model, on as many rows as the limit leaves time for. Then it computes the extras of the run, until
// the latest time of the limit. The scores are the result, also if they cannot be written.
func (o *runOutput) score() error {
	defer o.folder.Release()
	if o.job.Test == nil { // there is nothing to score
		o.result = o.withScores(&fitted.Scores{})
	}
	ctx, cancel := o.testContext()
	defer cancel()
	guard := o.p.newExitGuard(ctx, o.leave)
	defer guard.stop()
	var scores *fitted.Scores
	if o.job.Test != nil {
		var err error
		if scores, err = o.test(ctx); err == nil {
			err = guard.write(func() error { o.result = o.withScores(scores); return nil })
		}
		switch {
		case err != nil && ctx.Err() != nil:
			return guard.ended()
		case err != nil:
			return guard.write(func() error { return o.recordFailure(err) })
		}
	}
	if err := guard.write(o.writeResult); err != nil {
		return err
	}
	late, stop := o.extrasContext(ctx)
	defer stop()
	if scores != nil {
		o.generalise(late, guard, scores)
	}
	o.addExtras(late, guard, scores)
	return guard.disarm()
}

// withScores returns the result with the scores of the test, unless it had scores before.
func (o *runOutput) withScores(scores *fitted.Scores) *rundir.Result {
	r := *o.saved
	if r.Failure != "" {
		r.Failure = ""
		r.ResultScores = scores.ResultScores
	}
	return &r
}

func (o *runOutput) testContext() (context.Context, context.CancelFunc) {
	// Only a second signal is to end the test.
	if o.out.StopReason == train.Interrupted && o.p.ctx.Err() != nil {
		return context.WithTimeoutCause(context.Background(), lastTest, context.Canceled)
	}
	return context.WithCancel(o.p.ctx)
}

// extrasContext returns the context of the work after the test, which ends at the latest time of the limit.
func (o *runOutput) extrasContext(ctx context.Context) (context.Context, context.CancelFunc) {
	late, cancel := o.limit.WithGrace(ctx)
	if late.Err() == nil || ctx.Err() != nil {
		return late, cancel
	}
	cancel()
	return context.WithTimeoutCause(ctx, min(lastTest, o.limit.Time/20), train.ErrTimeLimit)
}

// testShare is the share of the remaining time for the test; the rest is for the work after it.
const testShare = 0.85

func (o *runOutput) test(ctx context.Context) (scores *fitted.Scores, err error) {
	cfg := o.out.Config
	t := o.out.Trained
	rows := o.job.Test
	o.p.warnAll(t.RowWarnings(ctx, rows, onePercent(rows)))
	request := fitted.EvaluateOptions{Samples: cfg.EvalSamples, Draws: cfg.PredictDraws, Ranks: o.p.ranksComm()}
	if o.limit.Time > 0 && o.out.StopReason != train.Interrupted {
		now := time.Now()
		request.Until = now.Add(time.Duration(testShare * float64(o.limit.Began.Add(o.limit.Time).Sub(now))))
	}
	scores, err = o.p.evaluate(ctx, t, o.job.Device, rows, request)
	if err != nil {
		return nil, err
	}
	if err := o.p.leaveRanks(); err != nil {
		return nil, err
	}
	if scores.Cut != nil {
		o.p.note("scored %s of %s test rows with %s to keep to the time limit; gpdrf-gpu eval %s scores all",
			humanize.Comma(int64(scores.Cut.Rows)), humanize.Comma(int64(rows.N())),
			phrase.Plural(scores.Cut.Samples, "sample"), cmp.Or(o.path, "RUN"))
	}
	if warning := coverageWarning(scores.ResultScores, scores.Scored(rows.N())); warning != "" {
		o.p.warn("%s", warning)
	}
	return scores, rundir.CheckScores(scores.ResultScores)
}

// coverageWarning returns the warning of 90 % intervals that hold too few or too many of n test rows, by more than four
// standard errors of the share; "" for none. Intervals of counts may hold more.
func coverageWarning(s fitted.ResultScores, n int) string {
	const share, fewest, errors = 0.9, 50, 4
	r := s.TestScores.Regression
	if r == nil || n < fewest || s.Measure == fitted.CountingMeasure ||
		math.Abs(r.Coverage90-share) <= errors*math.Sqrt(share*(1-share)/float64(n)) {
		return ""
	}
	fault := "wide"
	if r.Coverage90 < share {
		fault = "narrow"
	}
	return fmt.Sprintf("the 90 %% intervals hold %.1f %% of %d test rows: they are too %s; a longer run or "+
		"--conformal may help", 100*r.Coverage90, n, fault)
}

// writeResult writes the result into the run folder, if it was saved.
func (o *runOutput) writeResult() error {
	if o.path == "" {
		return nil // the error was reported when the folder could not be saved
	}
	return o.folder.WriteResult(o.result)
}

// leave prints the result so far after an interrupt of the test.
func (o *runOutput) leave() error {
	if o.result != nil {
		if o.extraName != "" {
			o.leaveOut("interrupted")
		}
		err := o.writeResult()
		if err == nil {
			err = o.p.printRun(o.result, o.out.Config, o.path)
		}
		if err != nil {
			o.p.printLine("gpdrf-gpu: %v", err)
		}
	} else if o.path != "" {
		o.p.printLine("the model is trained and saved in %s; its test was left out; "+
			"to score it: gpdrf-gpu eval %[1]s", o.path)
	}
	// After the last step there may be no checkpoint.
	resumable := o.out.StopReason == train.Interrupted && o.folder.CanResume()
	if (resumable || o.p.cvPath != "") && o.path != "" {
		o.p.printLine("to resume: %s", o.p.resumeCommand(o.path))
	}
	return errInterrupted
}

// recordFailure records the error of a test in the run folder, and adds to it that the model is saved.
func (o *runOutput) recordFailure(err error) error {
	if o.path == "" || o.saved.Failure == "" {
		return err
	}
	r := *o.saved
	r.Failure = err.Error()
	if writing := o.folder.WriteResult(&r); writing != nil {
		return errors.Join(err, writing)
	}
	return fmt.Errorf("the model is trained and saved in %s, but its evaluation failed: %w; to score "+
		"it: gpdrf-gpu eval %[1]s", o.path, err)
}
