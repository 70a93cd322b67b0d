package train

import (
	"slices"
	"time"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/options"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// saver makes the checkpoints of a run.
type saver struct {
	pause time.Duration
	steps int
	last  time.Time // when the last was made
	host  [][]float64
}

func newSaver(c *options.Config) *saver {
	pause, steps, _ := c.CheckpointInterval()
	return &saver{pause: pause, steps: steps, last: time.Now()}
}

// due reports whether a step needs a checkpoint.
func (s *saver) due(step int) bool {
	return s.steps > 0 && step%s.steps == 0 || s.pause > 0 && time.Since(s.last) >= s.pause
}

// tensor is a vector of a Checkpoint on the device.
type tensor struct {
	name string
	on   *device.Tensor
}

// state is everything on the device that later steps depend on. The parameters come first.
func (r *run) state() []tensor {
	means, squares := r.step.Moments()
	all := []tensor{{rundir.ParametersVector, r.step.Model.Params().Value}, {rundir.MeansVector, means},
		{rundir.SquaresVector, squares}}
	if r.validator != nil && r.validator.on.kept != nil && r.validator.best != nil {
		all = append(all, tensor{rundir.BestVector, r.validator.on.kept})
	}
	return all
}

// checkpoint reads the run from the device as it is after the last step. One that cannot be written
// costs a warning, and not the run. Parameters that are no numbers make none: the next reading ends
// the run, and the checkpoint before is worth more.
func (r *run) checkpoint(out *Outcome) {
	defer func() { r.saver.last = time.Now() }()
	c := r.newCheckpoint(out)
	c.Step, c.Seconds, c.Readings = out.Steps, out.Seconds, r.readings
	if v := r.validator; v != nil {
		c.Last, c.Best, c.Since = v.last, v.best, v.since
	}
	for i, v := range r.state() {
		if i == len(r.saver.host) {
			r.saver.host = append(r.saver.host, make([]float64, r.step.Model.Params().Len()))
		}
		r.job.Device.Download(r.saver.host[i], v.on)
		c.Vectors = append(c.Vectors, rundir.Vector{Name: v.name, Data: r.saver.host[i]})
	}
	if !fitted.AllFinite(c.Vectors[0].Data) {
		return
	}
	r.save(c)
}

// save writes a checkpoint.
func (r *run) save(c *rundir.Checkpoint) {
	if err := r.job.Save(c); err != nil {
		r.job.Reporter.Note("warning: the checkpoint of step %d could not be written, and the run continues "+
			"without it: %v", c.Step, err)
	}
}

// checkpointAttempts keeps the attempts of a run that has not begun.
func (r *run) checkpointAttempts(attempts []rundir.Attempt) {
	defer func() { r.saver.last = time.Now() }()
	c := r.newCheckpoint(&Outcome{Trained: r.trained})
	c.Attempts, c.Given = attempts, r.job.Config.ExplicitOptions()
	r.save(c)
}

// newCheckpoint is a checkpoint without steps, vectors and attempts.
func (r *run) newCheckpoint(out *Outcome) *rundir.Checkpoint {
	out.Config = r.job.Config
	c := &rundir.Checkpoint{Trained: r.trained, Config: r.job.Config, Result: NewResult(r.job, out, nil)}
	c.Result.Unfinished, c.Result.Interrupted = true, false
	c.State = rundir.State{Used: r.clock.used(), Limit: r.clock.limit.Time, Deadline: r.clock.deadline}
	if r.job.Validation != nil {
		c.Validation = r.job.Validation.Fingerprint
	}
	if r.job.Conformal != nil {
		c.Intervals = r.job.Conformal.Fingerprint
	}
	return c
}

// restore puts the run where a Checkpoint left it.
func (r *run) restore(c *rundir.Checkpoint) error {
	if r.validator != nil {
		r.validator.last, r.validator.best, r.validator.since = c.Last, c.Best, c.Since
		for _, e := range []*rundir.Evaluation{c.Last, c.Best} {
			if e != nil {
				e.Task = r.job.Train.Task
			}
		}
	}
	for _, v := range r.state() {
		data := c.Vector(v.name)
		if len(data) != r.step.Model.Params().Len() {
			return usererror.Errorf("%s has %d numbers of the vector %s, and the model needs %d: it comes from "+
				"another program, or from another model", rundir.CheckpointFile, len(data), v.name,
				r.step.Model.Params().Len())
		}
		r.job.Device.Upload(v.on, data)
	}
	r.clock.deadline, r.readings = c.Deadline, slices.Clone(c.Readings)
	r.setRates(c.Step)
	return nil
}

// keeps is how many numbers a checkpoint has for each parameter.
func (j *Job) keeps(c *options.Config) int {
	n := 3
	if j.Validation != nil && c.Restore == "best" {
		n++
	}
	return n
}
