package fitted

import (
	"context"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// newPredictors is NewPredictor of an ensemble: each member has one, with its share of the samples.
func (t *Trained) newPredictors(dev device.Device, batch, samples int) (*Predictor, error) {
	p := &Predictor{ensemble: t}
	for k, counts := 0, t.samplesOf(samples); k < len(counts); k++ {
		own, err := t.Members[k].NewPredictor(dev, batch, counts[k])
		if err != nil {
			return nil, err
		}
		p.members, p.widths = append(p.members, own), append(p.widths, t.Members[k].Model.Width())
	}
	return p, nil
}

// rowsOfAll is Rows of an ensemble: what each member reads of a row, one after the other.
func (t *Trained) rowsOfAll(ctx context.Context, ds *data.Dataset) (x, distances []float64, err error) {
	n, width := ds.N(), 0
	for _, m := range t.Members {
		width += m.Model.Width()
	}
	x = make([]float64, n*width)
	at := 0
	for k, m := range t.Members {
		own, seen, err := m.Rows(ctx, ds)
		if err != nil {
			return nil, nil, err
		}
		if k == 0 {
			distances = seen
		}
		w := m.Model.Width()
		for i := range n {
			copy(x[i*width+at:], own[i*w:(i+1)*w])
		}
		at += w
	}
	return x, distances, nil
}

// predictTogether is Predict of an ensemble.
func (p *Predictor) predictTogether(ctx context.Context, n int, x []float64) ([]*model.Prediction, error) {
	if n == 0 {
		return nil, nil
	}
	width, at := len(x)/n, 0
	all := make([]*model.Prediction, len(p.members))
	for k, m := range p.members {
		w := p.widths[k]
		own := make([]float64, n*w)
		for i := range n {
			copy(own[i*w:(i+1)*w], x[i*width+at:])
		}
		at += w
		parts, err := m.Predict(ctx, n, own)
		if err != nil {
			return nil, err
		}
		all[k] = Joined(parts)
	}
	return []*model.Prediction{p.ensemble.mix(all)}, nil
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
	join := func(of func(*model.Prediction) []float64) []float64 {
		blocks := len(of(parts[0])) / (parts[0].N * whole.C)
		x := make([]float64, 0, blocks*whole.N*whole.C)
		for b := range blocks {
			for _, part := range parts {
				size := part.N * whole.C
				x = append(x, of(part)[b*size:(b+1)*size]...)
			}
		}
		return x
	}
	whole.H = join(func(p *model.Prediction) []float64 { return p.H })
	if whole.Var != nil {
		whole.Var = join(func(p *model.Prediction) []float64 { return p.Var })
	}
	if len(whole.Noise) > whole.C { // that of each row
		whole.Noise = join(func(p *model.Prediction) []float64 { return p.Noise })
	}
	return &whole
}
