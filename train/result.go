package train

import (
	"cmp"
	"math"
	"os"

	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// NewResult gathers the results of a run; scores is nil for a run without test rows.
func NewResult(j *Job, out *Outcome, scores *fitted.Scores) *rundir.Result {
	c := out.Config
	folder, _ := os.Getwd() // none where it has been removed: then nothing will be looked for there
	r := &rundir.Result{
		Version: rundir.Version, Data: j.Train.Name, Folds: c.Folds, Fold: c.Fold, Task: j.Train.Task,
		TaskNote: j.Train.TaskNote, Model: c.Model, Preset: c.Preset, From: c.StartFrom,
		Device: j.Device.Name(), Precision: c.Precision, Folder: cmp.Or(c.Folder(), folder), Seed: c.Seed,
		NTrain: j.Train.N(), NTest: j.testRows(),
		Steps: out.Steps, Seconds: math.Round(out.Seconds*1e3) / 1e3, Objective: c.ObjectiveName(), KLWeight: c.KLWeight,
		ELBO: out.ELBO.Value, Recent: out.Recent, Rising: out.Rising,
		Parameters: out.Parameters, Interrupted: out.End == Interrupted,
		Fingerprint: rundir.Fingerprint{Train: j.Train.Fingerprint}, Validation: out.Validation,
		Temperature: out.Trained.Config.Temperature,
	}
	earlier := j.earlier
	if j.From != nil {
		earlier = j.From.Result
	}
	if earlier != nil {
		r.TaskNote, r.Folder = earlier.TaskNote, earlier.Folder
	}
	if out.Trained.Members != nil {
		r.Model = Ensemble
	}
	if j.Test != nil {
		r.Fingerprint.Test = j.Test.Fingerprint
	}
	if scores != nil {
		r.ResultScores = scores.ResultScores
	}
	return r
}

// meanOver is the most readings in the mean that people see.
const meanOver = 20

// recent is the mean of the last readings, nil of a single one.
func recent(readings []float64) *rundir.Recent {
	n := min(meanOver, max(2, len(readings)/4)) // those before the last quarter are of the way up
	last := readings[max(0, len(readings)-n):]
	if len(last) < 2 {
		return nil
	}
	mean, se := metrics.MeanError(last)
	return &rundir.Recent{Mean: mean, SE: se, Readings: len(last)}
}

// Ensemble is the name of several models in a result.
const Ensemble = "ensemble"

// An objective is called rising if its mean over the last quarter of the steps exceeds that over the
// second one, by these nats for each number of the targets, and by these standard errors. The decay
// of the learning rate quiets the end of every run; one that was long enough has come closer to
// rest than that before half of its steps were over.
const (
	risingNats   = 0.25
	risingErrors = 2
	trendless    = 6 // the variance of second differences of readings, in variances of one
)

// rising reports whether the objective of a run that was not stopped still rose at its end.
func (r *run) rising() bool {
	v := r.out.Validation
	switch {
	case r.out.End != Finished && r.out.End != TimeLimit:
		return false
	case r.job.Config.RowsChoseLength, v != nil && v.Step < r.out.Steps: // more steps have made it no better
		return false
	}
	targets := float64(r.job.Train.N() * len(r.trained.Schema.Outputs()))
	return stillRising(r.readings, r.out.Steps/reportEvery, targets)
}

// stillRising compares quarters of n readings, as far as they are there, of an objective.
func stillRising(readings []float64, n int, targets float64) bool {
	quarter := n / 4
	if quarter == 0 || len(readings) < 3*quarter {
		return false
	}
	late := readings[len(readings)-3*quarter:]
	before, _ := metrics.MeanError(late[:quarter])
	last, _ := metrics.MeanError(late[2*quarter:])
	squares := 0.0 // of second differences, in which a steady rise leaves no trace
	for i := 2; i < len(late); i++ {
		d := late[i] - 2*late[i-1] + late[i-2]
		squares += d * d
	}
	sd := math.Sqrt(squares / float64(max(1, len(late)-2)) / trendless)
	rise := last - before
	return rise > risingNats*targets && rise > risingErrors*sd*math.Sqrt(2/float64(quarter))
}
