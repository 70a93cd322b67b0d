package serve

import (
	"context"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/stats"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/predict"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
)

// prediction is a model's prediction of the rows of a request.
type prediction struct {
	trained   *fitted.Model
	rows      *data.Dataset     // nil without rows
	pass      *model.Prediction // the forward pass; nil without rows
	distances []float64         // nil in older models
	warnings  []string          // warnings about the rows, as predict prints them
}

func (p *prediction) n() int {
	if p.pass == nil {
		return 0
	}
	return p.pass.N
}

// checkFinite returns an error if the prediction of a row is not a number, which a label and a set do not show.
func (p *prediction) checkFinite() error {
	if at := stats.NotFinite(p.pass.H); at >= 0 {
		return invalidf("row %d: %v", 1+at/p.pass.C%p.pass.N, predict.ErrNotFinite)
	}
	return nil
}

// These outputs must be asked for: each is about 100 times as large as all other outputs.
const (
	samplesName = "samples"
	drawsName   = "draws"
)

const quantilesName = "quantiles"

// Outputs of models with conformal scores: lower and upper of each target, and 1 for each class of a set.
const (
	intervalName = "interval"
	setName      = "set"
)

// momentNames returns the outputs of Regression.Moments, in its order.
func momentNames() []string { return []string{"mean", "sd", "var_aleatoric", "var_epistemic"} }

// outputsOf returns the outputs that a model has, for S samples.
func outputsOf(t *fitted.Model, samples int) (specs []TensorSpec) {
	number := func(name string, shape ...int) {
		spec := TensorSpec{name, FP64, []int64{-1}}
		for _, d := range shape {
			spec.Shape = append(spec.Shape, int64(d))
		}
		specs = append(specs, spec)
	}
	if t.Schema.Task == data.Classification {
		classes := len(t.Schema.Classes)
		specs = append(specs, TensorSpec{"label", Bytes, []int64{-1}})
		number("probabilities", classes)
		number("entropy")
		number(samplesName, samples, classes)
		if t.Conformal != nil {
			number(setName, classes)
		}
	} else {
		targets := len(t.Schema.Outputs())
		for _, name := range momentNames() {
			number(name, targets)
		}
		number(quantilesName, targets, len(predict.QuantileLevels()))
		number(samplesName, samples, targets)
		number(drawsName, targets, -1)
		if t.Conformal != nil {
			number(intervalName, targets, 2)
		}
	}
	if t.Novelty != nil {
		number("distance")
	}
	return specs
}

// output returns the tensor of an output. It may take long, and ends with ctx.
func (p *prediction) output(ctx context.Context, spec resolvedOutput) (Tensor, error) {
	n := p.n()
	t := Tensor{Name: spec.Name, Type: spec.Type, Shape: append([]int64{int64(n)}, spec.Shape[1:]...)}
	switch {
	case n == 0:
		t.Numbers, t.Texts = []float64{}, []string{}
	case spec.Name == "distance":
		t.Numbers = p.distances
	case p.trained.Schema.Task == data.Classification:
		if err := p.addClasses(&t, spec); err != nil {
			return t, err
		}
	default:
		if err := p.addTargets(ctx, &t, spec); err != nil {
			return t, err
		}
	}
	if at := stats.NotFinite(t.Numbers); at >= 0 {
		return t, invalidf("row %d: %v", at*n/len(t.Numbers)+1, predict.ErrNotFinite)
	}
	return t, nil
}

// addTargets adds the rows of a regression.
func (p *prediction) addTargets(ctx context.Context, t *Tensor, want resolvedOutput) error {
	targets := make([]*predict.Regression, p.pass.C)
	for c := range targets {
		targets[c] = predict.NewRegression(p.trained, p.pass, c)
	}
	moment := slices.Index(momentNames(), t.Name)
	bounds, err := p.bounds(want)
	if err != nil {
		return err
	}
	for i := range p.pass.N {
		if t.Name == samplesName {
			for s := range p.pass.S {
				for _, r := range targets {
					t.Numbers = append(t.Numbers, r.Sample(s, i))
				}
			}
			continue
		}
		for c, r := range targets {
			switch t.Name {
			case intervalName:
				lower, upper := r.Interval(i, bounds[c])
				t.Numbers = append(t.Numbers, lower, upper)
			case quantilesName:
				quantile := r.QuantileFunc(i)
				for _, q := range want.levels {
					if ctx.Err() != nil {
						return context.Cause(ctx)
					}
					t.Numbers = append(t.Numbers, quantile(q))
				}
			case drawsName:
				for k := range want.Shape[2] {
					if ctx.Err() != nil {
						return context.Cause(ctx)
					}
					t.Numbers = append(t.Numbers, r.Draw(i, want.firstRow+i, int(k), want.seed))
				}
			default:
				mean, sd, aleatoric, epistemic := r.Moments(i)
				t.Numbers = append(t.Numbers, []float64{mean, sd, aleatoric, epistemic}[moment])
			}
		}
	}
	return nil
}

// bounds returns for each target the conformal score that intervals or sets reach; nil for other outputs.
func (p *prediction) bounds(want resolvedOutput) (bounds []float64, err error) {
	if want.Name != intervalName && want.Name != setName {
		return nil, nil
	}
	conformal, level := p.trained.Conformal, p.trained.Conformal.Level
	if want.hasLevels {
		level = want.levels[0]
	}
	for c := range conformal.Scores {
		q, err := conformal.Quantile(c, level)
		if err != nil {
			return nil, invalidf("%v", err)
		}
		bounds = append(bounds, q)
	}
	return bounds, nil
}

// addClasses adds the rows of a classification.
func (p *prediction) addClasses(t *Tensor, want resolvedOutput) error {
	c := predict.NewClassification(p.trained, p.pass)
	bounds, err := p.bounds(want)
	if err != nil {
		return err
	}
	for i := range p.pass.N {
		switch t.Name {
		case "label":
			t.Texts = append(t.Texts, c.Label(i))
		case "probabilities":
			t.Numbers = append(t.Numbers, c.Probabilities(i)...)
		case "entropy":
			t.Numbers = append(t.Numbers, c.Entropy(i))
		case setName:
			set := c.PredictionSet(i, bounds[0])
			for _, class := range p.trained.Schema.Classes {
				inside := 0.0
				if len(set) > 0 && set[0] == class { // both are in the order of the classes
					inside = 1
					set = set[1:]
				}
				t.Numbers = append(t.Numbers, inside)
			}
		case samplesName:
			for s := range p.pass.S {
				t.Numbers = append(t.Numbers, predict.Sample(p.pass, s, i)...)
			}
		}
	}
	return nil
}

// OutputRequest is an output that a request names.
type OutputRequest struct {
	Name       string                     `json:"name"`
	Parameters map[string]json.RawMessage `json:"parameters"`
	Binary     bool                       `json:"-"` // the output comes in raw form
}

// binaryData is the parameter by which an output comes in raw form, as all do over gRPC.
const binaryData = "binary_data"

// resolvedOutput is an output of a model as a request wants it.
type resolvedOutput struct {
	TensorSpec
	levels    []float64
	hasLevels bool // the request gives the levels
	seed      uint64
	firstRow  int // the number of the first row, where the rows of one prediction come in parts
}

const (
	defaultDraws = 100
	maxWanted    = 1 << 16 // largest number of draws or levels
)

// resolve returns the output of a model with the parameters of the request.
func (r OutputRequest) resolve(spec TensorSpec) (out resolvedOutput, err error) {
	out = resolvedOutput{TensorSpec: spec, levels: predict.QuantileLevels()}
	out.Shape = slices.Clone(spec.Shape)
	last := len(out.Shape) - 1
	switch spec.Name {
	case quantilesName, intervalName, setName:
		var levels *string
		if err := r.readParameters(map[string]any{"levels": &levels}); err != nil || levels == nil {
			return out, err
		}
		out.hasLevels = true
		if out.levels, err = parseLevels(*levels); err != nil {
			return out, err
		}
		if spec.Name == quantilesName {
			out.Shape[last] = int64(len(out.levels))
		} else if len(out.levels) != 1 {
			return out, invalidf("levels: %s has one level, and %d are given", spec.Name, len(out.levels))
		}
		return out, nil
	case drawsName:
		count, firstRow := int64(defaultDraws), int64(0)
		err := r.readParameters(map[string]any{"count": &count, "seed": &out.seed, "first_row": &firstRow})
		switch {
		case err != nil:
			return out, err
		case count < 1 || count > maxWanted:
			return out, invalidf("count: %d must be from 1 to %d", count, maxWanted)
		case firstRow < 0 || firstRow > math.MaxInt32:
			return out, invalidf("first_row: %d must be from 0 to %d", firstRow, math.MaxInt32)
		}
		out.Shape[last], out.firstRow = count, int(firstRow)
		return out, nil
	}
	return out, r.readParameters(nil)
}

// readParameters reads the parameters into the pointers that known has by their names. It fails for other parameters,
// which would have no effect.
func (r OutputRequest) readParameters(known map[string]any) error {
	for _, name := range slices.Sorted(maps.Keys(r.Parameters)) {
		if name == binaryData {
			continue
		}
		into, ok := known[name]
		if !ok {
			return invalidf("output %s has no parameter %s: it has %q", quote(r.Name), quote(name),
				append(slices.Sorted(maps.Keys(known)), binaryData))
		}
		if err := json.Unmarshal(r.Parameters[name], into); err != nil {
			return invalidf("output %s, parameter %s: %s", quote(r.Name), quote(name), faultOf(err))
		}
	}
	return nil
}

// parseLevels reads levels of quantiles, an interval or a set: numbers between 0 and 1, with commas.
func parseLevels(text string) (levels []float64, err error) {
	if n := strings.Count(text, ",") + 1; n > maxWanted {
		return nil, invalidf("levels: %d are given, and %d are the most", n, maxWanted)
	}
	for word := range strings.SplitSeq(text, ",") {
		level, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
		if err != nil || !(level > 0 && level < 1) {
			return nil, invalidf("levels: %s is not between 0 and 1", quote(word))
		}
		levels = append(levels, level)
	}
	return levels, nil
}
