package fitted

import (
	"context"
	"errors"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// Predictor is a model on a device that predicts batches of rows. It has the parameters, the matrices that follow from
// them, and the memory for a batch. A row's prediction is that of Model.Predict, bit for bit, whatever rows are in the
// same batch.
type Predictor struct {
	trained *Model
	models  []modelPasses // passes of each member of an ensemble, or of the model
}

// modelPasses are the passes of one model.
type modelPasses struct {
	seed   uint64
	width  int         // number of inputs of a row
	passes []sizedPass // passes by ascending size
}

// sizedPass predicts a fixed number of rows at a time.
type sizedPass struct {
	rows      int
	predictor *model.Predictor
}

// passGrowth is the ratio of neighbouring sizes of passes.
const passGrowth = 4

// NewPredictor puts the model on a device, with memory for S samples of a batch of rows.
func (t *Model) NewPredictor(dev device.Device, batch, samples int) (p *Predictor, err error) {
	defer device.Guard(&err)
	p = &Predictor{trained: t}
	for _, m := range t.Models(samples) {
		own, err := m.passes(dev, batch, m.Samples)
		if err != nil {
			return nil, err
		}
		p.models = append(p.models, own)
	}
	return p, nil
}

// passes are the passes of one model on a device.
func (t *Model) passes(dev device.Device, batch, samples int) (own modelPasses, err error) {
	if err := t.checkMemory(dev, batch, samples); err != nil {
		return own, err
	}
	m, err := t.onDevice(dev)
	if err != nil {
		return own, err
	}
	if err := m.Settle(); err != nil {
		return own, err
	}
	own.seed, own.width = t.Seed, t.Config.Width()
	for rows := batch; ; rows = (rows + passGrowth - 1) / passGrowth {
		own.passes = append(own.passes, sizedPass{rows, m.NewPredictor(m.Window(rows), samples)})
		if rows == 1 {
			slices.Reverse(own.passes)
			return own, nil
		}
	}
}

// Samples is the number S of samples in a prediction.
func (p *Predictor) Samples() (samples int) {
	for _, m := range p.models {
		samples += m.passes[0].predictor.Samples()
	}
	return samples
}

// Rows are the rows [N,Width] of a data set for Predict, and the distance of each from the training rows, as in
// PredictFar. A row holds the inputs of each member of an ensemble, one after the other, and then its offset if the
// data set has offsets. Several goroutines may call Rows.
func (t *Model) Rows(ctx context.Context, ds *data.Dataset) (x, distances []float64, err error) {
	return t.readRows(ctx, ds, true)
}

// readRows is Rows, with or without distances.
func (t *Model) readRows(ctx context.Context, ds *data.Dataset,
	withDistances bool) (x, distances []float64, err error) {
	blocks := make([][]float64, len(t.singleModels()))
	for k, m := range t.singleModels() {
		own := m.Projection.Apply(ds)
		if err := m.Kind.checkRows(ctx, own); err != nil {
			return nil, nil, err
		}
		blocks[k] = m.Inputs(ctx, own)(0, own.N())
		if withDistances && k == 0 && m.Novelty != nil {
			distances = make([]float64, own.N())
			m.distances(distances, own, 0, own.N(), blocks[k])
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

// columns are the columns at … at+width−1 of x [n,…]. They are a copy, unless they are all.
func columns(x []float64, n, at, width int) []float64 {
	if len(x) == n*width {
		return x
	}
	all, out := len(x)/n, make([]float64, 0, n*width)
	for i := range n {
		out = append(out, x[i*all+at:][:width]...)
	}
	return out
}

// Predict predicts the rows x [N,Width] of Model.Rows, several at a time. Only one goroutine may call it at a time. The
// caller checks that the numbers are finite.
func (p *Predictor) Predict(ctx context.Context, n int, x []float64) (parts []*model.Prediction, err error) {
	defer device.Guard(&err)
	var all []*model.Prediction
	at := 0
	for _, m := range p.models {
		parts, err = m.predict(ctx, n, columns(x, n, at, m.width))
		at += m.width
		if err != nil || n == 0 {
			return parts, err
		}
		if p.trained.Members != nil {
			all = append(all, Joined(parts))
		}
	}
	if p.trained.Members != nil {
		parts = []*model.Prediction{p.trained.mix(all)}
	}
	if at*n < len(x) {
		offset := columns(x, n, at, 1)
		for _, part := range parts {
			part.AddOffset(offset[:part.N])
			offset = offset[part.N:]
		}
	}
	return parts, nil
}

// PredictSet predicts a data set, with the distances of its rows as in PredictFar if they are wanted.
func (p *Predictor) PredictSet(ctx context.Context, ds *data.Dataset,
	withDistances bool) (whole *model.Prediction, distances []float64, err error) {
	x, distances, err := p.trained.readRows(ctx, ds, withDistances)
	if err != nil {
		return nil, nil, err
	}
	parts, err := p.Predict(ctx, ds.N(), x)
	if err != nil {
		return nil, nil, err
	}
	whole = Joined(parts)
	return whole, distances, CheckFinite(whole, ds)
}

// predict predicts n rows together with the ranks of ctx.
func (m modelPasses) predict(ctx context.Context, n int, x []float64) (parts []*model.Prediction, err error) {
	part := partOf(ctx, n)
	parts, err = m.predictAlone(ctx, part.Hi-part.Lo, x[part.Lo*m.width:part.Hi*m.width])
	if err != nil || part.ranks == nil {
		return parts, err
	}
	whole, err := part.Join(Joined(parts))
	return []*model.Prediction{whole}, err
}

// predictAlone predicts n rows on this device.
func (m modelPasses) predictAlone(ctx context.Context, n int, x []float64) (parts []*model.Prediction, err error) {
	for n > 0 {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		pass := m.passFor(n)
		pass.predictor.Abandon = func() bool { return ctx.Err() != nil }
		rows := min(n, pass.rows)
		part, err := pass.predictor.PredictRows(rows, x[:rows*m.width], m.seed)
		if errors.Is(err, model.ErrAbandoned) {
			return nil, context.Cause(ctx)
		}
		if err != nil {
			return nil, err
		}
		parts, n, x = append(parts, part), n-rows, x[rows*m.width:]
	}
	return parts, nil
}

// passFor is the smallest pass for n rows, or the next smaller one if at least half of it would be empty.
func (m modelPasses) passFor(n int) sizedPass {
	for i, pass := range m.passes {
		switch {
		case pass.rows < n:
		case i == 0 || 2*n > pass.rows:
			return pass
		default:
			return m.passes[i-1]
		}
	}
	return m.passes[len(m.passes)-1]
}

// Joined is one prediction of rows that were predicted in parts.
func Joined(parts []*model.Prediction) *model.Prediction {
	if len(parts) == 1 {
		return parts[0]
	}
	whole := *parts[0]
	whole.N = 0
	for _, part := range parts {
		whole.N += part.N
	}
	for field, x := range whole.PerRow() {
		blocks := len(*x) / (parts[0].N * whole.C)
		*x = slices.Grow([]float64(nil), blocks*whole.N*whole.C) // nil of nil
		for b := range blocks {
			for _, part := range parts {
				size := part.N * whole.C
				*x = append(*x, (*part.PerRow()[field])[b*size:(b+1)*size]...)
			}
		}
	}
	return &whole
}
