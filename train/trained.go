package train

import (
	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// Trained is a model with all that prediction needs: the scaler of its inputs and
// target, and the names of its columns and classes. It is what model.safetensors holds.
type Trained struct {
	Model       model.Config
	Schema      data.Schema
	Scaler      data.Scaler
	TargetScale data.TargetScale // regression only
	KLWeight    float64
	Seed        uint64 // prediction draws with the seed of training unless told otherwise
	EvalSamples int    // S of a prediction unless told otherwise
	Named       []model.Named
}

// Predict is the predictive mixture of every row, in training-sd units or logits. Frozen draws
// belong to the seed of training, so that seed is the model's own.
func (t *Trained) Predict(dev device.Device, ds *data.Dataset, samples int) (*model.Prediction, error) {
	m, err := model.New(dev, t.Model)
	if err != nil {
		return nil, err
	}
	if err := m.Import(t.Named); err != nil {
		return nil, err
	}
	return m.Predict(m.Upload(ds.N(), t.Scaler.Transform(ds.X), nil, nil), samples, t.Seed)
}

// Scores are the metrics of one data set: one of the two.
type Scores struct {
	Regression     *metrics.Regression // in training-sd units
	Raw            *metrics.Regression // in the target's own units
	Classification *metrics.Classification
}

// Evaluate predicts a data set that has its targets and scores the prediction.
func (t *Trained) Evaluate(dev device.Device, ds *data.Dataset, samples int) (*Scores, error) {
	p, err := t.Predict(dev, ds, samples)
	if err != nil {
		return nil, err
	}
	if t.Schema.Task == data.Classification {
		s := metrics.ScoreClassification(p.H, p.S, p.N, p.C, ds.Labels)
		return &Scores{Classification: &s}, nil
	}
	scaled := metrics.ScoreRegression(Mixture(p), t.TargetScale.Transform(ds.Y))
	raw := scaled.InUnits(t.TargetScale.SD)
	return &Scores{Regression: &scaled, Raw: &raw}, nil
}

// Mixture is a regression's prediction as one mixture of normals for each row, in training-sd units.
func Mixture(p *model.Prediction) metrics.Mixture {
	return metrics.Mixture{S: p.S, N: p.N, Mean: p.H, Var: p.Var}
}

// RawMixture is the same in the target's own units.
func (t *Trained) RawMixture(p *model.Prediction) metrics.Mixture {
	m := metrics.Mixture{S: p.S, N: p.N, Mean: make([]float64, len(p.H)), Var: make([]float64, len(p.Var))}
	for i, v := range p.H {
		m.Mean[i] = t.TargetScale.Mean + t.TargetScale.SD*v
	}
	for i, v := range p.Var {
		m.Var[i] = t.TargetScale.SD * t.TargetScale.SD * v
	}
	return m
}
