package fitted

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/safetensors"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// description is the JSON of a model file.
type description struct {
	Version int `json:"version"`
	*Model
}

// The tensors of a model file beside the parameters and those of sequences.
const (
	noveltyPoints     = "known.points"       // [K,D]: the training rows that Novelty keeps
	projectionWeights = "projection.weights" // [columns, scores]
	wordEffects       = "effects."           // with the number of a column of words: [words, targets]
)

// Description returns the model without its parameters: JSON, and the other tensors of a model file.
func (m *Model) Description() (text string, extra []safetensors.Tensor, err error) {
	own := *m
	own.Sequences, extra = m.Featurizer.tensors()
	if nov := m.Novelty; nov != nil && nov.Width > 0 {
		extra = append(extra, tensorOf(noveltyPoints, nov.Points, len(nov.Points)/nov.Width, nov.Width))
	}
	if e := m.Effects; e != nil {
		for k, c := range e.Columns {
			extra = append(extra, tensorOf(fmt.Sprint(wordEffects, k), c.Values, c.Words, len(e.Targets)))
		}
	}
	if p := m.Projection; p != nil {
		extra = append(extra, tensorOf(projectionWeights, p.Weights, len(p.Columns), len(p.OutputNames)))
	}
	described, err := json.Marshal(description{m.version(), &own})
	return string(described), extra, err
}

// ParseDescription reads a Description, and checks that its parts fit each other. It takes its own tensors, and returns
// the rest.
func ParseDescription(text string, tensors []safetensors.Tensor) (t *Model, rest []safetensors.Tensor, err error) {
	r := newTensorReader(tensors)
	if t, err = r.readDescription(text); err != nil {
		return nil, nil, err
	}
	rest, err = r.rest()
	return t, rest, err
}

// readDescription parses a Description, and takes its tensors from the reader.
func (r *tensorReader) readDescription(text string) (t *Model, err error) {
	d := description{Model: &Model{}}
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		return nil, fmt.Errorf("the description of the model is damaged: %v", err)
	}
	if d.Version != d.version() {
		return nil, fmt.Errorf("a model of format %d; this program reads formats %d and %d to %d", d.Version,
			modelVersion, logVersion, wordsVersion)
	}
	t = d.Model
	if err := t.check(); err != nil {
		return nil, fmt.Errorf("the description of the model is damaged: %w", err)
	}
	if t.Sequences != nil {
		if t.Featurizer, err = t.readFeaturizer(t.Sequences, r); err != nil {
			return nil, err
		}
		t.Sequences = nil
	}
	if e := t.Effects; e != nil {
		for k, c := range e.Columns {
			e.Columns[k].Values = r.reals(fmt.Sprint(wordEffects, k), c.Words, len(e.Targets))
		}
	}
	if p := t.Projection; p != nil {
		p.Weights = r.reals(projectionWeights, len(p.Columns), len(p.OutputNames))
	}
	if t.Novelty != nil {
		t.readNovelty(r)
	}
	return t, r.err
}

// readNovelty reads the points of Novelty from the tensors of a model file.
func (m *Model) readNovelty(r *tensorReader) {
	nov := m.Novelty
	nov.Width = m.coordinates()
	own, _ := m.Featurizer.inducingDistances()
	sound := func(unit float64, needed bool) bool {
		return (unit != 0) == needed && unit >= 0 && !math.IsInf(unit, 0)
	}
	if !sound(nov.Unit, nov.Width > 0) || !sound(nov.ToXBar, own != nil) {
		r.refuse("units %g and %g of distances from the training rows", nov.Unit, nov.ToXBar)
	}
	if nov.Width > 0 {
		nov.Points = r.reals(noveltyPoints, -1, nov.Width)
	}
}

// check refuses a description whose parts contradict each other.
func (m *Model) check() error {
	if err := errors.Join(m.Config.Validate(), m.Schema.Check()); err != nil {
		return err
	}
	if err := m.Effects.Check(m.Schema); err != nil {
		return err
	}
	columns := m.Effects.Width(len(m.Schema.Columns))
	if p := m.Projection; p != nil {
		if err := p.Check(); err != nil || p.Of != columns || m.Sequences != nil {
			return errors.Join(fmt.Errorf("a projection of %d columns and %d columns", p.Of, columns), err)
		}
		columns = p.Width(columns)
	}
	if m.EvalSamples < 1 || m.EvalSamples > options.MaxSamples || m.Config.Samples > options.MaxSamples {
		return fmt.Errorf("%d samples of %d", m.EvalSamples, m.Config.Samples)
	}
	return cmp.Or(m.checkInputs(columns), m.checkScaler(columns), m.checkTargets(), m.Conformal.check(len(m.Targets)))
}

func (m *Model) checkInputs(columns int) error {
	s, inputs, alphabet := m.Sequences, columns, m.Schema.Alphabet
	switch {
	case s == nil && (alphabet != nil || m.Config.Maps != nil),
		s != nil && !s.Gram && (alphabet == nil || (m.Config.Maps != nil) != (s.Projection == 0)),
		s != nil && s.Gram && !slices.Equal(m.Config.Maps, []string{model.MapLinear}):
		return errors.New("its sequences lack an alphabet, feature maps or their kernels")
	case s == nil:
	case s.Gram:
		inputs = 0
	case s.Projection < 0 || s.Projection > options.MaxWidth:
		return fmt.Errorf("a projection to %d inputs", s.Projection)
	case (s.Codebook != nil) != (alphabet.OfVectors() != nil):
		return errors.New("its sequences lack a codebook, or have one that nothing needs")
	default:
		inputs += s.Projection
		if s.Codebook == nil {
			break
		}
		if err := s.Codebook.Check(); err != nil || s.Codebook.Width != alphabet.OfVectors().Width {
			return errors.Join(errors.New("the codebook is not that of the sequences"), err)
		}
	}
	if m.Config.Inputs != inputs {
		return fmt.Errorf("%d columns and a model of %d inputs", columns, m.Config.Inputs)
	}
	return nil
}

func (m *Model) checkScaler(columns int) error {
	s := &m.Scaler
	lists := [][]float64{s.Center, s.Scale, s.Min, s.Max}
	units := slices.Clone(s.Scale)
	if s.Log != nil {
		lists, units = append(lists, s.Log.Min, s.Log.Unit), append(units, s.Log.Unit...)
	}
	if s.Tails != nil {
		lists = append(lists, s.Tails.Middle, s.Tails.Unit)
		for _, unit := range s.Tails.Unit {
			if unit != 0 { // 0 is a column without a tail
				units = append(units, unit)
			}
		}
	}
	for _, list := range lists {
		if len(list) != columns {
			return fmt.Errorf("%d columns and a scaler of %d", columns, len(list))
		}
	}
	for _, unit := range units {
		if !(unit > 0) {
			return fmt.Errorf("an input's scale is %g", unit)
		}
	}
	if !(s.Clip >= 0) {
		return fmt.Errorf("inputs clipped at %g", s.Clip)
	}
	return nil
}

func (m *Model) checkTargets() error {
	classes, targets := len(m.Schema.Classes), len(m.Schema.Outputs())
	outputs := model.OutputsFor(m.Config.Likelihood, max(targets, classes))
	if m.Schema.Task == data.Classification {
		targets = 0
		if classes < 2 || classes > 2 && m.Config.Likelihood == model.BernoulliLikelihood {
			return fmt.Errorf("a %s classification of %d classes", m.Config.Likelihood, classes)
		}
	}
	switch {
	case m.Config.Levels != 0 && m.Config.Levels != classes:
		return fmt.Errorf("an ordinal model of %d levels for %d classes", m.Config.Levels, classes)
	case m.Config.Outputs != outputs || !slices.Contains(options.Likelihoods(m.Schema.Task), m.Config.Likelihood):
		return fmt.Errorf("a %s model with %d outputs for %s", m.Config.Likelihood, m.Config.Outputs, m.Schema.Task)
	case len(m.Targets) != targets:
		return fmt.Errorf("the scales of %d targets for %d", len(m.Targets), targets)
	}
	for _, s := range m.Targets {
		if !(s.Unit() > 0 && s.SD > 0) {
			return fmt.Errorf("a target's scale is %g", s.SD)
		}
	}
	return nil
}
