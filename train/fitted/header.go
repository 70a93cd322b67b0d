package fitted

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/scaling"
	"github.com/gpdrf/gpdrf-gpu/internal/safetensors"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// header is the text of a model file, without its tensors. It has no time, path, host or number of threads in it: the
// same run gives the same bytes.
type header struct {
	Version     int                   `json:"version"`
	Model       model.Config          `json:"model"`
	Schema      data.Schema           `json:"schema"`
	Scaler      scaling.Scaler        `json:"scaler"`
	Targets     []scaling.TargetScale `json:"target_scales,omitempty"` // regression
	KLWeight    float64               `json:"kl_weight"`
	Seed        uint64                `json:"seed"`
	EvalSamples int                   `json:"eval_samples"`
	Sequences   *sequencesHeader      `json:"sequences,omitempty"`
	Novelty     *Novelty              `json:"known,omitempty"`
	Projection  *scaling.Projection   `json:"projection,omitempty"` // projection of columns; its weights are a tensor
	Conformal   *Conformal            `json:"conformal,omitempty"`
}

// The tensors of a model file beside the parameters and those of sequences.
const (
	noveltyPoints     = "known.points"       // [K,D]: the training rows that Novelty keeps
	projectionWeights = "projection.weights" // [columns, scores]
)

// Description is the model without its parameters: JSON, and the other tensors of a model file.
func (t *Model) Description() (text string, extra []safetensors.Tensor, err error) {
	h := &header{Version: t.version(), Model: t.Config, Schema: t.Schema, Scaler: t.Scaler, Targets: t.Targets,
		KLWeight: t.KLWeight, Seed: t.Seed, EvalSamples: t.EvalSamples, Novelty: t.Novelty, Projection: t.Projection,
		Conformal: t.Conformal}
	h.Sequences, extra = t.Kind.tensors()
	if k := t.Novelty; k != nil && k.Width > 0 {
		extra = append(extra, tensorOf(noveltyPoints, k.Points, len(k.Points)/k.Width, k.Width))
	}
	if p := t.Projection; p != nil {
		extra = append(extra, tensorOf(projectionWeights, p.Weights, len(p.Columns), len(p.Scores)))
	}
	described, err := json.Marshal(h)
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

// description is ParseDescription of the reader's tensors.
func (r *tensorReader) description(text string) (t *Model, err error) {
	var h header
	if err := json.Unmarshal([]byte(text), &h); err != nil {
		return nil, fmt.Errorf("the description of the model is damaged: %v", err)
	}
	if h.Version != (&Model{Config: h.Model, Schema: h.Schema, Targets: h.Targets}).version() {
		return nil, fmt.Errorf("a model of format %d; this program reads formats %d, %d, %d and %d", h.Version,
			modelVersion, logVersion, temperatureVersion, timesVersion)
	}
	if err := h.check(); err != nil {
		return nil, fmt.Errorf("the description of the model is damaged: %w", err)
	}
	t = &Model{Config: h.Model, Schema: h.Schema, Projection: h.Projection, Scaler: h.Scaler, Targets: h.Targets,
		KLWeight: h.KLWeight, Seed: h.Seed, EvalSamples: h.EvalSamples, Novelty: h.Novelty, Conformal: h.Conformal}
	if h.Sequences != nil {
		if t.Kind, err = t.readKind(h.Sequences, r); err != nil {
			return nil, err
		}
	}
	if p := h.Projection; p != nil {
		p.Weights = r.reals(projectionWeights, len(p.Columns), len(p.Scores))
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
	own, _ := t.Kind.inducingDistances()
	sound := func(unit float64, needed bool) bool {
		return (unit != 0) == needed && unit >= 0 && !math.IsInf(unit, 0)
	}
	if !sound(k.Unit, k.Width > 0) || !sound(k.ToXBar, own != nil) {
		r.refuse("units %g and %g of distances from the training rows", k.Unit, k.ToXBar)
	}
	if k.Width > 0 {
		k.Points = r.reals(noveltyPoints, -1, k.Width)
	}
	if k.Points != nil {
		k.tree = newPointTree(k.Points, k.Width)
	}
}

// check refuses a description whose parts contradict each other.
func (h *header) check() error {
	if err := errors.Join(h.Model.Validate(), h.Schema.Check()); err != nil {
		return err
	}
	columns := len(h.Schema.Columns)
	if p := h.Projection; p != nil {
		if err := p.Check(); err != nil || p.Of != columns || h.Sequences != nil {
			return errors.Join(fmt.Errorf("a projection of %d columns and %d columns", p.Of, columns), err)
		}
		columns = p.Width(columns)
	}
	if h.EvalSamples < 1 || h.EvalSamples > options.MaxSamples || h.Model.Samples > options.MaxSamples {
		return fmt.Errorf("%d samples of %d", h.EvalSamples, h.Model.Samples)
	}
	return cmp.Or(h.checkInputs(columns), h.checkScaler(columns), h.checkTargets(), h.Conformal.check(len(h.Targets)))
}

func (h *header) checkInputs(columns int) error {
	s, inputs, alphabet := h.Sequences, columns, h.Schema.Alphabet
	switch {
	case s == nil && (alphabet != nil || h.Model.Maps != nil),
		s != nil && !s.Gram && (alphabet == nil || (h.Model.Maps != nil) != (s.Projection == 0)),
		s != nil && s.Gram && !slices.Equal(h.Model.Maps, []string{model.MapLinear}):
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
	if h.Model.Inputs != inputs {
		return fmt.Errorf("%d columns and a model of %d inputs", columns, h.Model.Inputs)
	}
	return nil
}

func (h *header) checkScaler(columns int) error {
	s := &h.Scaler
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

func (h *header) checkTargets() error {
	classes, targets := len(h.Schema.Classes), len(h.Schema.Outputs())
	outputs := model.OutputsFor(h.Model.Likelihood, max(targets, classes))
	if h.Schema.Task == data.Classification {
		targets = 0
		if classes < 2 || classes > 2 && h.Model.Likelihood == model.BernoulliLikelihood {
			return fmt.Errorf("a %s classification of %d classes", h.Model.Likelihood, classes)
		}
	}
	switch {
	case h.Model.Levels != 0 && h.Model.Levels != classes:
		return fmt.Errorf("an ordinal model of %d levels for %d classes", h.Model.Levels, classes)
	case h.Model.Outputs != outputs || !slices.Contains(options.Likelihoods(h.Schema.Task), h.Model.Likelihood):
		return fmt.Errorf("a %s model with %d outputs for %s", h.Model.Likelihood, h.Model.Outputs, h.Schema.Task)
	case len(h.Targets) != targets:
		return fmt.Errorf("the scales of %d targets for %d", len(h.Targets), targets)
	}
	for _, s := range h.Targets {
		if !(s.Unit() > 0 && s.SD > 0) {
			return fmt.Errorf("a target's scale is %g", s.SD)
		}
	}
	return nil
}
