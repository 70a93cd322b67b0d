package fitted

import (
	"context"
	"errors"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/dist"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// Predictor is a model on a device that predicts batches of rows. It has the parameters, the matrices that follow from
// them, and the memory for a batch. A row's prediction is that of Model.Predict, bit for bit, whatever rows are in the
// same batch.
type Predictor struct {
	trained *Model
	dev     device.Device
	models  []SampledModel
	words   [][]NewWord        // of each of models
	opened  []*model.Predictor // of each of models; nil: each prediction puts it on the device
}

// PredictOptions are options of a prediction of a data set.
type PredictOptions struct {
	// Ranks share the prediction: each has all rows, and predicts a part of them. All ask for the same predictions, and
	// get the same bits as a single process. nil: this process is alone.
	Ranks dist.Comm
	// Distances asks for the distance of each row from the training rows too, as Novelty measures it.
	Distances bool
	// Progress gets the number of finished rows from time to time; or nil.
	Progress func(done int)
}

// NewPredictor puts the model on a device, with memory for S samples of a batch of rows.
func (m *Model) NewPredictor(dev device.Device, batch, samples int) (p *Predictor, err error) {
	defer device.RecoverFault(&err)
	p = m.newPredictor(dev, samples)
	for k, sampled := range p.models {
		if p.opened[k], err = sampled.predictor(dev, batch, batch); err != nil {
			return nil, err
		}
		p.opened[k].AddSmallerPasses()
	}
	return p, nil
}

// newPredictor returns a Predictor with one model at a time on the device.
func (m *Model) newPredictor(dev device.Device, samples int) *Predictor {
	models := m.Models(samples)
	words := make([][]NewWord, len(models))
	for k, sampled := range models {
		words[k] = sampled.NewWords()
	}
	return &Predictor{m, dev, models, words, make([]*model.Predictor, len(models))}
}

// predictor puts a model on a device, with memory for a batch of n rows.
func (s SampledModel) predictor(dev device.Device, n, batch int) (*model.Predictor, error) {
	own, err := s.open(dev, n, s.Samples)
	if err != nil {
		return nil, err
	}
	if err := own.Precompute(); err != nil {
		return nil, err
	}
	return own.NewPredictor(own.StreamForPrediction(batch, nil), s.Samples), nil
}

// Samples returns the number S of samples in a prediction.
func (p *Predictor) Samples() (samples int) {
	for _, own := range p.opened {
		samples += own.Samples()
	}
	return samples
}

// Rows returns the rows [N,Width] of a data set for Predict, and the distance of each from the training rows, as
// Novelty measures it. A row holds the inputs of each member of an ensemble, one after the other, and then its offset
// if the data set has offsets. Several goroutines may call Rows.
func (m *Model) Rows(ctx context.Context, ds *data.Dataset) (x, distances []float64, err error) {
	blocks := make([][]float64, len(m.singleModels()))
	for k, single := range m.singleModels() {
		own, err := single.ownRows(ctx, ds)
		if err != nil {
			return nil, nil, err
		}
		blocks[k] = single.Inputs(ctx, own)(0, own.N())
		if k == 0 && single.Novelty != nil {
			distances = make([]float64, own.N())
			single.distances(distances, own, 0, own.N(), blocks[k])
		}
	}
	if ctx.Err() != nil {
		return nil, nil, context.Cause(ctx)
	}
	if ds.Offset != nil {
		blocks = append(blocks, ds.Offset)
	}
	return joinColumns(ds.N(), blocks...), distances, nil
}

// joinColumns puts the rows of blocks [n,…] side by side.
func joinColumns(n int, blocks ...[]float64) (x []float64) {
	blocks = slices.DeleteFunc(slices.Clone(blocks), func(b []float64) bool { return len(b) == 0 })
	if len(blocks) == 1 {
		return blocks[0]
	}
	for i := range n {
		for _, b := range blocks {
			w := len(b) / n
			x = append(x, b[i*w:(i+1)*w]...)
		}
	}
	return x
}

// columns returns the columns at … at+width−1 of x [n,…]. They are a copy, unless they are all.
func columns(x []float64, n, at, width int) []float64 {
	if len(x) == n*width {
		return x
	}
	all := len(x) / n
	out := make([]float64, 0, n*width)
	for i := range n {
		out = append(out, x[i*all+at:][:width]...)
	}
	return out
}

// Predict predicts the rows x [N,Width] of Model.Rows. Only one goroutine may call it at a time. The caller checks that
// the numbers are finite.
func (p *Predictor) Predict(ctx context.Context, n int, x []float64) (whole *model.Prediction, err error) {
	defer device.RecoverFault(&err)
	at := 0
	whole, err = p.predict(ctx, n, PredictOptions{}, func(k int) (func(lo, hi int) []float64, error) {
		width := p.models[k].Config.Width()
		own := columns(x, n, at, width)
		at += width
		return func(lo, hi int) []float64 { return own[lo*width : hi*width] }, nil
	})
	if err != nil {
		return nil, err
	}
	if at*n < len(x) {
		whole.AddOffset(columns(x, n, at, 1))
	}
	return whole, nil
}

// PredictSet predicts a data set, and the distances of its rows if they are wanted. They are nil for older models. A
// prediction that is not finite is an error.
func (p *Predictor) PredictSet(ctx context.Context, ds *data.Dataset,
	o PredictOptions) (whole *model.Prediction, distances []float64, err error) {
	defer device.RecoverFault(&err)
	part := RankRowsOf(o.Ranks, ds.N())
	whole, err = p.predict(ctx, ds.N(), o, func(k int) (func(lo, hi int) []float64, error) {
		m := p.models[k]
		own, err := m.ownRows(ctx, ds)
		if err != nil {
			return nil, err
		}
		inputs := m.Inputs(ctx, own)
		if k > 0 || m.Novelty == nil || !o.Distances {
			return inputs, nil
		}
		distances = make([]float64, part.Hi-part.Lo)
		return func(lo, hi int) []float64 {
			x := inputs(lo, hi)
			m.distances(distances[lo-part.Lo:hi-part.Lo], own, lo, hi, x)
			return x
		}, nil
	})
	if err != nil {
		return nil, nil, err
	}
	if distances != nil {
		if distances, err = part.join(distances, 1); err != nil {
			return nil, nil, err
		}
	}
	whole.AddOffset(ds.Offset)
	return whole, distances, CheckFinite(whole, ds)
}

// predict predicts n rows with one model after the other. rows gives the inputs of model k.
func (p *Predictor) predict(ctx context.Context, n int, o PredictOptions,
	rows func(k int) (func(lo, hi int) []float64, error)) (*model.Prediction, error) {
	part := RankRowsOf(o.Ranks, n)
	parts := make([]*model.Prediction, len(p.models))
	for k, m := range p.models {
		x, err := rows(k)
		if err != nil {
			return nil, err
		}
		own := p.opened[k]
		if own == nil {
			if own, err = m.predictor(p.dev, n, part.Hi-part.Lo); err != nil {
				return nil, err
			}
		}
		advance := func(done int) {
			if o.Progress != nil {
				o.Progress((k*n + done) / len(p.models))
			}
		}
		own.Abandon = func() bool { return ctx.Err() != nil }
		words := newWords{columns: p.words[k], likelihood: m.Config.Likelihood, width: m.Config.Width()}
		parts[k], err = own.PredictRows(part.Hi-part.Lo, func(lo, hi int) []float64 {
			advance(lo)
			inputs := x(lo+part.Lo, hi+part.Lo)
			words.add(lo, inputs)
			return inputs
		}, m.Seed)
		if err == nil {
			err = words.predict(own, parts[k], m.Seed)
		}
		if errors.Is(err, model.ErrAbandoned) {
			err = context.Cause(ctx)
		}
		if err != nil {
			return nil, err
		}
		if parts[k], err = part.Join(parts[k]); err != nil {
			return nil, err
		}
		advance(n)
	}
	return p.trained.mix(parts), nil
}
