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
const Version = "0.1.0"

// Result is result.json: what a run was, and how it did on its test rows.
type Result struct {
	Version   string    `json:"version"`
	Data      string    `json:"data"` // name of the data set
	Task      data.Task `json:"task"`
	Model     string    `json:"model"`
	Preset    string    `json:"preset"`
	Device    string    `json:"device"`
	Precision string    `json:"precision"` // what it computed at
	Seed      uint64    `json:"seed"`
	Folder    string    `json:"folder"` // where train ran: relative paths of the configuration start there
	NTrain    int       `json:"n_train"`
	NTest     int       `json:"n_test"`
	Steps     int       `json:"steps"`   // done
	Seconds   float64   `json:"seconds"` // of training, without data and evaluation
	Objective string    `json:"objective"`
	KLWeight  float64   `json:"kl_weight"`
	// ELBO is the last reading of the objective, nats, estimated on one batch: the bound
	// only where Objective says ELBO.
	ELBO        float64     `json:"elbo"`
	Parameters  int         `json:"parameters"`
	Interrupted bool        `json:"interrupted"`
	Fingerprint Fingerprint `json:"fingerprint"`
	Validation  *Validation `json:"validation,omitempty"`
	Scored
}

// Fingerprint holds the SHA-256 of the values of the two sets.
type Fingerprint struct {
	Train string `json:"train"`
	Test  string `json:"test"`
}

// NewResult gathers what a run left.
func NewResult(j *Job, out *Outcome, test *data.Dataset, scores *Scores) *Result {
	c := j.Config
	folder, err := os.Getwd()
	if err != nil {
		folder = "" // it has been removed: then nothing will be looked for there
	}
	return &Result{
		Version: Version, Data: j.Train.Name, Task: j.Train.Task, Model: c.Model, Preset: c.Preset,
		Device: j.Device.Name(), Precision: c.Precision, Folder: folder, Seed: c.Seed, NTrain: j.Train.N(), NTest: test.N(),
		Steps: out.Steps, Seconds: math.Round(out.Seconds*1e3) / 1e3, Objective: c.Objective(), KLWeight: c.KLWeight,
		ELBO: out.ELBO.Value, Parameters: out.Parameters, Interrupted: out.Interrupted,
		Fingerprint: Fingerprint{j.Train.Fingerprint, test.Fingerprint}, Validation: out.Validation, Scored: scores.Scored(),
	}
}

// Test is the block "test" of a result, its keys in one list: those of a regression, in
// training-sd units, or those of a classification.
type Test struct {
	*metrics.Regression
	*metrics.Classification
}

// Scored is how a model did on some rows with known targets.
type Scored struct {
	Test Test                `json:"test"`
	Raw  *metrics.Regression `json:"test_raw,omitempty"` // in the target's own units
}

// Scored is the form of the scores in result.json.
func (s *Scores) Scored() Scored {
	return Scored{Test{s.Regression, s.Classification}, s.Raw}
}

// JSON is a result, or an evaluation, as text.
func JSON(v any) ([]byte, error) {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("the scores are no numbers: %w", err)
	}
	return append(text, '\n'), nil
}
