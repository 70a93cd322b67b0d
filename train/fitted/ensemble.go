package fitted

import (
	"cmp"
	"errors"
	"math"
	"reflect"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// Member is one of the models of an ensemble, with its weight.
type Member struct {
	Weight float64 // w_k > 0; the weights of an ensemble sum to 1
	*Model
}

// NewEnsemble returns a Model that predicts the mixture Σ_k w_k p_k(y | x) of its members. They have the same columns,
// classes and scales of targets, and were trained on the same rows.
func NewEnsemble(members []Member) (*Model, error) {
	if err := checkMembers(members); err != nil {
		return nil, err
	}
	first := members[0]
	t := &Model{
		Schema: first.Schema, Targets: first.Targets, KLWeight: first.KLWeight, Seed: first.Seed,
		EvalSamples: first.EvalSamples, Members: slices.Clone(members),
	}
	for k, m := range t.Members {
		own := *m.Model
		if k > 0 {
			own.Novelty = nil // the first member's is enough
		}
		t.Members[k].Model = &own
	}
	return t, nil
}

// checkMembers refuses members whose predictions cannot be mixed.
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

// singleModels returns the members of an ensemble, or the model itself. The first one has the Novelty.
func (m *Model) singleModels() (models []*Model) {
	for _, member := range m.Members {
		models = append(models, member.Model)
	}
	if models == nil {
		models = []*Model{m}
	}
	return models
}

// SampledModel is one of the models of a prediction, with its share of the mixture and of the samples.
type SampledModel struct {
	Weight  float64
	Samples int
	*Model
}

// Models returns the models of a prediction with S samples: the members of an ensemble, or the model itself. All
// samples of classes have the same weight.
func (m *Model) Models(samples int) []SampledModel {
	if m.Members == nil {
		return []SampledModel{{1, samples, m}}
	}
	var models []SampledModel
	total := 0
	for k, n := range m.samplesOf(samples) {
		models = append(models, SampledModel{m.Members[k].Weight, n, m.Members[k].Model})
		total += n
	}
	for k := range models {
		if m.Schema.Task == data.Classification {
			models[k].Weight = float64(models[k].Samples) / float64(total)
		}
	}
	return models
}

// samplesOf divides S samples among the members by their weights, at least one for each: the largest remainders are
// rounded up.
func (m *Model) samplesOf(samples int) []int {
	counts := make([]int, len(m.Members))
	remaining := samples
	for k, member := range m.Members {
		counts[k] = max(1, int(member.Weight*float64(samples)))
		remaining -= counts[k]
	}
	remainder := func(k int) float64 { return m.Members[k].Weight*float64(samples) - float64(counts[k]) }
	order := metrics.ArgSort(len(counts), func(a, b int) int { return cmp.Compare(remainder(b), remainder(a)) })
	for i := 0; remaining > 0; i, remaining = i+1, remaining-1 {
		counts[order[i%len(order)]]++
	}
	return counts
}

// mixCounts sets the weights and the dispersions of the components of a mixture for counts.
func (m *Model) mixCounts(p *model.Prediction, parts []*model.Prediction) {
	for k, part := range parts {
		for s := range part.S {
			w := 1 / float64(part.S)
			if part.Weight != nil {
				w = part.Weight[s]
			}
			p.Weight = append(p.Weight, m.Members[k].Weight*w)
		}
		p.Dispersion = append(p.Dispersion, part.Dispersion...)
	}
}

// mix returns the mixture of the members' predictions of the same rows, or the prediction of a single model. Each
// component of a regression has a share of its member's weight. The numbers of samples of classes stand for the
// weights.
func (m *Model) mix(parts []*model.Prediction) *model.Prediction {
	if m.Members == nil {
		return parts[0]
	}
	n, c := parts[0].N, parts[0].C
	p := &model.Prediction{N: n, C: c}
	for _, part := range parts {
		p.S += part.S
		p.H = append(p.H, part.H...)
	}
	if m.Schema.Task == data.Classification {
		return p
	}
	if parts[0].Dispersion != nil {
		m.mixCounts(p, parts)
		return p
	}
	p.Noise = make([]float64, n*c)
	student := slices.ContainsFunc(parts, func(part *model.Prediction) bool { return part.DoF != nil })
	for k, part := range parts {
		w := m.Members[k].Weight
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
			mixture := m.Mixture(part, j)
			for i := range n {
				p.Noise[i*c+j] += w * AleatoricVariance(part, mixture, j, i)
			}
		}
	}
	return p
}
