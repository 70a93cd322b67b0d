package fitted

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/safetensors"
	"github.com/gpdrf/gpdrf-gpu/internal/usage"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// AllFinite says whether no value is NaN or infinite.
func AllFinite(values []float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return v-v != 0 })
}

// The metadata of a model file: each value is JSON.
const (
	modelFormat  = "gpdrf-gpu"
	modelVersion = 2 // raised when a file of today could be misread

	ensembleVersion = 3 // of files with several models

	logVersion = 4 // of models that predict the logarithm of a target

	FormatKey      = "format"
	DescriptionKey = "trained"
)

// header is what a model file says beside its tensors. It has no time, path, host or thread
// count in it: the same run gives the same bytes.
type header struct {
	Version     int                `json:"version"`
	Model       model.Config       `json:"model"`
	Schema      data.Schema        `json:"schema"`
	Scaler      data.Scaler        `json:"scaler"`
	Targets     []data.TargetScale `json:"target_scales,omitempty"` // regression
	KLWeight    float64            `json:"kl_weight"`
	Seed        uint64             `json:"seed"`
	EvalSamples int                `json:"eval_samples"`
	Sequences   *sequencesHeader   `json:"sequences,omitempty"`
	Known       *knownHeader       `json:"known,omitempty"`
	Projection  *data.Projection   `json:"projection,omitempty"` // its weights are a tensor
}

// ensembleHeader is what the file of an ensemble says in its place.
type ensembleHeader struct {
	Version int            `json:"version"`
	Members []memberHeader `json:"members"`
}

type memberHeader struct {
	Weight  float64         `json:"weight"`
	Trained json.RawMessage `json:"trained"` // a header
}

// Format is the name and the version of the format that the model's file has.
func (t *Trained) Format() string {
	if t.Members != nil {
		return fmt.Sprintf("%s ensemble %d", modelFormat, ensembleVersion)
	}
	return fmt.Sprintf("%s model %d", modelFormat, t.version())
}

// memberPrefix begins the names of a member's tensors.
func memberPrefix(k int) string { return fmt.Sprintf("member.%d.", k+1) }

// WriteModel writes a model file: a safetensors file with everything that prediction needs.
func (t *Trained) WriteModel(w io.Writer) error {
	contents := t.contents
	if t.Members != nil {
		contents = t.ensembleContents
	}
	text, tensors, err := contents()
	if err != nil {
		return err
	}
	return safetensors.Write(w, map[string]string{FormatKey: modelFormat, DescriptionKey: text}, tensors)
}

// contents are what the file of one model holds.
func (t *Trained) contents() (text string, tensors []safetensors.Tensor, err error) {
	text, beside, err := t.Description()
	tensors = make([]safetensors.Tensor, len(t.Named))
	for i, n := range t.Named {
		tensors[i] = safetensors.Tensor{Name: n.Name, DType: safetensors.Narrowest(n.Data),
			Shape: n.Shape, Data: n.Data}
	}
	return text, append(tensors, beside...), err
}

// ensembleContents are what the file of an ensemble holds.
func (t *Trained) ensembleContents() (text string, tensors []safetensors.Tensor, err error) {
	h := ensembleHeader{Version: ensembleVersion}
	for k, m := range t.Members {
		described, own, err := m.contents()
		if err != nil {
			return "", nil, err
		}
		h.Members = append(h.Members, memberHeader{m.Weight, json.RawMessage(described)})
		for _, x := range own {
			x.Name = memberPrefix(k) + x.Name
			tensors = append(tensors, x)
		}
	}
	described, err := json.Marshal(h)
	return string(described), tensors, err
}

// version is that of the model's file: programs from before logVersion would take logarithms of a
// target for the target.
func (t *Trained) version() int {
	if slices.ContainsFunc(t.Targets, func(s data.TargetScale) bool { return s.Log }) {
		return logVersion
	}
	return modelVersion
}

// Description is the model without its parameters: JSON, and the tensors that stand beside them in
// a file.
func (t *Trained) Description() (text string, beside []safetensors.Tensor, err error) {
	h := &header{t.version(), t.Model, t.Schema, t.Scaler, t.Targets, t.KLWeight, t.Seed, t.EvalSamples, nil, nil,
		t.Projection}
	h.Sequences, beside = t.Kind.tensors()
	var points []safetensors.Tensor
	h.Known, points = t.Known.tensors()
	described, err := json.Marshal(h)
	return string(described), slices.Concat(beside, points, weightsOf(t.Projection)), err
}

// ReadModel reads a model file and checks that its parts fit each other, before anything
// is allocated by the sizes it claims. Errors are *usage.Error.
func ReadModel(path string) (*Trained, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, &usage.Error{Err: err}
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, &usage.Error{Err: err}
	}
	if !info.Mode().IsRegular() {
		return nil, usage.Errorf("%s: not a file", path)
	}
	t, err := parse(f, info.Size())
	if errors.As(err, new(*model.RemovedError)) {
		return nil, usage.Errorf("%s: %w: train again without it", path, err)
	}
	if err != nil {
		return nil, usage.Errorf("%s: %w: put a whole copy of it there, or train again", path, err)
	}
	return t, nil
}

// parse reads a model file of some bytes.
func parse(r io.ReaderAt, size int64) (*Trained, error) {
	metadata, tensors, err := safetensors.Read(r, size)
	if err != nil {
		return nil, err
	}
	if metadata[FormatKey] != modelFormat {
		return nil, errors.New("a safetensors file, but not a model of gpdrf-gpu")
	}
	unsealed, err := safetensors.Unsealed(metadata, FormatKey, DescriptionKey)
	if err != nil {
		return nil, err
	}
	var of ensembleHeader
	if json.Unmarshal([]byte(metadata[DescriptionKey]), &of) == nil && of.Version == ensembleVersion {
		t, err := of.parse(tensors)
		if err == nil {
			t.Unsealed = unsealed
		}
		return t, err
	}
	t, err := parseModel(metadata[DescriptionKey], tensors)
	if err == nil {
		t.Unsealed = unsealed
	}
	return t, err
}

// parseModel makes one model of its description and its tensors.
func parseModel(text string, tensors []safetensors.Tensor) (*Trained, error) {
	t, tensors, err := ParseDescription(text, tensors)
	if err != nil {
		return nil, err
	}
	t.Named, err = matchTensors(t.Model.Layout(), tensors)
	return t, err
}

// parse makes an ensemble of its members.
func (h *ensembleHeader) parse(tensors []safetensors.Tensor) (*Trained, error) {
	own := make([][]safetensors.Tensor, len(h.Members))
	for _, x := range tensors {
		k := -1
		for i := range h.Members {
			if name, is := strings.CutPrefix(x.Name, memberPrefix(i)); is {
				x.Name, k = name, i
				break
			}
		}
		if k < 0 {
			return nil, fmt.Errorf("tensor %q belongs to no member of the ensemble", x.Name)
		}
		own[k] = append(own[k], x)
	}
	members := make([]Member, len(h.Members))
	for k, m := range h.Members {
		t, err := parseModel(string(m.Trained), own[k])
		if err != nil {
			return nil, fmt.Errorf("member %d: %w", k+1, err)
		}
		members[k] = Member{m.Weight, t}
	}
	return NewEnsemble(members)
}

// ParseDescription reads a Description and checks that its parts fit each other. What a model of
// sequences keeps it takes from the tensors, and returns the rest.
func ParseDescription(text string, tensors []safetensors.Tensor) (t *Trained, rest []safetensors.Tensor, err error) {
	var h header
	dec := json.NewDecoder(strings.NewReader(text))
	if err := dec.Decode(&h); errors.As(err, new(*model.RemovedError)) {
		return nil, nil, err
	} else if err != nil {
		return nil, nil, fmt.Errorf("the description of the model is damaged: %v", err)
	}
	if h.Version != (&Trained{Targets: h.Targets}).version() {
		return nil, nil, fmt.Errorf("a model of format %d; this program reads formats %d and %d", h.Version,
			modelVersion, logVersion)
	}
	if err := h.check(); err != nil {
		return nil, nil, fmt.Errorf("the description of the model is damaged: %w", err)
	}
	t = &Trained{Model: h.Model, Schema: h.Schema, Projection: h.Projection, Scaler: h.Scaler, Targets: h.Targets,
		KLWeight: h.KLWeight, Seed: h.Seed, EvalSamples: h.EvalSamples, Kind: Vectors{}}
	if h.Sequences != nil {
		tensors, err = t.readSequences(h.Sequences, tensors)
	}
	if h.Projection != nil && err == nil {
		tensors, err = readWeights(h.Projection, tensors)
	}
	if h.Known != nil && err == nil {
		tensors, err = t.readKnown(h.Known, tensors)
	}
	return t, tensors, err
}

// check refuses a description whose parts contradict each other.
func (h *header) check() error {
	if err := errors.Join(h.Model.Validate(), h.Schema.Check()); err != nil {
		return err
	}
	d := len(h.Schema.Columns)
	if p := h.Projection; p != nil {
		if err := p.Check(); err != nil || p.Of != d || h.Sequences != nil {
			return errors.Join(fmt.Errorf("a projection of %d columns and %d columns", p.Of, d), err)
		}
		d = p.Width(d)
	}
	inputs, gram := d, h.Sequences != nil && h.Sequences.Gram
	if s := h.Sequences; gram {
		inputs = 0
	} else if s != nil {
		inputs += s.Projection
	}
	classes := len(h.Schema.Classes)
	targets := len(h.Schema.Outputs())
	outputs := model.OutputsFor(h.Model.Likelihood, max(targets, classes))
	if h.Schema.Task == data.Classification {
		targets = 0
	}
	switch {
	case h.Model.Inputs != inputs || len(h.Scaler.Center) != d || len(h.Scaler.Scale) != d:
		return fmt.Errorf("%d columns, a scaler of %d and %d numbers and a model of %d inputs", d,
			len(h.Scaler.Center), len(h.Scaler.Scale), h.Model.Inputs)
	case h.Schema.Task == data.Classification &&
		(classes < 2 || classes > 2 && h.Model.Likelihood == model.BernoulliLikelihood):
		return fmt.Errorf("a %s classification of %d classes", h.Model.Likelihood, classes)
	case h.Model.Outputs != outputs || !slices.Contains(options.Likelihoods(h.Schema.Task), h.Model.Likelihood):
		return fmt.Errorf("a %s model with %d outputs for %s", h.Model.Likelihood, h.Model.Outputs, h.Schema.Task)
	case len(h.Targets) != targets:
		return fmt.Errorf("the scales of %d targets for %d", len(h.Targets), targets)
	case gram && !slices.Equal(h.Model.Maps, []string{model.MapLinear}), !gram &&
		(h.Schema.Alphabet != nil) != (h.Sequences != nil),
		!gram && (h.Model.Maps != nil) != (h.Sequences != nil && h.Sequences.Projection == 0):
		return errors.New("its sequences lack an alphabet, feature maps or their kernels")
	case h.Sequences != nil && !gram && (h.Sequences.Codebook != nil) != (h.Schema.Alphabet.OfVectors() != nil):
		return errors.New("its sequences lack a codebook, or have one that nothing needs")
	case h.Sequences != nil && (h.Sequences.Projection < 0 || h.Sequences.Projection > options.MaxWidth):
		return fmt.Errorf("a projection to %d inputs", h.Sequences.Projection)
	case h.EvalSamples < 1 || h.EvalSamples > options.MaxSamples || h.Model.Samples > options.MaxSamples:
		return fmt.Errorf("%d samples of %d", h.EvalSamples, h.Model.Samples)
	case !(h.Scaler.Clip >= 0):
		return fmt.Errorf("inputs clipped at %g", h.Scaler.Clip)
	case (h.Scaler.Least != nil || h.Scaler.Most != nil) && (len(h.Scaler.Least) != d || len(h.Scaler.Most) != d):
		return fmt.Errorf("%d columns and the ranges of other columns", d)
	case h.Scaler.Log != nil && (len(h.Scaler.Log.Least) != d || len(h.Scaler.Log.Unit) != d):
		return fmt.Errorf("%d columns and the logarithms of other columns", d)
	case h.Scaler.Tails != nil && (len(h.Scaler.Tails.Middle) != d || len(h.Scaler.Tails.Unit) != d):
		return fmt.Errorf("%d columns and the tails of other columns", d)
	}
	if s := h.Sequences; s != nil && s.Codebook != nil {
		if err := s.Codebook.Check(); err != nil || s.Codebook.Width != h.Schema.Alphabet.OfVectors().Width {
			return errors.Join(errors.New("the codebook is not that of the sequences"), err)
		}
	}
	units := h.Scaler.Scale
	if h.Scaler.Log != nil {
		units = slices.Concat(units, h.Scaler.Log.Unit)
	}
	if h.Scaler.Tails != nil {
		for _, u := range h.Scaler.Tails.Unit {
			if u != 0 { // 0 is a column without a tail
				units = append(slices.Clip(units), u)
			}
		}
	}
	for _, s := range units {
		if !(s > 0) {
			return fmt.Errorf("an input's scale is %g", s)
		}
	}
	for _, s := range h.Targets {
		if !(s.Unit() > 0 && s.SD > 0) {
			return fmt.Errorf("a target's scale is %g", s.SD)
		}
	}
	return nil
}

// matchTensors puts a file's tensors into the order of the model's layout.
func matchTensors(layout []model.Named, tensors []safetensors.Tensor) ([]model.Named, error) {
	byName := map[string]safetensors.Tensor{}
	for _, x := range tensors {
		byName[x.Name] = x
	}
	for i, want := range layout {
		got, ok := byName[want.Name]
		if !ok {
			return nil, fmt.Errorf("tensor %q is missing", want.Name)
		}
		if !slices.Equal(got.Shape, want.Shape) {
			return nil, fmt.Errorf("tensor %q has shape %v, the model needs %v", want.Name, got.Shape, want.Shape)
		}
		for _, v := range got.Data {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("tensor %q holds %g", want.Name, v)
			}
		}
		layout[i].Data = got.Data
		delete(byName, want.Name)
	}
	for name := range byName {
		return nil, fmt.Errorf("tensor %q belongs to no part of the model", name)
	}
	return layout, nil
}
