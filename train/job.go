package train

import (
	"context"
	"time"

	"github.com/gpdrf/gpdrf-gpu/data"
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
	Config     *options.Config
	Device     device.Device
	Train      *data.Dataset
	Validation *data.Dataset // evaluated during training; nil for none
	Test       *data.Dataset // predicted at the end
	Conformal  *data.Dataset // behind the intervals, and seen by nothing else; nil for none
	Started    time.Time     // when the command began, for the time limit
	Reporter   Reporter      // nil is silent

	// Planned is called once the length of the run is planned: from then on, a time limit ends it with a model; nil is
	// not called
	Planned func()

	Comm dist.Comm // the ranks that share the run; nil is one

	// keeps a checkpoint, whose memory is used again; nil makes none
	Save func(*rundir.Checkpoint) error
	From *rundir.Checkpoint // where the run goes on, nil for its start

	// the model at which the run starts: its rows are those of its Schema; nil for a new model
	Start *fitted.Model

	// of the rows' columns; nil where each is an input, and before project
	projection *data.Projection

	attempted rundir.State   // that of a checkpoint before the first step
	earlier   *rundir.Result // of the same checkpoint

	rows      string     // where they are: host; "" is by the memory
	distances string     // of sequences: table, steps; "" is by the memory
	sequences *sequences // results of choose and survey; nil before
	inSteps   bool       // distances are computed in every step; set by applyPlan
	streams   bool       // each step brings its batch from the host; set by applyPlan
}

// testRows is how many rows will be predicted at the end.
func (j *Job) testRows() int {
	if j.Test == nil {
		return 0
	}
	return j.Test.N()
}

// Reporter hears how a run goes.
type Reporter interface {
	// Note is a line for the user about a decision that was taken.
	Note(format string, args ...any)
	// Doing gets the share, from 0 to 1, that is done of something before the first step.
	Doing(what string, share float64)
	// Begin comes before the first step, End after the last.
	Begin(totalSteps int)
	Step(rundir.Progress)
	End()
}

// Silent is a Reporter that tells nobody.
type Silent struct{}

// Note tells nobody.
func (Silent) Note(string, ...any) {}

// Doing tells nobody.
func (Silent) Doing(string, float64) {}

// Begin tells nobody.
func (Silent) Begin(int) {}

// Step tells nobody.
func (Silent) Step(rundir.Progress) {}

// End tells nobody.
func (Silent) End() {}

func (j *Job) reporter() Reporter {
	if j.Reporter == nil {
		return Silent{}
	}
	return j.Reporter
}

// Outcome is the result of a training.
type Outcome struct {
	// the Job's, with all that the run settled, and where it was cut short: it repeats the run
	Config     *options.Config
	Trained    *fitted.Model
	Steps      int
	Seconds    float64        // in the loop
	ELBO       model.ELBO     // on one batch
	Recent     *rundir.Recent // nil of a few steps
	Parameters int
	End        End
	Rising     bool               // the objective still rose when training ended
	Validation *rundir.Validation // nil where there were no rows to validate on
}

// End is why a run has ended.
type End int

// The ends of a run.
const (
	Running     End = iota // it goes on
	Finished               // all steps are done
	EarlyStop              // evaluations have not been better for too long
	TimeLimit              // another step would be too late
	Interrupted            // the context was cancelled
)

// cutShort reports whether the run could have gone on.
func (e End) cutShort() bool { return e == TimeLimit || e == Interrupted }

// Run trains. Everything random is a function of Config.Seed and the step number, so the same
// Config on the same rows gives the same bits. Where ctx ends before the first step is done, its
// cause is the error; where the time limit does before the length is planned, a *usererror.Error. Where ctx ends
// after the last step, the model has no temperature or no intervals. The same holds where their rows cannot
// be predicted, and a note tells why; of several ranks, that is the error. The Job stays as it is.
func (j *Job) Run(ctx context.Context) (*Outcome, error) {
	weighted, err := j.withClassWeights()
	if err != nil {
		return nil, err
	}
	working := *weighted
	if c := j.From; c != nil && c.Step == 0 { // it has attempts, and nothing of the run
		working.From, working.attempted, working.earlier = nil, c.State, c.Result
	}
	out, err := working.settleAndRun(ctx)
	if err != nil {
		return nil, err
	}
	if j.shared() { // all ranks have to end alike
		ctx = context.WithoutCancel(ctx)
	}
	if err = weighted.calibrate(ctx, out, working.Reporter); err == nil {
		err = j.conform(ctx, out)
	}
	switch { // the model is trained, and worth keeping
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
func (j *Job) settleAndRun(ctx context.Context) (out *Outcome, err error) {
	limit := Limit{j.Started, j.Config.TimeLimit} // of a new run: another has its deadline
	prepCtx, cancel := limit.Until(ctx)
	defer cancel()
	prepared := false
	defer func() {
		if err != nil && !prepared && prepCtx.Err() != nil {
			err = context.Cause(prepCtx)
		}
	}()
	plan, err := j.settle(prepCtx)
	if err != nil {
		return nil, err
	}
	original := *j
	defer func() { err = original.explain(err, plan) }()
	defer device.Guard(&err)
	if err := j.applyPlan(plan); err != nil {
		return nil, err
	}
	r, err := j.prepare(prepCtx)
	if err == nil && limit.Time > 0 {
		err = r.fitTimeLimit(prepCtx)
	}
	if err == nil {
		err = prepCtx.Err()
	}
	if err != nil {
		return nil, err
	}
	prepCtx = ctx // from here on, a time limit ends the run with a model
	if j.Planned != nil {
		j.Planned()
	}
	if err := r.choose(ctx); err != nil {
		return nil, err
	}
	prepared = true
	if limit.Time > 0 { // attempts may have been late
		limit.Time = max(limit.Time, r.clock.deadline)
	}
	ctx, stop := limit.Latest(ctx)
	defer stop()
	if _, records := j.Device.(device.Recorder); !records { // a record is whole
		r.step.Leave = func() bool { return r.leaves(ctx) }
	}
	return r.train(ctx)
}

// settle decides the options that are left open, and plans the memory.
func (j *Job) settle(ctx context.Context) (*memory.Plan, error) {
	j.Reporter = j.reporter()
	if j.Config.Preset == options.Best || j.Config.Ensemble > 1 {
		return nil, usererror.Errorf("preset best and ensemble are for several models: give them to " +
			"the command gpdrf-gpu train")
	}
	if j.From != nil {
		j.Config = j.Config.ForResume()
	}
	fit, notes, err := j.fit(ctx)
	for _, n := range notes {
		j.Reporter.Note("%s", n)
	}
	if err != nil {
		return nil, err
	}
	j.Config = fit
	if err := j.project(ctx); err != nil {
		return nil, err
	}
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

// applyPlan carries out a plan, and tells the user.
func (j *Job) applyPlan(plan *memory.Plan) error {
	j.inSteps = plan.Distances != nil && plan.Distances.In == memory.InSteps
	j.streams = plan.Streams
	if plan.Rows < j.Config.Batch && j.Config.Chunk == 0 {
		if j.From != nil {
			return usererror.Errorf("%s has memory for %d rows of a step at once, and the run began with "+
				"all %d at once. Parts would round differently: free some memory, then resume", j.Device.Name(),
				plan.Rows, j.Config.Batch)
		}
		j.Config = j.Config.With("chunk", plan.Rows)
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

// doing is ctx for something before the first step, whose progress the Reporter hears.
func (j *Job) doing(ctx context.Context, what string) context.Context {
	return seq.WithProgress(ctx, func(share float64) { j.reporter().Doing(what, share) })
}
