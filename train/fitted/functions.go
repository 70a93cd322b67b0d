package fitted

import (
	"context"
	"encoding/binary"
	"errors"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// SampleFunctions draws S functions from the model, each at all rows: H [S,N,C] in training-sd units or logits. They
// are without noise, whose variance is Noise [N,C]. The samples are joint: those of two rows vary together by the model
// (model.Model.SampleFunctions). Rows with the same inputs are equal. The samples are divided among the members of an
// ensemble by their weights. The same seed gives the same functions.
//
// A number that is not finite is an error. Soon after ctx ends, its cause is the error. progress gets the number of
// finished functions from time to time.
func (m *Model) SampleFunctions(ctx context.Context, dev device.Device, ds *data.Dataset, samples int, seed uint64,
	progress func(functions int)) (*model.Prediction, error) {
	all := &model.Prediction{N: ds.N()}
	models := m.Models(samples)
	for _, sampled := range models {
		p, err := sampled.functions(ctx, dev, ds, sampled.Samples, seed, func(own int) { progress(all.S + own) })
		if err != nil {
			return nil, err
		}
		all.S += p.S
		all.C = p.C
		all.H = append(all.H, p.H...)
		if p.Noise != nil && all.Noise == nil {
			all.Noise = make([]float64, len(p.Noise))
		}
		for i, v := range p.Noise {
			all.Noise[i] += sampled.Weight * v
		}
	}
	return all, CheckFinite(all, ds)
}

// functions draws the functions of one model.
func (m *Model) functions(ctx context.Context, dev device.Device, ds *data.Dataset, samples int, seed uint64,
	progress func(functions int)) (p *model.Prediction, err error) {
	defer device.RecoverFault(&err)
	own, err := m.ownRows(ctx, ds)
	if err != nil {
		return nil, err
	}
	opened, err := m.open(dev, own.N(), samples)
	if err != nil {
		return nil, err
	}
	n, width := own.N(), m.Config.Width()
	x := m.Inputs(ctx, own)(0, n) // once, since distances of sequences take long
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	stream := opened.StreamForPrediction(n, func(lo, hi int) []float64 { return x[lo*width : hi*width] })
	p, err = opened.SampleFunctions(stream, model.FunctionArgs{Samples: samples, Seed: seed, TrainingSeed: m.Seed,
		NoiseRows: firstEqual(n, x), Abandon: func(functions int) bool {
			progress(functions)
			return ctx.Err() != nil
		}})
	if errors.Is(err, model.ErrAbandoned) {
		err = context.Cause(ctx)
	}
	return p, err
}

// firstEqual returns the number of the first row with the same inputs, for each of n rows x.
func firstEqual(n int, x []float64) []int32 {
	first := map[string]int32{}
	firstRows := make([]int32, n)
	width := len(x) / max(1, n)
	var key []byte
	for i := range firstRows {
		key, _ = binary.Append(key[:0], binary.LittleEndian, x[i*width:(i+1)*width])
		if _, known := first[string(key)]; !known {
			first[string(key)] = int32(i)
		}
		firstRows[i] = first[string(key)]
	}
	return firstRows
}
