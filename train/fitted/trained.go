// Package fitted is a trained model with all that a prediction needs: the scales of inputs and targets, the names of
// columns and classes, X̄ of sequences. It predicts, scores, and reads and writes model files. It has no runs and run
// folders.
package fitted

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/scaling"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// Model is a trained model with all that a prediction needs. It is the content of model.safetensors: its JSON is the
// text of the file, and the rest are tensors. The JSON has no time, path, host or number of threads in it: the same run
// gives the same bytes.
type Model struct {
	Config      model.Config          `json:"model"`
	Schema      data.Schema           `json:"schema"`
	Scaler      scaling.Scaler        `json:"scaler"`
	Targets     []scaling.TargetScale `json:"target_scales,omitempty"` // scale of each target of a regression
	KLWeight    float64               `json:"kl_weight"`
	Seed        uint64                `json:"seed"`                 // seed of training, and by default of predictions
	EvalSamples int                   `json:"eval_samples"`         // default number of samples in a prediction
	Sequences   *sequencesHeader      `json:"sequences,omitempty"`  // Kind in a file; nil in a Model that predicts
	Novelty     *Novelty              `json:"known,omitempty"`      // nil in older models
	Projection  *scaling.Projection   `json:"projection,omitempty"` // scores of columns; nil if each column is an input
	Conformal   *Conformal            `json:"conformal,omitempty"`  // nil without intervals

	Parameters []model.Parameter `json:"-"`
	Kind       RowKind           `json:"-"` // kind of the rows; the members of an ensemble have their own

	// Members are the models of an ensemble, which has no parameters of its own; nil for one model.
	Members []Member `json:"-"`
}

// Predict is the predictive mixture of every row, in training-sd units or logits. It draws with the seed of training,
// to which frozen draws belong. A prediction that is not finite is an error. progress gets the number of finished rows
// from time to time. Soon after ctx ends, its cause is the error.
func (t *Model) Predict(ctx context.Context, dev device.Device, ds *data.Dataset, samples int,
	progress ...func(done int)) (*model.Prediction, error) {
	p, _, err := t.predictEach(ctx, dev, ds, samples, false, progress)
	return p, err
}

// PredictFar is Predict, with the distance of each row from the training rows, as Novelty measures it. The distances
// are nil for older models.
func (t *Model) PredictFar(ctx context.Context, dev device.Device, ds *data.Dataset, samples int,
	progress ...func(done int)) (prediction *model.Prediction, distances []float64, err error) {
	return t.predictEach(ctx, dev, ds, samples, true, progress)
}

// predictEach predicts with one member of an ensemble after the other.
func (t *Model) predictEach(ctx context.Context, dev device.Device, ds *data.Dataset, samples int, withDistances bool,
	progress []func(done int)) (p *model.Prediction, distances []float64, err error) {
	models := t.Models(samples)
	parts := make([]*model.Prediction, len(models))
	for k, m := range models {
		advance := func(done int) {
			for _, report := range progress {
				report((k*ds.N() + done) / len(models))
			}
		}
		var memberDistances []float64
		if parts[k], memberDistances, err = m.predict(ctx, dev, ds, m.Samples, withDistances, advance); err != nil {
			return nil, nil, err
		}
		if k == 0 {
			distances = memberDistances
		}
	}
	return t.mix(parts), distances, nil
}

// predict predicts with one model.
func (t *Model) predict(ctx context.Context, dev device.Device, ds *data.Dataset, samples int, withDistances bool,
	advance func(done int)) (prediction *model.Prediction, distances []float64, err error) {
	defer func() {
		if fault := (*device.FaultError)(nil); errors.As(err, &fault) && fault.Bytes > 0 {
			err = fmt.Errorf("predicting %d rows: %w: another program has taken what was free: try again", ds.N(), err)
		}
	}()
	defer device.Guard(&err)
	ds = t.Projection.Apply(ds)
	if err := t.Kind.checkRows(ctx, ds); err != nil {
		return nil, nil, err
	}
	if err := t.checkMemory(dev, ds.N(), samples); err != nil {
		return nil, nil, err
	}
	m, err := t.onDevice(dev)
	if err != nil {
		return nil, nil, err
	}
	rows, part := t.Inputs(ctx, ds), partOf(ctx, ds.N())
	if withDistances && t.Novelty != nil {
		distances = make([]float64, part.Hi-part.Lo)
	}
	predictor := m.NewPredictor(m.Stream(part.Hi-part.Lo, func(lo, hi int) []float64 {
		advance(lo)
		x := rows(lo+part.Lo, hi+part.Lo)
		if distances != nil {
			t.distances(distances[lo:hi], ds, lo+part.Lo, hi+part.Lo, x)
		}
		return x
	}), samples)
	predictor.Abandon = func() bool { return ctx.Err() != nil }
	p, err := predictor.Predict(t.Seed)
	if errors.Is(err, model.ErrAbandoned) {
		return nil, nil, context.Cause(ctx)
	}
	if err == nil {
		p, err = part.Join(p)
	}
	if err == nil && distances != nil && part.ranks != nil {
		distances, err = part.join(distances, 1)
	}
	if err != nil {
		return nil, nil, err
	}
	p.AddOffset(ds.Offset)
	advance(ds.N())
	return p, distances, CheckFinite(p, ds)
}

// CheckFinite refuses a prediction with a row that is not finite.
func CheckFinite(p *model.Prediction, ds *data.Dataset) error {
	for i, v := range p.H {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%s: the prediction of this row is not finite: its inputs may be far "+
				"outside those of training", ds.Where(i/p.C%p.N))
		}
	}
	return nil
}

// Snapshot holds the inputs of a prediction with S samples other than its rows. The model has to be a single model of
// vectors.
func (t *Model) Snapshot(dev device.Device, samples int) (*model.Snapshot, error) {
	m, err := t.onDevice(dev)
	if err != nil {
		return nil, err
	}
	return m.Snapshot(samples, t.Seed)
}

// onDevice puts the model with its parameters on a device.
func (t *Model) onDevice(dev device.Device) (*model.Model, error) {
	m, err := model.New(dev, t.Config)
	if err != nil {
		return nil, err
	}
	if err := m.Import(t.Parameters); err != nil {
		return nil, err
	}
	t.SetInducing(m)
	return m, nil
}
