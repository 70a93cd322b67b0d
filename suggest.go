package gpdrf

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/didyoumean"
	"github.com/gpdrf/gpdrf-gpu/predict"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
)

// SuggestOptions are the options of Model.Suggest, with the names of the flags of the command suggest. A field that
// is zero has its default.
type SuggestOptions struct {
	How      string // criterion: "ei", "ucb", "thompson", "variance" or "bald"; "" is ei for numbers, bald for classes
	Batch    int    // number of rows to choose; 0 is 10
	Minimize bool   // prefer small targets
	Target   string // name of the target, if the model has several
	Samples  int    // number of joint samples; 0 is 256
	Seed     uint64 // seed of the samples; 0 is the seed of the training

	// Feasible is a model for the same columns that predicts which rows are feasible: rows of the second of its two
	// classes, or rows with a target of 0 or more. If it is nil, all rows are feasible.
	Feasible *Model
}

// Suggestion is a row that Model.Suggest has chosen.
type Suggestion struct {
	Row   int     // number of the row, from 0
	Value float64 // worth by SuggestOptions.How, given the earlier rows: expected improvement for ei, nats for bald
	Mean  float64 // mean of a regression, as in Prediction
	SD    float64 // standard deviation of a regression, as in Prediction

	Class       string  // most probable class of a classification
	Probability float64 // probability of Class
	Feasible    float64 // the probability that the row is feasible; 1 without SuggestOptions.Feasible
}

// Suggest returns the rows to measure next, the best first. Rows with a target, in Values, Targets or
// Classes, count as measured: they are not suggested, and ei is the expected improvement on the best
// of them. The target of any other row is NaN, or "" for a class. Without measured rows, ei is the
// improvement on the best training target.
func (m *Model) Suggest(ctx context.Context, rows Rows, s SuggestOptions) ([]Suggestion, error) {
	t := m.trained
	if t == nil {
		return nil, errUntrained
	}
	_, ds, err := rowsFor(t, rows)
	if err != nil {
		return nil, err
	}
	if err := setTargets(ds, t.Schema, rows); err != nil {
		return nil, err
	}
	dev, err := device.Open(m.Device) // a separate device, which gives its memory back as a whole
	if err != nil {
		return nil, err
	}
	defer dev.Close()
	how := predict.EI
	if t.Schema.Task == data.Classification {
		how = predict.BALD
	}
	search := predict.Search{Trained: t, Device: dev, How: cmp.Or(s.How, how), Batch: cmp.Or(s.Batch, 10),
		Minimize: s.Minimize, Target: s.Target, Samples: cmp.Or(s.Samples, predict.SearchSamples),
		Seed: cmp.Or(s.Seed, t.Seed)}
	if err := search.Check(); err != nil {
		return nil, fmt.Errorf("gpdrf.SuggestOptions: %w", err)
	}
	if s.Feasible != nil {
		if search.Feasible, err = s.Feasible.feasibility(ctx, dev, rows); err != nil {
			return nil, fmt.Errorf("gpdrf.SuggestOptions: Feasible: %w", err)
		}
	}
	suggestions, err := search.Run(ctx, ds)
	if err != nil {
		return nil, err
	}
	out := make([]Suggestion, len(suggestions))
	for i, suggestion := range suggestions {
		out[i] = Suggestion(suggestion)
	}
	return out, nil
}

// feasibility returns the probability that each row is feasible.
func (m *Model) feasibility(ctx context.Context, dev device.Device, rows Rows) ([]float64, error) {
	if m.trained == nil {
		return nil, errUntrained
	}
	_, ds, err := rowsFor(m.trained, rows)
	if err != nil {
		return nil, err
	}
	return predict.Feasibility(ctx, m.trained, dev, ds)
}

// rowsFor returns rows in the form of the training rows of a model, without targets.
func rowsFor(t *fitted.Model, rows Rows) (request data.Request, ds *data.Dataset, err error) {
	if request, err = rows.Request(t.Schema); err == nil {
		ds, err = t.Schema.Rows(request)
	}
	return request, ds, err
}

// setTargets gives rows the known targets, in the form of a model's schema.
func setTargets(ds *data.Dataset, schema data.Schema, rows Rows) error {
	numbers := len(rows.Values)+len(rows.Targets) > 0
	switch {
	case schema.Task == data.Regression && len(rows.Classes) > 0:
		return errors.New("the model predicts numbers: give Values or Targets, and no Classes")
	case schema.Task == data.Classification && numbers:
		return errors.New("the model predicts classes: give Classes, and no Values or Targets")
	case len(rows.Values) > 0 && len(rows.Targets) > 0:
		return errors.New("both Values and Targets are given: leave one of them out")
	case len(rows.Values) > 0 && len(schema.Outputs()) > 1:
		return fmt.Errorf("the model predicts %d targets, and Values are of one: give Targets", len(schema.Outputs()))
	case numbers:
		ds.Target, ds.Targets = schema.Target, schema.Targets
	}
	for i, row := range rows.Targets {
		if want := len(ds.Outputs()); len(row) != want {
			return fmt.Errorf("row %d has %d targets, and the model %d: give each of them, NaN where it is not known",
				i+1, len(row), want)
		}
	}
	ds.Y = slices.Clone(rows.Values)
	for _, row := range rows.Targets {
		ds.Y = append(ds.Y, row...)
	}
	for i, name := range rows.Classes {
		label := slices.Index(schema.Classes, name)
		if label < 0 && name != "" {
			return fmt.Errorf("row %d: the model has no class %q%s", i+1, name, didyoumean.Hint(name, schema.Classes))
		}
		ds.Labels = append(ds.Labels, int32(label))
	}
	return nil
}
