package train

import (
	"cmp"
	"context"
	"time"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/scaling"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/dist"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/seq"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/memory"
	"github.com/gpdrf/gpdrf-gpu/train/options"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// Job is one training run: the model, its rows and its device.
type Job struct {
	Config     options.Config
	Device     device.Device
	Train      *data.Dataset
	Validation *data.Dataset // evaluated during training; nil for none
	Test       *data.Dataset // predicted at the end; nil for none
	Conformal  *data.Dataset // held out for the intervals alone; nil for none
	Started    time.Time     // time when the command began, for the time limit
	Reporter   Reporter      // nil is silent

	// Planned is called once the length of the run is planned, unless it is nil. From then on, a time limit ends the
	// run with a model.
	Planned func()

	Comm dist.Comm // the ranks that share the run; nil for one process

	// Save keeps a checkpoint, whose memory is used again after the call; nil makes no checkpoints.
	Save func(*rundir.Checkpoint) error
	// Checkpoint is where the run resumes; nil for a run from its start.
	Checkpoint *rundir.Checkpoint

	// From is the model at which the run starts: rows are read by its Schema; nil for a new model.
	From *fitted.Model

	// projection makes few inputs of many columns; nil if each column is an input, and before ReduceColumns.
	projection *scaling.Projection

	attemptState  rundir.State   // state of a checkpoint before the first step, which has attempts
	attemptResult *rundir.Result // result of the same checkpoint

	// Tests alone set these two; "" is by the free memory.
	rowLocation    string // place of the rows: host
	distanceMethod string // way to distances of sequences: table, steps

	sequences        *sequences // results of chooseInducing and countFeatures; nil before them
	distancesInSteps bool       // distances are computed in every step; set by applyPlan
	streamsBatches   bool       // each step brings its batch from the host; set by applyPlan
}

// testRows is the number of rows that are predicted at the end.
func (j *Job) testRows() int {
	if j.Test == nil {
		return 0
	}
	return j.Test.N()
}

// Reporter receives the progress of a run.
type Reporter interface {
	// Note gets a line for the user about a decision.
	Note(format string, args ...any)
	// Doing gets the finished share, from 0 to 1, of a piece of work before the first step.
	Doing(what string, share float64)
	// Begin comes before the first step, End after the last.
	Begin(totalSteps int)
	Step(rundir.Progress)
	End()
}

// Silent is a Reporter that does nothing.
type Silent struct{}

// Note does nothing.
func (Silent) Note(string, ...any) {}

// Doing does nothing.
func (Silent) Doing(string, float64) {}

// Begin does nothing.
func (Silent) Begin(int) {}

// Step does nothing.
func (Silent) Step(rundir.Progress) {}

// End does nothing.
func (Silent) End() {}

func (j *Job) reporter() Reporter {
	if j.Reporter == nil {
		return Silent{}
	}
	return j.Reporter
}

func (j *Job) noteAll(notes []string) {
	for _, n := range notes {
		j.Reporter.Note("%s", n)
	}
}

// Outcome is the result of a training.
type Outcome struct {
	// Config has the options of the Job, with options that the run has settled and the step at which it was cut short.
	// A run with it repeats this one.
	Config     options.Config
	Trained    *fitted.Model
	Steps      int
	Seconds    float64        // time of the steps
	Objective  model.ELBO     // objective on the last batch
	Recent     *rundir.Recent // mean of the last readings of the objective; nil after few steps
	Parameters int
	End        End
	Rising     bool               // the objective still rose when training ended
	Validation *rundir.Validation // nil without validation rows
}

// End is the reason why a run has ended.
type End int

// The ends of a run.
const (
	Running     End = iota // it has not ended
	Finished               // all steps are done
	EarlyStop              // too many evaluations in a row have not improved
	TimeLimit              // another step would end after the limit
	Interrupted            // the context was cancelled
)

// cutShort reports whether the run has ended before its steps were done or its patience was over.
func (e End) cutShort() bool { return e == TimeLimit || e == Interrupted }

// Run trains. Everything random is a function of Config.Seed and the step number, so the same
// Config on the same rows gives the same bits.
//
// If ctx ends before the first step is done, its cause is the error. If the time limit ends before the length is
// planned, the error is a *usererror.Error. If ctx ends after the last step, the model has no temperature or no
// intervals. The same holds, with a note, if the rows for them cannot be predicted; with several ranks, that is an
// error. Run does not change the Job.
func (j *Job) Run(ctx context.Context) (*Outcome, error) {
	weighted, err := j.withClassWeights()
	if err != nil {
		return nil, err
	}
	working := *weighted
	if c := j.Checkpoint; c != nil && c.Step == 0 { // the checkpoint has attempts alone
		working.Checkpoint, working.attemptState, working.attemptResult = nil, c.State, c.Result
	}
	out, err := working.settleAndRun(ctx)
	if err != nil {
		return nil, err
	}
	if j.shared() { // all ranks have to end in the same way
		ctx = context.WithoutCancel(ctx)
	}
	if err = weighted.calibrate(ctx, out, working.Reporter); err == nil {
		err = j.conform(ctx, out)
	}
	switch { // an error after training does not lose the model
	case err == nil:
	case j.shared(): // another rank may have a temperature or intervals
		return nil, err
	case ctx.Err() != nil:
		out.End = Interrupted
		weighted.keepTemperatureOne(out)
	default:
		working.Reporter.Note("warning: the model is kept without a new temperature or intervals: %v", err)
		weighted.keepTemperatureOne(out)
	}
	return out, nil
}

// settleAndRun settles the open options of the Job, and trains.
func (j *Job) settleAndRun(ctx context.Context) (*Outcome, error) {
	limit := Limit{j.Started, j.Config.TimeLimit} // the limit of a new run: a resumed one has a deadline
	limited, cancel := limit.Until(ctx)
	defer cancel()
	plan, err := j.settle(limited)
	if err != nil {
		return nil, causeOr(limited, err)
	}
	settled := *j
	r, err := j.prepareInTime(limited, limit, plan)
	if err != nil {
		return nil, settled.explain(causeOr(limited, err), plan)
	}
	// from here on, a time limit ends the run with a model
	if j.Planned != nil {
		j.Planned()
	}
	out, err := r.chooseAndTrain(ctx, limit)
	return out, settled.explain(err, plan)
}

// causeOr is the cause of a context that has ended, or else an error.
func causeOr(ctx context.Context, err error) error { return cmp.Or(context.Cause(ctx), err) }

// prepareInTime makes a run whose length is planned.
func (j *Job) prepareInTime(ctx context.Context, limit Limit, plan *memory.Plan) (r *run, err error) {
	defer device.Guard(&err)
	if err := j.applyPlan(plan); err != nil {
		return nil, err
	}
	if r, err = j.prepare(ctx); err == nil && limit.Time > 0 {
		err = r.fitTimeLimit(ctx)
	}
	return r, cmp.Or(err, ctx.Err())
}

// chooseAndTrain chooses the objective, and takes the steps.
func (r *run) chooseAndTrain(ctx context.Context, limit Limit) (out *Outcome, err error) {
	defer device.Guard(&err)
	if err := r.choose(ctx); err != nil {
		return nil, causeOr(ctx, err)
	}
	if limit.Time > 0 { // after late attempts, the deadline is later than the limit
		limit.Time = max(limit.Time, r.clock.deadline)
	}
	latest, stop := limit.Latest(ctx)
	defer stop()
	if _, records := r.job.Device.(device.Recorder); !records { // a step that is recorded is never abandoned
		r.step.Abandon = func() bool { return r.abandonsStep(latest) }
	}
	return r.train(latest)
}

// settle decides the open options, and plans the memory.
func (j *Job) settle(ctx context.Context) (*memory.Plan, error) {
	j.Reporter = j.reporter()
	if j.Config.Preset == options.Best || j.Config.Ensemble > 1 {
		return nil, usererror.Errorf("preset best and ensemble are for several models: give them to " +
			"the command gpdrf-gpu train")
	}
	if j.Checkpoint != nil {
		j.Config = j.Config.ForResume()
	}
	if err := j.ReduceColumns(ctx); err != nil {
		return nil, err
	}
	fit, notes, err := j.fit(ctx)
	j.noteAll(notes)
	if err != nil {
		return nil, err
	}
	j.Config = fit
	if err := j.checkStart(); err != nil {
		return nil, err
	}
	if err := CheckRanks(j.ranks(), fit, j.Train.N()); err != nil {
		return nil, err
	}
	plan, err := j.Plan(ctx)
	if err != nil {
		return nil, err
	}
	plan.Rows, err = fromRankZero(j.ranks(), plan.Rows)
	return plan, err
}

// applyPlan sets the Job's options by a plan, and notes what it changes.
func (j *Job) applyPlan(plan *memory.Plan) error {
	j.distancesInSteps = plan.Distances != nil && plan.Distances.In == memory.InSteps
	j.streamsBatches = plan.Streams
	if plan.Rows < j.Config.Batch && j.Config.Chunk == 0 {
		if j.Checkpoint != nil {
			return usererror.Errorf("%s has memory for %d rows of a step at once, and the run began with "+
				"all %d at once. Parts would round differently: free some memory, then resume", j.Device.Name(),
				plan.Rows, j.Config.Batch)
		}
		j.Config.Chunk = plan.Rows
		j.Reporter.Note("a step takes more memory than %s has free: it is computed %d rows at a time, "+
			"with the same result", j.Device.Name(), plan.Rows)
	}
	if plan.Streams {
		j.Reporter.Note("the data set stays on the host, since %s has too little memory for it: "+
			"each step brings its batch, with the same result", j.Device.Name())
	}
	if plan.Distances != nil {
		j.Reporter.Note("distances of sequences: %s", plan.Distances)
	}
	return nil
}

// progressContext is ctx for a piece of work before the first step, whose progress goes to the Reporter.
func (j *Job) progressContext(ctx context.Context, what string) context.Context {
	return seq.WithProgress(ctx, func(share float64) { j.reporter().Doing(what, share) })
}
