// Package fitted is a trained model with all that a prediction needs: the scales of inputs and targets, the names of
// columns and classes, X̄ of sequences. It predicts, scores, and reads and writes model files. It has no runs and run
// folders.
package fitted

import (
	"context"
	"errors"
	"fmt"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/scaling"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/stats"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// Model is a trained model with all that a prediction needs. It is the content of model.safetensors: its JSON is the
// text of the file, and the rest are tensors. The JSON has no time, path, host or number of threads in it: the same run
// gives the same bytes.
type Model struct {
	Config      model.Config             `json:"model"`
	Schema      data.Schema              `json:"schema"`
	Scaler      scaling.Scaler           `json:"scaler"`
	Targets     []scaling.TargetScale    `json:"target_scales,omitempty"` // scale of each target of a regression
	KLWeight    float64                  `json:"kl_weight"`
	Seed        uint64                   `json:"seed"`                 // seed of training, and default of predictions
	EvalSamples int                      `json:"eval_samples"`         // default number of samples in a prediction
	Sequences   *sequencesDescription    `json:"sequences,omitempty"`  // the Featurizer in a file; nil in memory
	Novelty     *Novelty                 `json:"known,omitempty"`      // nil in older models
	Effects     *scaling.CategoryEffects `json:"effects,omitempty"`    // inputs of numbered words; nil if none
	Projection  *scaling.Projection      `json:"projection,omitempty"` // scores of columns; nil if columns are inputs
	Conformal   *Conformal               `json:"conformal,omitempty"`  // nil without intervals

	// Options are the options of the training as a config file, in a file that the library writes.
	Options string `json:"options,omitempty"`
	Steps   int    `json:"steps,omitempty"` // number of steps of the training, beside Options

	Parameters []model.Parameter `json:"-"`
	Featurizer Featurizer        `json:"-"` // the members of an ensemble have their own

	// Members are the models of an ensemble, which has no parameters of its own; nil for one model.
	Members []Member `json:"-"`
}

// Predict returns the predictive mixture of every row, in training-sd units or logits. It draws with the seed of
// training, to which frozen draws belong. A prediction that is not finite is an error. Soon after ctx ends, its cause
// is the error.
func (m *Model) Predict(ctx context.Context, dev device.Device, ds *data.Dataset,
	samples int) (*model.Prediction, error) {
	p, _, err := m.PredictSet(ctx, dev, ds, samples, PredictOptions{})
	return p, err
}

// PredictSet predicts with options, and returns the distances of Predictor.PredictSet. The members of an ensemble are
// on the device one after the other.
func (m *Model) PredictSet(ctx context.Context, dev device.Device, ds *data.Dataset, samples int,
	o PredictOptions) (p *model.Prediction, distances []float64, err error) {
	p, distances, err = m.newPredictor(dev, samples).PredictSet(ctx, ds, o)
	if fault := (*device.FaultError)(nil); errors.As(err, &fault) && fault.Bytes > 0 {
		err = fmt.Errorf("predicting %d rows: %w: another program has taken what was free: try again", ds.N(), err)
	}
	return p, distances, err
}

// CheckFinite refuses a prediction with a row that is not finite.
func CheckFinite(p *model.Prediction, ds *data.Dataset) error {
	if at := stats.NotFinite(p.H); at >= 0 {
		return fmt.Errorf("%s: the prediction of this row is not finite: its inputs may be far "+
			"outside those of training", ds.RowLocation(at/p.C%p.N))
	}
	return nil
}

// Snapshot returns the inputs of a prediction with S samples other than its rows. The model has to be a single model of
// vectors.
func (m *Model) Snapshot(dev device.Device, samples int) (*model.Snapshot, error) {
	opened, err := m.onDevice(dev)
	if err != nil {
		return nil, err
	}
	return opened.Snapshot(samples, m.Seed)
}

// ownRows returns the rows of a data set in the columns that the model reads. Rows that it cannot predict are an error.
func (m *Model) ownRows(ctx context.Context, ds *data.Dataset) (*data.Dataset, error) {
	ds = m.project(ds)
	return ds, m.Featurizer.checkRows(ctx, ds)
}

// open puts the model on a device that has the memory for a prediction of n rows.
func (m *Model) open(dev device.Device, n, samples int) (*model.Model, error) {
	if err := m.checkMemory(dev, n, samples); err != nil {
		return nil, err
	}
	return m.onDevice(dev)
}

// onDevice puts the model with its parameters on a device.
func (m *Model) onDevice(dev device.Device) (*model.Model, error) {
	opened, err := model.New(dev, m.Config)
	if err != nil {
		return nil, err
	}
	if err := opened.Import(m.Parameters); err != nil {
		return nil, err
	}
	m.SetInducing(opened)
	return opened, nil
}
