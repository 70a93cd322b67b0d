package train

import (
	"encoding/json"
	"fmt"
	"math"
	"os"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
)

// Version is that of the program, without build details.
const Version = "0.2.0"

// Result is result.json: what a run was, and how it did on its test rows.
type Result struct {
	Version string    `json:"version"`
	Data    string    `json:"data"`            // name of the data set
	Folds   int       `json:"folds,omitempty"` // as in Config
	Fold    int       `json:"fold,omitempty"`  // as in Config: what it was tested on
	Task    data.Task `json:"task"`
	// what whole numbers were taken for, and how to change it
	TaskNote  string `json:"task_note,omitempty"`
	Model     string `json:"model"`
	Preset    string `json:"preset"`
	Device    string `json:"device"`
	Precision string `json:"precision"` // what it computed at
	Seed      uint64 `json:"seed"`
	// where train ran: relative paths of the configuration start there
	Folder    string  `json:"folder"`
	NTrain    int     `json:"n_train"`
	NTest     int     `json:"n_test"`
	Steps     int     `json:"steps"`   // done
	Seconds   float64 `json:"seconds"` // of training, without data and evaluation
	Objective string  `json:"objective"`
	KLWeight  float64 `json:"kl_weight"`
	// ELBO is the objective at the parameters that the run has kept, nats, estimated on its last
	// batch: the bound only where Objective says ELBO.
	ELBO        float64     `json:"elbo"`
	Parameters  int         `json:"parameters"`
	Interrupted bool        `json:"interrupted"`
	Unfinished  bool        `json:"unfinished,omitempty"`        // what a checkpoint knows
	Failure     string      `json:"evaluation_failed,omitempty"` // why there are no scores
	Fingerprint Fingerprint `json:"fingerprint"`
	Validation  *Validation `json:"validation,omitempty"`

	Generalisation *Generalisation `json:"generalisation,omitempty"`
	Scored
}

// Fingerprint holds the SHA-256 of the values of the two sets.
type Fingerprint struct {
	Train string `json:"train"`
	Test  string `json:"test"`
}

// NewResult gathers what a run left; scores are nil where there are none.
func NewResult(j *Job, out *Outcome, scores *Scores) *Result {
	c := j.Config
	folder, err := os.Getwd()
	if err != nil {
		folder = "" // it has been removed: then nothing will be looked for there
	}
	if c.at != "" {
		folder = c.at
	}
	if j.From != nil {
		folder = j.From.Result.Folder
	}
	r := &Result{
		Version: Version, Data: j.Train.Name, Folds: c.Folds, Fold: c.Fold, Task: j.Train.Task, TaskNote: j.Train.TaskNote, Model: c.Model, Preset: c.Preset,
		Device: j.Device.Name(), Precision: c.Precision, Folder: folder, Seed: c.Seed, NTrain: j.Train.N(), NTest: j.testRows(),
		Steps: out.Steps, Seconds: math.Round(out.Seconds*1e3) / 1e3, Objective: c.Objective(), KLWeight: c.KLWeight,
		ELBO: out.ELBO.Value, Parameters: out.Parameters, Interrupted: out.Interrupted,
		Fingerprint: Fingerprint{Train: j.Train.Fingerprint}, Validation: out.Validation,
	}
	if j.From != nil {
		r.TaskNote = j.From.Result.TaskNote
	}
	if j.Test != nil {
		r.Fingerprint.Test = j.Test.Fingerprint
	}
	if scores != nil {
		r.Scored = scores.Scored()
	}
	return r
}

// Test is the block "test" of a result, its keys in one list: those of a regression, in
// training-sd units, or those of a classification.
type Test struct {
	*metrics.Regression
	*metrics.Classification
}

// Scored is how a model did on some rows with known targets.
type Scored struct {
	// of several targets, the means of their scores
	Test    Test                `json:"test"`
	Raw     *metrics.Regression `json:"test_raw,omitempty"`     // in the target's own units
	Outputs []OutputScores      `json:"test_outputs,omitempty"` // of several targets, each
}

// Scored is the form of the scores in result.json.
func (s *Scores) Scored() Scored {
	return Scored{Test{s.Regression, s.Classification}, s.Raw, s.Outputs}
}

// JSON is a result, or an evaluation, as text.
func JSON(v any) ([]byte, error) {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("the scores are no numbers: %w", err)
	}
	return append(text, '\n'), nil
}
