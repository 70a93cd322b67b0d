package train

import (
	"slices"
	"strconv"
	"time"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// checkEvery refuses a checkpoint-every that is neither a time nor a number of steps.
func (c *Config) checkEvery(from string) error {
	if _, _, ok := c.checkpointEvery(); !ok {
		return Setting{"checkpoint-every", "", from}.errorf("%q must be a time (90s, 10m), a number of steps, or 0", c.CheckpointEvery)
	}
	return nil
}

// checkpointEvery reads the option: a time or a number of steps, both 0 for never.
func (c *Config) checkpointEvery() (pause time.Duration, steps int, ok bool) {
	if n, err := strconv.Atoi(c.CheckpointEvery); err == nil {
		return 0, n, n >= 0
	}
	pause, err := time.ParseDuration(c.CheckpointEvery)
	return pause, 0, err == nil && pause > 0
}

// Last is the number of the last step.
func (c *Config) Last() int {
	if c.StopAfter > 0 {
		return min(c.Steps, c.StopAfter)
	}
	return c.Steps
}

// saver makes the checkpoints of a run.
type saver struct {
	pause time.Duration
	steps int
	last  time.Time // when the last was made
	host  [][]float64
}

func (t *trainer) newSaver() *saver {
	pause, steps, _ := t.Config.checkpointEvery()
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
	all := []tensor{{parametersVector, t.model.Params().Value}, {meansVector, t.adam.m}, {squaresVector, t.adam.v}}
	if t.val != nil && t.val.kept != nil && t.val.best != nil {
		all = append(all, tensor{bestVector, t.val.kept})
	}
	return all
}

// checkpoint reads the run from the device as it is after the last step. One that cannot be written
// costs a warning, and not the run. Parameters that are no numbers make none: the next reading ends
// the run, and the checkpoint before is worth more.
func (t *trainer) checkpoint(out *Outcome) {
	defer func() { t.saver.last = time.Now() }()
	c := &Checkpoint{Trained: t.trained, Config: t.Config, Result: NewResult(t.Job, out, nil)}
	c.Result.Unfinished = true
	c.progress = progress{Step: out.Steps, Seconds: out.Seconds, Used: time.Since(t.Started), Deadline: t.deadline}
	if t.val != nil {
		c.Validation, c.Since = t.Validation.Fingerprint, t.val.since
		c.Last, c.Best = t.val.last.score(), t.val.best.score()
	}
	for i, v := range t.state() {
		if i == len(t.saver.host) {
			t.saver.host = append(t.saver.host, make([]float64, t.model.Params().Len()))
		}
		t.Device.Download(t.saver.host[i], v.on)
		c.vectors = append(c.vectors, vector{v.name, t.saver.host[i]})
	}
	if !allFinite(c.vectors[0].data) {
		return
	}
	if err := t.Save(c); err != nil {
		t.Reporter.Note("warning: the checkpoint of step %d could not be written, and the run goes on without: %v", out.Steps, err)
	}
}

// restore puts the run where a Checkpoint left it.
func (t *trainer) restore(c *Checkpoint) error {
	if t.val != nil {
		task := t.Train.Task
		t.val.last, t.val.best, t.val.since = c.Last.evaluation(task), c.Best.evaluation(task), c.Since
	}
	for _, v := range t.state() {
		data := c.vector(v.name)
		if len(data) != t.model.Params().Len() {
			return usagef("%s has %d numbers of the vector %s, and the model needs %d: it was made by another program, or of another model", CheckpointFile, len(data), v.name, t.model.Params().Len())
		}
		t.Device.Upload(v.on, data)
	}
	t.deadline = c.Deadline
	t.setRates(c.Step)
	return nil
}

// keeps says how many numbers a checkpoint has for each parameter.
func (j *Job) keeps(c *Config) int {
	n := 3
	if j.Validation != nil && c.Restore == "best" {
		n++
	}
	return n
}

func allFinite(values []float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return v-v != 0 })
}
