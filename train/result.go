package train

import (
	"cmp"
	"math"
	"os"

	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/options"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// NewResult gathers the results of a run; scores is nil for a run without test rows.
func NewResult(j *Job, out *Outcome, scores *fitted.Scores) *rundir.Result {
	c := out.Config
	folder, err := os.Getwd()
	if err != nil {
		folder = "" // it has been removed: then nothing will be looked for there
	}
	folder = cmp.Or(c.Folder(), folder)
	if j.From != nil {
		folder = j.From.Result.Folder
	}
	r := &rundir.Result{
		Version: rundir.Version, Data: j.Train.Name, Folds: c.Folds, Fold: c.Fold, Task: j.Train.Task,
		TaskNote: j.Train.TaskNote, Model: modelOf(c, out.Trained), Preset: c.Preset, From: c.StartFrom,
		Device: j.Device.Name(), Precision: c.Precision, Folder: folder, Seed: c.Seed,
		NTrain: j.Train.N(), NTest: j.testRows(),
		Steps: out.Steps, Seconds: math.Round(out.Seconds*1e3) / 1e3, Objective: c.ObjectiveName(), KLWeight: c.KLWeight,
		ELBO: out.ELBO.Value, Rising: out.Rising, Parameters: out.Parameters, Interrupted: out.End == Interrupted,
		Fingerprint: rundir.Fingerprint{Train: j.Train.Fingerprint}, Validation: out.Validation,
		Temperature: out.Trained.Model.Temperature,
	}
	if j.From != nil {
		r.TaskNote = j.From.Result.TaskNote
	}
	if j.Test != nil {
		r.Fingerprint.Test = j.Test.Fingerprint
	}
	if scores != nil {
		r.ResultScores = scores.ForResult()
	}
	return r
}

// Ensemble is the name of several models in a result.
const Ensemble = "ensemble"

func modelOf(c *options.Config, t *fitted.Trained) string {
	if t.Members != nil {
		return Ensemble
	}
	return c.Model
}
