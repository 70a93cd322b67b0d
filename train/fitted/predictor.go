package fitted

import (
	"context"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// Predictor is a model on a device that predicts rows as they come: its parameters, what follows
// from them, and memory for a batch are there already. A row's prediction is that of
// Trained.Predict, bit for bit, whatever rows stand beside it.
type Predictor struct {
	seed   uint64
	passes []sizedPass // by size, ascending

	ensemble *Trained // whose members have predictors of their own; nil for one model
	members  []*Predictor
	widths   []int // of the rows that each member reads
}

// sizedPass predicts so many rows at a time.
type sizedPass struct {
	rows      int
	predictor *model.Predictor
}

// passGrowth is the ratio of neighbouring sizes: fewer rows are filled up to the next one.
const passGrowth = 4

// NewPredictor puts the model on a device, with memory for S samples of a batch of rows.
func (t *Trained) NewPredictor(dev device.Device, batch, samples int) (p *Predictor, err error) {
	defer device.Guard(&err)
	if t.Members != nil {
		return t.newPredictors(dev, batch, samples)
	}
	if err := t.fit(dev, batch, samples); err != nil {
		return nil, err
	}
	m, err := t.on(dev)
	if err != nil {
		return nil, err
	}
	if err := m.Settle(); err != nil {
		return nil, err
	}
	p = &Predictor{seed: t.Seed}
	for rows := batch; ; rows = (rows + passGrowth - 1) / passGrowth {
		p.passes = append(p.passes, sizedPass{rows, m.NewPredictor(m.Window(rows), samples)})
		if rows == 1 {
			slices.Reverse(p.passes)
			return p, nil
		}
	}
}

// Samples is S of the predictions.
func (p *Predictor) Samples() (samples int) {
	for _, m := range p.members {
		samples += m.Samples()
	}
	if p.ensemble == nil {
		samples = p.passes[0].predictor.Samples()
	}
	return samples
}

// Rows are the rows of a data set as the model reads them [N,Width], for Predict, and the distance
// of each from the training rows as PredictFar has it. Several goroutines may call it.
func (t *Trained) Rows(ctx context.Context, ds *data.Dataset) (x, distances []float64, err error) {
	if t.Members != nil {
		return t.rowsOfAll(ctx, ds)
	}
	if err := t.Kind.fits(ds); err != nil {
		return nil, nil, err
	}
	ds = t.Projection.Apply(ds)
	x = t.Inputs(ctx, ds)(0, ds.N())
	if t.Known != nil {
		distances = make([]float64, ds.N())
		t.look(distances, ds, 0, ds.N(), x)
	}
	if ctx.Err() != nil {
		return nil, nil, context.Cause(ctx)
	}
	return x, distances, nil
}

// Predict predicts the rows x [N,Width] of Trained.Rows, several at a time. One goroutine may call
// it at a time. Numbers that are not finite are for the caller to find.
func (p *Predictor) Predict(ctx context.Context, n int, x []float64) (parts []*model.Prediction, err error) {
	defer device.Guard(&err)
	if p.ensemble != nil {
		return p.predictTogether(ctx, n, x)
	}
	part, width := partOf(ctx, n), len(x)/max(1, n)
	parts, err = p.predictAlone(ctx, part.Hi-part.Lo, x[part.Lo*width:part.Hi*width], width)
	if err != nil || part.ranks == nil {
		return parts, err
	}
	whole, err := part.Join(Joined(parts))
	return []*model.Prediction{whole}, err
}

// predictAlone predicts n rows on this device.
func (p *Predictor) predictAlone(ctx context.Context, n int, x []float64, width int) (parts []*model.Prediction,
	err error) {
	for n > 0 {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		pass := p.passFor(n)
		rows := min(n, pass.rows)
		part, err := pass.predictor.PredictRows(rows, x[:rows*width], p.seed)
		if err != nil {
			return nil, err
		}
		parts, n, x = append(parts, part), n-rows, x[rows*width:]
	}
	return parts, nil
}

// passFor is the smallest pass that has room for n rows, unless most of it would be empty.
func (p *Predictor) passFor(n int) sizedPass {
	for i, pass := range p.passes {
		switch {
		case pass.rows < n:
		case i == 0 || 2*n > pass.rows:
			return pass
		default:
			return p.passes[i-1]
		}
	}
	return p.passes[len(p.passes)-1]
}
