package train

import (
	"cmp"
	"math"
	"os"

	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/internal/version"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// NewResult gathers the results of a run, without scores.
func NewResult(j *Job, out *Outcome) *rundir.Result {
	c := out.Config
	folder, _ := os.Getwd() // "" if the folder has been removed
	r := &rundir.Result{
		Version: version.Number, Data: j.Train.Name, Folds: c.Folds, Fold: c.Fold, Task: j.Train.Task,
		TaskNote: j.Train.TaskNote, Model: c.Model, Preset: c.Preset, From: c.StartFrom,
		Device: j.Device.Name(), Precision: c.Precision, Folder: cmp.Or(c.Folder(), folder), Seed: c.Seed,
		NTrain: j.Train.N(), NTest: j.testRows(),
		Steps: out.Steps, Seconds: math.Round(out.Seconds*1e3) / 1e3, Objective: c.ObjectiveName(),
		KLWeight: c.KLWeight, ELBO: out.Objective.Value, ObjectiveMean: out.ObjectiveMean, Rising: out.Rising,
		Parameters: out.Parameters, Interrupted: out.StopReason == Interrupted,
		Fingerprint: rundir.Fingerprint{Train: j.Train.Fingerprint}, Validation: out.Validation,
		Temperature: out.Trained.Config.Temperature,
	}
	if c := j.Checkpoint; c != nil {
		r.TaskNote, r.Folder = c.Result.TaskNote, c.Result.Folder
	}
	if out.Trained.Members != nil {
		r.Model = Ensemble
	}
	if j.Test != nil {
		r.Fingerprint.Test = j.Test.Fingerprint
	}
	return r
}

// maxReadings is the largest number of readings in the mean that is shown.
const maxReadings = 20

// meanObjective returns the mean of the last readings; nil with fewer than two.
func meanObjective(readings []float64) *rundir.ObjectiveMean {
	n := min(maxReadings, max(2, len(readings)/4)) // readings before the last quarter belong to the rise
	last := readings[max(0, len(readings)-n):]
	if len(last) < 2 {
		return nil
	}
	mean, se := metrics.MeanStdErr(last)
	return &rundir.ObjectiveMean{Mean: mean, SE: se, Readings: len(last)}
}

// Ensemble is the Model of a result of several models.
const Ensemble = "ensemble"

// When an objective is called rising: its mean over the last quarter of the steps exceeds its mean over the second
// quarter by both thresholds. A run that was long enough changes less after half of its steps.
const (
	risingNats               = 0.25 // nats for each value of the targets
	risingErrors             = 2    // standard errors
	secondDifferenceVariance = 6    // variance of second differences of independent readings, in those of one reading
)

// rising reports whether the objective of a run that was not stopped still rose at its end.
func (r *run) rising() bool {
	v := r.out.Validation
	switch {
	case r.out.StopReason != Finished && r.out.StopReason != LimitReached:
		return false
	case r.config.RowsChoseLength, v != nil && v.Step < r.out.Steps: // more steps did not improve the model
		return false
	}
	targets := float64(r.train.N() * len(r.trained.Schema.Outputs()))
	return stillRising(r.readings, r.out.Steps/reportEvery, targets)
}

// stillRising compares the second with the last quarter of n readings of an objective. readings may lack the first.
func stillRising(readings []float64, n int, targets float64) bool {
	quarter := n / 4
	if quarter == 0 || len(readings) < 3*quarter {
		return false
	}
	late := readings[len(readings)-3*quarter:]
	earlierMean, _ := metrics.MeanStdErr(late[:quarter])
	lastMean, _ := metrics.MeanStdErr(late[2*quarter:])
	squares := 0.0 // sum of squared second differences, in which a steady rise leaves no trace
	for i := 2; i < len(late); i++ {
		d := late[i] - 2*late[i-1] + late[i-2]
		squares += d * d
	}
	sd := math.Sqrt(squares / float64(max(1, len(late)-2)) / secondDifferenceVariance)
	rise := lastMean - earlierMean
	return rise > risingNats*targets && rise > risingErrors*sd*math.Sqrt(2/float64(quarter))
}
