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

// Job is one training run: the model, its rows and its device. The run does not change it.
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

	place placement // set by tests alone
}

// spec is the specification of a run: a Job with all that the run has settled before its first step.
type spec struct {
	job      *Job
	reporter Reporter
	save     func(*rundir.Checkpoint) error // nil makes no checkpoints
	config   options.Config

	// rows of the Job with class weights, and the inputs of effects and projection
	train, validation *data.Dataset
	numbered          *data.Dataset            // training rows with numbered words, before effects; nil without words
	effects           *scaling.CategoryEffects // inputs of numbered words; nil without words
	projection        *scaling.Projection      // makes few inputs of many columns; nil if each column is an input
	sequences         *sequences               // results of chooseInducing and countFeatures; nil before them

	distancesInSteps bool // distances are computed in every step
	streamsBatches   bool // each step brings its batch from the host
}

// newRun returns a run of the Job that has settled nothing yet.
func (j *Job) newRun() *run {
	return &run{spec: spec{job: j, reporter: cmp.Or[Reporter](j.Reporter, Silent{}), save: j.Save, config: j.Config,
		train: j.Train, validation: j.Validation}}
}

// resumed returns the checkpoint whose steps the run continues; nil if it takes its first step.
func (j *Job) resumed() *rundir.Checkpoint {
	if c := j.Checkpoint; c != nil && c.Step > 0 { // a checkpoint before step 1 has attempts only
		return c
	}
	return nil
}

// state returns the state of the checkpoint; it is empty without one.
func (j *Job) state() (s rundir.State) {
	if j.Checkpoint != nil {
		s = j.Checkpoint.State
	}
	return s
}

// testRows returns the number of rows that are predicted at the end.
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
	// Phase gets the finished share, from 0 to 1, of a piece of work before the first step.
	Phase(what string, share float64)
	// Begin comes before the first step, End after the last.
	Begin(totalSteps int)
	Step(rundir.Progress)
	End()
}

// Silent is a Reporter that does nothing.
type Silent struct{}

// Note does nothing.
func (Silent) Note(string, ...any) {}

// Phase does nothing.
func (Silent) Phase(string, float64) {}

// Begin does nothing.
func (Silent) Begin(int) {}

// Step does nothing.
func (Silent) Step(rundir.Progress) {}

// End does nothing.
func (Silent) End() {}

func (s *spec) noteAll(notes []string) {
	for _, n := range notes {
		s.reporter.Note("%s", n)
	}
}

// Outcome is the result of a training.
type Outcome struct {
	// Config has the options of the Job, with options that the run has settled and the step at which it was cut short.
	// A run with it repeats this one.
	Config        options.Config
	Trained       *fitted.Model
	Steps         int
	Seconds       float64               // time of the steps
	Objective     model.ELBO            // objective on the last batch
	ObjectiveMean *rundir.ObjectiveMean // mean of the last readings of the objective; nil after few steps
	Parameters    int
	StopReason    StopReason
	Rising        bool               // the objective still rose when training ended
	Validation    *rundir.Validation // nil without validation rows
}

// StopReason is the reason why a run has ended.
type StopReason int

// The reasons why a run stops.
const (
	Running      StopReason = iota // it has not ended
	Finished                       // all steps are done
	EarlyStop                      // too many evaluations in a row have not improved
	LimitReached                   // another step would end after the limit
	Interrupted                    // the context was cancelled
)

// cutShort reports whether the run has ended before its steps were done or its patience was over.
func (r StopReason) cutShort() bool { return r == LimitReached || r == Interrupted }

// Run trains. Everything random is a function of Config.Seed and the step number, so the same Config on the same rows
// gives the same bits.
//
// If ctx ends before the first step is done, its cause is the error. If the time limit ends before the length is
// planned, the error is a *usererror.Error. If ctx ends after the last step, the model has no temperature or no
// intervals. The same holds, with a note, if the rows for them cannot be predicted; with several ranks, that is an
// error.
func (j *Job) Run(ctx context.Context) (*Outcome, error) {
	limit := TimeLimit{j.Started, j.Config.TimeLimit} // the limit of a new run: a resumed one has a deadline
	limited, cancel := limit.WithDeadline(ctx)
	defer cancel()
	r := j.newRun()
	if err := r.resolve(limited); err != nil {
		return nil, causeOr(limited, err)
	}
	plan, err := r.planMemory(limited)
	if err != nil {
		return nil, causeOr(limited, err)
	}
	planned := r.spec // fit changes that of r, and explain plans again from this one
	out, err := r.fit(ctx, limited, limit, plan)
	if err != nil {
		return nil, planned.explain(err, plan)
	}
	if j.shared() { // all ranks have to end in the same way
		ctx = context.WithoutCancel(ctx)
	}
	err = r.calibrate(ctx, out)
	if err == nil {
		err = r.fitConformal(ctx, out)
	}
	if err == nil {
		return out, nil
	}
	switch { // an error after training does not lose the model
	case j.shared(): // another rank may have a temperature or intervals
		return nil, err
	case ctx.Err() != nil:
		out.StopReason = Interrupted
		r.keepTemperatureOne(out)
	default:
		r.reporter.Note("warning: the model is kept without a new temperature or intervals: %v", err)
		r.keepTemperatureOne(out)
	}
	return out, nil
}

// causeOr returns the cause of a context that has ended, or else an error.
func causeOr(ctx context.Context, err error) error { return cmp.Or(context.Cause(ctx), err) }

// fit prepares a run, fits its length into the limit, chooses its objective, and takes the steps. planningCtx ends at
// the limit. Once the length is planned, a limit ends the run with a model.
func (r *run) fit(ctx, planningCtx context.Context, limit TimeLimit, plan *memory.Plan) (out *Outcome, err error) {
	defer device.RecoverFault(&err)
	if err := r.usePlan(plan); err != nil {
		return nil, causeOr(planningCtx, err)
	}
	if err := r.prepare(planningCtx); err != nil {
		return nil, causeOr(planningCtx, err)
	}
	if limit.Time > 0 {
		if err := r.fitTimeLimit(planningCtx); err != nil {
			return nil, causeOr(planningCtx, err)
		}
	}
	if planningCtx.Err() != nil {
		return nil, context.Cause(planningCtx)
	}
	if r.job.Planned != nil {
		r.job.Planned()
	}
	if err := r.choose(ctx); err != nil {
		return nil, causeOr(ctx, err)
	}
	if limit.Time > 0 { // after late attempts, the deadline is later than the limit
		limit.Time = max(limit.Time, r.clock.deadline)
	}
	latest, stop := limit.WithGrace(ctx)
	defer stop()
	if _, records := r.job.Device.(device.Recorder); !records { // a step that is recorded is never abandoned
		r.step.Abandon = func() bool { return r.abandonsStep(latest) }
	}
	return r.takeSteps(latest)
}

// resolve settles the open options by the rows, and the inputs of the model.
func (r *run) resolve(ctx context.Context) error {
	if r.config.Preset == options.Best || r.config.Ensemble > 1 {
		return usererror.Errorf("preset best and ensemble are for several models: train them by package train/best")
	}
	if err := r.balanceClasses(); err != nil {
		return err
	}
	notes, err := r.settleByRows(ctx)
	r.noteAll(notes)
	if err != nil {
		return err
	}
	if err := r.checkStart(); err != nil {
		return err
	}
	return CheckRanks(r.job.ranks(), r.config, r.train.N())
}

// usePlan settles options by a plan of the memory, and notes what it changes.
func (s *spec) usePlan(plan *memory.Plan) error {
	s.distancesInSteps = plan.Distances != nil && plan.Distances.In == memory.InSteps
	s.streamsBatches = plan.Streams
	if plan.Rows < s.config.Batch && s.config.Chunk == 0 {
		if s.job.resumed() != nil {
			return usererror.Errorf("%s has memory for %d rows of a step at once, and the run began with "+
				"all %d at once. Splitting the batch would change the rounding, so that the resumed run "+
				"would differ: free some memory, then resume", s.job.Device.Name(),
				plan.Rows, s.config.Batch)
		}
		s.config.Chunk = plan.Rows
		s.reporter.Note("a step takes more memory than %s has free: it is computed %d rows at a time, "+
			"with the same result", s.job.Device.Name(), plan.Rows)
	}
	if plan.Streams {
		s.reporter.Note("the data set stays on the host, since %s has too little memory for it: "+
			"each step brings its batch, with the same result", s.job.Device.Name())
	}
	if plan.Distances != nil {
		s.reporter.Note("distances of sequences: %s", plan.Distances)
	}
	return nil
}

// progressContext returns ctx for a piece of work before the first step, whose progress goes to the Reporter.
func (s *spec) progressContext(ctx context.Context, what string) context.Context {
	return seq.WithProgress(ctx, func(share float64) { s.reporter.Phase(what, share) })
}
