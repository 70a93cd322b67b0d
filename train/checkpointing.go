package train

import (
	"slices"
	"time"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/usage"
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

func (t *trainer) newSaver() *saver {
	pause, steps, _ := t.Config.CheckpointInterval()
	return &saver{pause: pause, steps: steps, last: time.Now()}
}

// due says whether a checkpoint is to be made after a step.
func (s *saver) due(step int) bool {
	return s.steps > 0 && step%s.steps == 0 || s.pause > 0 && time.Since(s.last) >= s.pause
}

// tensor is a vector of a Checkpoint on the device.
type tensor struct {
	name string
	on   *device.Tensor
}

// state is everything on the device that later steps depend on. The parameters come first.
func (t *trainer) state() []tensor {
	means, squares := t.Moments()
	all := []tensor{{rundir.ParametersVector, t.Model.Params().Value}, {rundir.MeansVector, means},
		{rundir.SquaresVector, squares}}
	if t.val != nil && t.val.kept != nil && t.val.best != nil {
		all = append(all, tensor{rundir.BestVector, t.val.kept})
	}
	return all
}

// checkpoint reads the run from the device as it is after the last step. One that cannot be written
// costs a warning, and not the run. Parameters that are no numbers make none: the next reading ends
// the run, and the checkpoint before is worth more.
func (t *trainer) checkpoint(out *Outcome) {
	defer func() { t.saver.last = time.Now() }()
	out.Config = t.Config
	c := &rundir.Checkpoint{Trained: t.trained, Config: t.Config, Result: NewResult(t.Job, out, nil)}
	c.Result.Unfinished, c.Result.Interrupted = true, false
	c.State = rundir.State{Step: out.Steps, Seconds: out.Seconds, Used: time.Since(t.Started), Deadline: t.deadline,
		Readings: t.readings}
	if t.val != nil {
		c.Validation, c.Since = t.Validation.Fingerprint, t.val.since
		c.Last, c.Best = t.val.last, t.val.best
	}
	for i, v := range t.state() {
		if i == len(t.saver.host) {
			t.saver.host = append(t.saver.host, make([]float64, t.Model.Params().Len()))
		}
		t.Device.Download(t.saver.host[i], v.on)
		c.Vectors = append(c.Vectors, rundir.Vector{Name: v.name, Data: t.saver.host[i]})
	}
	if !fitted.AllFinite(c.Vectors[0].Data) {
		return
	}
	if err := t.Save(c); err != nil {
		t.Reporter.Note("warning: the checkpoint of step %d could not be written, and the run continues "+
			"without it: %v", out.Steps, err)
	}
}

// restore puts the run where a Checkpoint left it.
func (t *trainer) restore(c *rundir.Checkpoint) error {
	if t.val != nil {
		t.val.last, t.val.best, t.val.since = c.Last, c.Best, c.Since
		for _, e := range []*rundir.Evaluation{c.Last, c.Best} {
			if e != nil {
				e.Task = t.Train.Task
			}
		}
	}
	for _, v := range t.state() {
		data := c.Vector(v.name)
		if len(data) != t.Model.Params().Len() {
			return usage.Errorf("%s has %d numbers of the vector %s, and the model needs %d: it comes from "+
				"another program, or from another model", rundir.CheckpointFile, len(data), v.name,
				t.Model.Params().Len())
		}
		t.Device.Upload(v.on, data)
	}
	t.deadline, t.readings = c.Deadline, slices.Clone(c.Readings)
	t.setRates(c.Step)
	return nil
}

// keeps says how many numbers a checkpoint has for each parameter.
func (j *Job) keeps(c *options.Config) int {
	n := 3
	if j.Validation != nil && c.Restore == "best" {
		n++
	}
	return n
}
