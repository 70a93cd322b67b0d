package rundir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gpdrf/gpdrf-gpu/data/scaling"
	"github.com/gpdrf/gpdrf-gpu/internal/safetensors"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// Checkpoint is the state of a run between two of its steps, on which the later steps depend. Randomness is a function
// of the seed and the step, so the state is the options, the step and a few vectors with a number for each parameter.
type Checkpoint struct {
	Trained *fitted.Model // model with the parameters that the run would keep if it ended here
	Config  options.Config
	Result  *Result // result up to this step, without scores

	State
	Vectors map[string][]float64 // vectors by name: a number for each parameter, in the order of the model's layout
}

// State is the rest of a Checkpoint: all but options and vectors.
type State struct {
	Step                 int           `json:"step"`     // number of the last step that is done
	Seconds              float64       `json:"seconds"`  // time of the steps
	Used                 time.Duration `json:"used"`     // time since the command began, for the time limit
	Limit                time.Duration `json:"limit"`    // time limit; 0: none, or not known
	Deadline             time.Duration `json:"deadline"` // largest Used at the end of the steps; 0: no deadline
	Metrics              int64         `json:"metrics"`  // length of metrics.jsonl
	Validation           string        `json:"validation_fingerprint"`
	Intervals            string        `json:"conformal_fingerprint,omitempty"` // "" also in older checkpoints
	Last                 *Evaluation   `json:"last_evaluation"`
	Best                 *Evaluation   `json:"best_evaluation"`
	EvaluationsSinceBest int           `json:"evaluations_since_best"`
	Readings             []float64     `json:"readings,omitempty"` // objective after every few steps

	// Attempts and Given belong to a run that has not taken its first step. Given are the options that the user gave,
	// with their sources: the others can still change.
	Attempts []Attempt         `json:"attempts,omitempty"`
	Given    map[string]string `json:"given,omitempty"`
}

// Attempt is a short training with an objective, and its log density of each row that was held out.
type Attempt struct {
	Likelihood  string    `json:"likelihood"`
	Objective   string    `json:"objective"`
	KLWeight    float64   `json:"kl_weight"`
	Steps       int       `json:"steps"`
	Seconds     float64   `json:"seconds,omitempty"`     // time of the steps
	Logs        []float64 `json:"logs"`                  // nil if the attempt broke off
	RMSE        float64   `json:"rmse,omitempty"`        // RMSE of these rows, as for Model.RMSE; 0 for classes
	Temperature float64   `json:"temperature,omitempty"` // temperature that fits these rows
	Columns     string    `json:"columns,omitempty"`     // components if these were the inputs; "" for columns
}

// The vectors of a Checkpoint.
const (
	ParametersVector = "parameters"
	MeansVector      = "adam.mean"   // Adam's first moments
	SquaresVector    = "adam.square" // Adam's second moments
	BestVector       = "best"        // parameters of the best evaluation, if the run restores them
)

// The metadata of a checkpoint file, beside that of a model file.
const (
	// CheckpointFormat ends in a number that a change of the format increases.
	CheckpointFormat = "gpdrf-gpu checkpoint 1"

	metaConfig   = "config" // YAML
	metaResult   = "result"
	metaProgress = "progress"
)

// write writes the checkpoint as a safetensors file.
func (c *Checkpoint) write(w io.Writer) error {
	text, tensors, err := c.Trained.Description()
	if err != nil {
		return err
	}
	result, err := json.Marshal(c.Result)
	if err != nil {
		return err
	}
	progress, err := json.Marshal(&c.State)
	if err != nil {
		return err
	}
	metadata := map[string]string{fitted.FormatKey: CheckpointFormat, fitted.DescriptionKey: text,
		metaConfig: string(c.Config.YAML()), metaResult: string(result), metaProgress: string(progress)}
	for name, data := range c.Vectors {
		tensors = append(tensors, safetensors.Tensor{Name: name, DType: safetensors.Narrowest(data),
			Shape: []int{len(data)}, Data: data})
	}
	return safetensors.Write(w, metadata, tensors)
}

// ReadCheckpoint reads the checkpoint of a run folder. Errors are *usererror.Error.
func ReadCheckpoint(folder string) (*Checkpoint, error) {
	return ReadCheckpointFile(filepath.Join(folder, CheckpointFile))
}

// ReadCheckpointFile reads a checkpoint under any name. Errors are *usererror.Error.
func ReadCheckpointFile(path string) (*Checkpoint, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, &usererror.Error{Err: err}
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, &usererror.Error{Err: err}
	}
	c, err := parseCheckpoint(path, f, info.Size())
	if err != nil {
		return nil, usererror.Errorf("%s: %w: the run cannot resume from it; to start it again: gpdrf-gpu "+
			"train --config %s", path, err, filepath.Join(filepath.Dir(path), ConfigFile))
	}
	return c, nil
}

func parseCheckpoint(path string, r io.ReaderAt, size int64) (*Checkpoint, error) {
	metadata, tensors, err := safetensors.Read(r, size)
	if err != nil {
		return nil, err
	}
	if metadata[fitted.FormatKey] != CheckpointFormat || metadata[safetensors.ChecksumKey] == "" {
		return nil, fmt.Errorf("not a checkpoint that this program reads (%q)", metadata[fitted.FormatKey])
	}
	c := &Checkpoint{}
	if err := json.Unmarshal([]byte(metadata[metaResult]), &c.Result); err != nil {
		return nil, fmt.Errorf("damaged: its %s: %v", metaResult, err)
	}
	if err := json.Unmarshal([]byte(metadata[metaProgress]), &c.State); err != nil {
		return nil, fmt.Errorf("damaged: its %s: %v", metaProgress, err)
	}
	settings, err := options.ParseYAML(path, []byte(metadata[metaConfig]))
	if err != nil {
		return nil, err
	}
	if c.Config, err = options.Resolve(settings, nil); err != nil {
		return nil, err
	}
	if c.Trained, tensors, err = fitted.ParseDescription(metadata[fitted.DescriptionKey], tensors); err != nil {
		return nil, err
	}
	isLog := func(s scaling.TargetScale) bool { return s.Log }
	if len(c.Trained.Targets) > 0 && !slices.ContainsFunc(c.Trained.Targets, isLog) {
		// in older checkpoints, auto always was the standard scaling
		c.Config.Targets = scaling.StandardTargets
	}
	if c.Result == nil || c.Step < 0 || c.Step >= c.Config.Last() || (c.Step == 0) != (c.Attempts != nil) {
		return nil, fmt.Errorf("damaged: step %d of %d", c.Step, c.Config.Last())
	}
	if c.Step == 0 {
		c.Config = c.Config.WithExplicit(c.Given)
		return c, nil
	}
	c.Vectors = map[string][]float64{}
	for _, x := range tensors {
		c.Vectors[x.Name] = x.Data
	}
	kept := c.Vectors[BestVector] // parameters that the run would keep if it ended here
	if kept == nil {
		kept = c.Vectors[ParametersVector]
	}
	c.Trained.Parameters, err = unflatten(c.Trained.Config.Layout(), kept)
	return c, err
}

// unflatten cuts a vector into the tensors of a layout.
func unflatten(layout []model.Parameter, flat []float64) ([]model.Parameter, error) {
	for i := range layout {
		n := layout[i].Len()
		if n > len(flat) {
			return nil, errors.New("damaged: it has too few parameters for its model")
		}
		layout[i].Data, flat = flat[:n], flat[n:]
	}
	if len(flat) > 0 {
		return nil, errors.New("damaged: it has more parameters than its model")
	}
	return layout, nil
}
