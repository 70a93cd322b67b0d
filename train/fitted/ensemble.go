package fitted

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// Member is one of the models of an ensemble, with its weight.
type Member struct {
	Weight float64 // w_k > 0; those of an ensemble sum to 1
	*Trained
}

// NewEnsemble is a Trained that predicts the mixture Σ_k w_k p_k(y | x) of its members. They have
// the same columns, classes and scales of targets, and were trained on the same rows.
func NewEnsemble(members []Member) (*Trained, error) {
	if err := checkMembers(members); err != nil {
		return nil, err
	}
	first := members[0]
	t := &Trained{
		Schema: first.Schema, Targets: first.Targets, KLWeight: first.KLWeight, Seed: first.Seed,
		EvalSamples: first.EvalSamples, Members: slices.Clone(members),
	}
	for k, m := range t.Members {
		own := *m.Trained
		if k > 0 {
			own.Known = nil // one is enough
		}
		t.Members[k].Trained = &own
	}
	return t, nil
}

// checkMembers refuses members whose predictions are no mixture.
func checkMembers(members []Member) error {
	if len(members) == 0 {
		return errors.New("an ensemble without members")
	}
	total := 0.0
	for _, m := range members {
		switch total += m.Weight; {
		case !(m.Weight > 0):
			return errors.New("the members of an ensemble need weights above 0")
		case m.Members != nil:
			return errors.New("a member of an ensemble is an ensemble")
		case !reflect.DeepEqual(m.Schema, members[0].Schema) || !slices.Equal(m.Targets, members[0].Targets):
			return errors.New("the members of an ensemble differ in columns, classes or scales of targets")
		}
	}
	if math.Abs(total-1) > 1e-9 {
		return errors.New("the weights of an ensemble do not sum to 1")
	}
	return nil
}

// Sampled is one of the models that a prediction asks, with its share of the mixture and of the
// samples.
type Sampled struct {
	Weight  float64
	Samples int
	*Trained
}

// Models are those that a prediction with S samples asks: the members of an ensemble, or the model
// itself. Samples of classes weigh alike.
func (t *Trained) Models(samples int) []Sampled {
	if t.Members == nil {
		return []Sampled{{1, samples, t}}
	}
	var models []Sampled
	total := 0
	for k, n := range t.samplesOf(samples) {
		models = append(models, Sampled{t.Members[k].Weight, n, t.Members[k].Trained})
		total += n
	}
	for k := range models {
		if t.Schema.Task == data.Classification {
			models[k].Weight = float64(models[k].Samples) / float64(total)
		}
	}
	return models
}

// samplesOf shares S samples among the members by their weights, one at least for each: the largest
// remainders are rounded up. So the samples of classes weigh alike.
func (t *Trained) samplesOf(samples int) []int {
	counts, order := make([]int, len(t.Members)), make([]int, len(t.Members))
	left := samples
	for k, m := range t.Members {
		counts[k], order[k] = max(1, int(m.Weight*float64(samples))), k
		left -= counts[k]
	}
	remainder := func(k int) float64 { return t.Members[k].Weight*float64(samples) - float64(counts[k]) }
	slices.SortStableFunc(order, func(a, b int) int { return -compareFloats(remainder(a), remainder(b)) })
	for i := 0; left > 0; i, left = i+1, left-1 {
		counts[order[i%len(order)]]++
	}
	return counts
}

func compareFloats(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// predictor is PredictFar, or Predict without distances.
type predictor func(t *Trained, ctx context.Context, dev device.Device, ds *data.Dataset, samples int,
	progress ...func(done int)) (*model.Prediction, []float64, error)

func (t *Trained) withoutDistances(ctx context.Context, dev device.Device, ds *data.Dataset, samples int,
	progress ...func(done int)) (*model.Prediction, []float64, error) {
	p, err := t.Predict(ctx, dev, ds, samples, progress...)
	return p, nil, err
}

// predictTogether asks one member after the other. The first one knows the training rows.
func (t *Trained) predictTogether(ctx context.Context, dev device.Device, ds *data.Dataset, samples int,
	ask predictor, progress ...func(done int)) (p *model.Prediction, distances []float64, err error) {
	parts := make([]*model.Prediction, len(t.Members))
	for k, counts := 0, t.samplesOf(samples); k < len(parts); k++ {
		advance := func(done int) {
			for _, report := range progress {
				report((k*ds.N() + done) / len(parts))
			}
		}
		var seen []float64
		if parts[k], seen, err = ask(t.Members[k].Trained, ctx, dev, ds, counts[k], advance); err != nil {
			return nil, nil, err
		}
		if k == 0 {
			distances = seen
		}
	}
	return t.mix(parts), distances, nil
}

// mix is the mixture of the members' predictions of the same rows. Each component of a regression
// has its share of its member's weight; samples of classes are as many as their weight says.
func (t *Trained) mix(parts []*model.Prediction) *model.Prediction {
	n, c := parts[0].N, parts[0].C
	p := &model.Prediction{N: n, C: c}
	for _, part := range parts {
		p.S += part.S
		p.H = append(p.H, part.H...)
	}
	if t.Schema.Task == data.Classification {
		return p
	}
	p.Noise = make([]float64, n*c)
	student := slices.ContainsFunc(parts, func(part *model.Prediction) bool { return part.DoF != nil })
	for k, part := range parts {
		w := t.Members[k].Weight
		p.Weight = append(p.Weight, slices.Repeat([]float64{w / float64(part.S)}, part.S)...)
		for at := 0; at < part.S*n*c; at += len(part.Var) {
			p.Var = append(p.Var, part.Var...)
		}
		switch {
		case part.DoF != nil:
			p.DoF = append(p.DoF, part.DoF...)
		case student:
			p.DoF = append(p.DoF, make([]float64, part.S)...)
		}
		for j := range c {
			mixture := t.Mixture(part, j)
			for i := range n {
				p.Noise[i*c+j] += w * Noise(part, mixture, j, i)
			}
		}
	}
	return p
}
