package train

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/options"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// The checkpoints of a run that continues after its attempts have the folder and the note of its start. Attempts that a
// checkpoint has are not written again: the first of them alone would replace all.
func TestStartAfterAttempts(t *testing.T) {
	start := &rundir.Result{Folder: "/elsewhere", TaskNote: "whole numbers"}
	from := &rundir.Checkpoint{Result: start}
	for _, weight := range []float64{1, lowerWeight} {
		from.Attempts = append(from.Attempts, rundir.Attempt{Likelihood: model.GaussianLikelihood,
			Objective: options.Predictive, KLWeight: weight, Steps: 30, Logs: make([]float64, 12)})
	}
	job := jobOf(t, "model=gp inducing=3 batch=20 checkpoint-every=50")
	job.Config.Steps, job.Checkpoint = 240, from
	job.Device, job.Train = openCPU(t), table(t, 60, 1, wave)
	var saved *rundir.Checkpoint
	job.Save = func(c *rundir.Checkpoint) error {
		if c.Step == 0 {
			t.Errorf("a checkpoint of %d attempts", len(c.Attempts))
		}
		saved = c
		return nil
	}
	must.Get(job.Run(t.Context()))(t)
	if r := saved.Result; saved.Step == 0 || r.Folder != start.Folder || r.TaskNote != start.TaskNote {
		t.Errorf("step %d: folder %q, note %q", saved.Step, r.Folder, r.TaskNote)
	}
}

// An objective rises where it gains much over a quarter of the run, more than it is noisy.
func TestRisingObjective(t *testing.T) {
	noise := func(i int) float64 { return 0.05 * math.Sin(float64(i*i)) }
	for name, c := range map[string]struct {
		n      int
		of     func(i int) float64 // objective after reading i, in nats a row
		rising bool
	}{
		"steep":   {8, func(i int) float64 { return -5*math.Exp(-float64(i)/3) + noise(i) }, true},
		"long":    {1500, func(i int) float64 { return -5*math.Exp(-float64(i)/100) + noise(i) }, false},
		"creeps":  {1500, func(i int) float64 { return 0.0001*float64(i) + noise(i) }, false},
		"noise":   {12, func(i int) float64 { return 20 * noise(i) }, false},
		"falls":   {100, func(i int) float64 { return -float64(i) }, false},
		"a few":   {3, func(i int) float64 { return float64(i) }, false},
		"a slope": {100, func(i int) float64 { return 0.01*float64(i) + noise(i) }, true},
	} {
		const rows = 1000
		readings := make([]float64, c.n)
		for i := range readings {
			readings[i] = rows * c.of(i)
		}
		if got := stillRising(readings, c.n, rows); got != c.rising {
			t.Errorf("%s: rising %v", name, got)
		}
		if c.rising && stillRising(readings[c.n/2+2:], c.n, rows) {
			t.Errorf("%s: without the readings of the second half", name)
		}
	}
}

// A run that is far too short says so, and one that has ended does not.
func TestRisingOutcome(t *testing.T) {
	learns(t)
	set := table(t, 1000, 1, wave)
	if out := mustFit(t, "steps=80", set); !out.Rising {
		t.Error("80 steps are enough")
	}
	if out := mustFit(t, "steps=8000 batch=50 inducing=10 features=8", set); out.Rising {
		t.Error("8000 steps are not enough")
	}
}

// The steps of a limit are divided among training and evaluations.
func TestStepsAndEvaluations(t *testing.T) {
	for _, c := range []struct {
		training, perStep, validation int64
		every, steps, evaluations     int
	}{
		{training: 1000, perStep: 1, steps: 1000},
		{training: 1000, perStep: 2000, steps: 1},
		{training: 1000, perStep: 1, validation: 5, steps: 900, evaluations: 20},
		{training: 1000, perStep: 1, validation: 100, steps: 800, evaluations: 2}, // slow evaluations are fewer
		{training: 1000, perStep: 1, validation: 900, steps: 100, evaluations: 1},
		{training: 1000, perStep: 1, validation: 100, every: 10, steps: 81}, // the user gives the interval
	} {
		if steps, n := stepsAndEvaluations(time.Duration(c.training), time.Duration(c.perStep),
			time.Duration(c.validation), c.every); steps != c.steps || n != c.evaluations {
			t.Errorf("%+v: %d steps and %d evaluations", c, steps, n)
		}
	}
}

// The last line of a training and its result have the mean of the last quarter of the readings, of 20 at most.
func TestMeanOfRecentReadings(t *testing.T) {
	set := table(t, 100, 1, wave)
	for steps, want := range map[int]int{855: maxReadings, 455: 11} {
		r := &readings{}
		c := config(t, fmt.Sprintf("steps=%d batch=20 inducing=10 features=8", steps))
		dev := mustOpen(t, c.Device)
		defer dev.Close()
		job := &Job{Config: c, Device: dev, Train: set, Started: time.Now(), Reporter: r}
		out := must.Get(job.Run(t.Context()))(t)
		mean := 0.0
		for _, p := range r.all {
			if p.Step > steps-5-want*reportEvery && p.Step%reportEvery == 0 {
				mean += p.Objective / float64(want)
			}
		}
		last, got := r.all[len(r.all)-1], NewResult(job, out).ObjectiveMean
		if last.Step != steps || math.Abs(last.Shown()-mean) > 1e-9*math.Abs(mean) || *got != *last.ObjectiveMean ||
			!(got.SE > 0) || got.Readings != want {
			t.Errorf("%d steps: the mean is %g, the last line has %+v, the result %+v", steps, mean, last, got)
		}
	}
}
