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
func (t *Model) Description() (text string, extra []safetensors.Tensor, err error) {
	own := *t
	own.Sequences, extra = t.Featurizer.tensors()
	if k := t.Novelty; k != nil && k.Width > 0 {
		extra = append(extra, tensorOf(noveltyPoints, k.Points, len(k.Points)/k.Width, k.Width))
	}
	if e := t.Effects; e != nil {
		for k, c := range e.Columns {
			extra = append(extra, tensorOf(fmt.Sprint(wordEffects, k), c.Values, c.Words, len(e.Targets)))
		}
	}
	if p := t.Projection; p != nil {
		extra = append(extra, tensorOf(projectionWeights, p.Weights, len(p.Columns), len(p.OutputNames)))
	}
	described, err := json.Marshal(description{t.version(), &own})
	return string(described), extra, err
}

// ParseDescription reads a Description, and checks that its parts fit each other. It takes its own tensors, and returns
// the rest.
func ParseDescription(text string, tensors []safetensors.Tensor) (t *Model, rest []safetensors.Tensor, err error) {
	r := newTensorReader(tensors)
	if t, err = r.description(text); err != nil {
		return nil, nil, err
	}
	rest, err = r.rest()
	return t, rest, err
}

// description parses a Description, and takes its tensors from the reader.
func (r *tensorReader) description(text string) (t *Model, err error) {
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
		if t.Featurizer, err = t.readKind(t.Sequences, r); err != nil {
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
func (t *Model) readNovelty(r *tensorReader) {
	k := t.Novelty
	k.Width = t.coordinates()
	own, _ := t.Featurizer.inducingDistances()
	sound := func(unit float64, needed bool) bool {
		return (unit != 0) == needed && unit >= 0 && !math.IsInf(unit, 0)
	}
	if !sound(k.Unit, k.Width > 0) || !sound(k.ToXBar, own != nil) {
		r.refuse("units %g and %g of distances from the training rows", k.Unit, k.ToXBar)
	}
	if k.Width > 0 {
		k.Points = r.reals(noveltyPoints, -1, k.Width)
	}
}

// check refuses a description whose parts contradict each other.
func (t *Model) check() error {
	if err := errors.Join(t.Config.Validate(), t.Schema.Check()); err != nil {
		return err
	}
	if err := t.Effects.Check(t.Schema); err != nil {
		return err
	}
	columns := t.Effects.Width(len(t.Schema.Columns))
	if p := t.Projection; p != nil {
		if err := p.Check(); err != nil || p.Of != columns || t.Sequences != nil {
			return errors.Join(fmt.Errorf("a projection of %d columns and %d columns", p.Of, columns), err)
		}
		columns = p.Width(columns)
	}
	if t.EvalSamples < 1 || t.EvalSamples > options.MaxSamples || t.Config.Samples > options.MaxSamples {
		return fmt.Errorf("%d samples of %d", t.EvalSamples, t.Config.Samples)
	}
	return cmp.Or(t.checkInputs(columns), t.checkScaler(columns), t.checkTargets(), t.Conformal.check(len(t.Targets)))
}

func (t *Model) checkInputs(columns int) error {
	s, inputs, alphabet := t.Sequences, columns, t.Schema.Alphabet
	switch {
	case s == nil && (alphabet != nil || t.Config.Maps != nil),
		s != nil && !s.Gram && (alphabet == nil || (t.Config.Maps != nil) != (s.Projection == 0)),
		s != nil && s.Gram && !slices.Equal(t.Config.Maps, []string{model.MapLinear}):
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
	if t.Config.Inputs != inputs {
		return fmt.Errorf("%d columns and a model of %d inputs", columns, t.Config.Inputs)
	}
	return nil
}

func (t *Model) checkScaler(columns int) error {
	s := &t.Scaler
	lists := [][]float64{s.Center, s.Scale, s.Least, s.Most}
	units := slices.Clone(s.Scale)
	if s.Log != nil {
		lists, units = append(lists, s.Log.Least, s.Log.Unit), append(units, s.Log.Unit...)
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

func (t *Model) checkTargets() error {
	classes, targets := len(t.Schema.Classes), len(t.Schema.Outputs())
	outputs := model.OutputsFor(t.Config.Likelihood, max(targets, classes))
	if t.Schema.Task == data.Classification {
		targets = 0
		if classes < 2 || classes > 2 && t.Config.Likelihood == model.BernoulliLikelihood {
			return fmt.Errorf("a %s classification of %d classes", t.Config.Likelihood, classes)
		}
	}
	switch {
	case t.Config.Levels != 0 && t.Config.Levels != classes:
		return fmt.Errorf("an ordinal model of %d levels for %d classes", t.Config.Levels, classes)
	case t.Config.Outputs != outputs || !slices.Contains(options.Likelihoods(t.Schema.Task), t.Config.Likelihood):
		return fmt.Errorf("a %s model with %d outputs for %s", t.Config.Likelihood, t.Config.Outputs, t.Schema.Task)
	case len(t.Targets) != targets:
		return fmt.Errorf("the scales of %d targets for %d", len(t.Targets), targets)
	}
	for _, s := range t.Targets {
		if !(s.Unit() > 0 && s.SD > 0) {
			return fmt.Errorf("a target's scale is %g", s.SD)
		}
	}
	return nil
}
