package train

import (
	"slices"
	"time"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/stats"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/train/options"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// checkpointer makes the checkpoints of a run.
type checkpointer struct {
	interval    time.Duration
	steps       int
	last        time.Time // time of the last checkpoint
	hostVectors [][]float64
}

func newCheckpointer(c options.Config) *checkpointer {
	pause, steps, _ := c.CheckpointInterval()
	return &checkpointer{interval: pause, steps: steps, last: time.Now()}
}

// checkpointIsDue reports whether the run is saved after the step just taken: at intervals, and if it is interrupted.
func (r *run) checkpointIsDue() bool {
	s := r.checkpointer
	switch {
	case r.save == nil, r.out.StopReason == Finished, r.out.StopReason == EarlyStop:
		return false
	case r.out.StopReason == Interrupted:
		return true
	}
	return s.steps > 0 && r.out.Steps%s.steps == 0 || s.interval > 0 && time.Since(s.last) >= s.interval
}

// vector is a vector of a Checkpoint on the device.
type vector struct {
	name   string
	values *device.Tensor
}

// vectors returns everything on the device that later steps depend on. The parameters come first.
func (r *run) vectors() []vector {
	means, squares := r.step.Moments()
	all := []vector{{rundir.ParametersVector, r.step.Model.Params().Value}, {rundir.MeansVector, means},
		{rundir.SquaresVector, squares}}
	if r.validator != nil && r.validator.evaluator.kept != nil && r.validator.best != nil {
		all = append(all, vector{rundir.BestVector, r.validator.evaluator.kept})
	}
	return all
}

// checkpoint saves the run as it is after the last step. A failure to write is a warning, and does not end the run.
// Parameters that are not finite are not saved: the next reading ends the run, and the older checkpoint is better.
func (r *run) checkpoint(out *Outcome) {
	defer func() { r.checkpointer.last = time.Now() }()
	c := r.newCheckpoint(out)
	c.Step, c.Seconds, c.Readings = out.Steps, out.Seconds, r.readings
	if v := r.validator; v != nil {
		c.Last, c.Best, c.EvaluationsSinceBest = v.last, v.best, v.sinceBest
	}
	c.Vectors = map[string][]float64{}
	for i, v := range r.vectors() {
		if i == len(r.checkpointer.hostVectors) {
			values := make([]float64, r.step.Model.Params().Len())
			r.checkpointer.hostVectors = append(r.checkpointer.hostVectors, values)
		}
		r.job.Device.Download(r.checkpointer.hostVectors[i], v.values)
		c.Vectors[v.name] = r.checkpointer.hostVectors[i]
	}
	if !stats.AllFinite(c.Vectors[rundir.ParametersVector]) {
		return
	}
	r.saveCheckpoint(c)
}

func (r *run) saveCheckpoint(c *rundir.Checkpoint) {
	if err := r.save(c); err != nil {
		r.reporter.Note("warning: the checkpoint of step %d could not be written, and the run continues "+
			"without it: %v", c.Step, err)
	}
}

// checkpointAttempts saves the attempts of a run before its first step.
func (r *run) checkpointAttempts(attempts []rundir.Attempt) {
	c := r.newCheckpoint(&Outcome{Trained: r.trained})
	c.Attempts, c.Given = attempts, r.config.ExplicitOptions()
	r.saveCheckpoint(c)
}

// newCheckpoint returns a checkpoint without steps, vectors and attempts.
func (r *run) newCheckpoint(out *Outcome) *rundir.Checkpoint {
	out.Config = r.config
	c := &rundir.Checkpoint{Trained: r.trained, Config: r.config, Result: NewResult(r.job, out)}
	c.Result.Unfinished, c.Result.Interrupted = true, false
	c.State = rundir.State{Used: r.clock.used(), Limit: r.clock.limit.Time, Deadline: r.clock.deadline}
	if r.validation != nil {
		c.Validation = r.validation.Fingerprint
	}
	if r.job.Conformal != nil {
		c.Intervals = r.job.Conformal.Fingerprint
	}
	return c
}

// restore puts the run at the step of a Checkpoint.
func (r *run) restore(c *rundir.Checkpoint) error {
	if r.validator != nil {
		r.validator.last, r.validator.best, r.validator.sinceBest = c.Last, c.Best, c.EvaluationsSinceBest
		for _, e := range []*rundir.Evaluation{c.Last, c.Best} {
			if e != nil {
				e.Task = r.train.Task
			}
		}
	}
	for _, v := range r.vectors() {
		data := c.Vectors[v.name]
		if len(data) != r.step.Model.Params().Len() {
			return usererror.Errorf("%s has %d numbers of the vector %s, and the model needs %d: it comes from "+
				"another program, or from another model", rundir.CheckpointFile, len(data), v.name,
				r.step.Model.Params().Len())
		}
		r.job.Device.Upload(v.values, data)
	}
	r.schedule = newSchedule(r.config)
	r.readings = slices.Clone(c.Readings)
	r.setTrainable(c.Step)
	return nil
}

// vectorsPerParameter returns the number of vectors in a checkpoint, each with a number for each parameter.
func (s *spec) vectorsPerParameter(c options.Config) int {
	n := 3
	if s.validation != nil && c.Restore == options.RestoreBest {
		n++
	}
	return n
}
