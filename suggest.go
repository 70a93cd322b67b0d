package gpdrf

import (
	"cmp"
	"context"
	"fmt"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/predict"
)

// SuggestOptions are the options of Model.Suggest, with the names of the flags of the command suggest. A field that is
// zero has its default.
type SuggestOptions struct {
	Acquisition Acquisition // the flag how; "" is AcquisitionEI for numbers, AcquisitionBALD for classes
	Batch       int         // number of rows to choose; 0 is 10, or all if there are fewer
	Minimize    bool        // prefer small targets
	Target      string      // name of the target, if the model has several
	Samples     int         // number of joint samples; 0 is 256
	Seed        uint64      // seed of the samples; 0 is the seed of the training

	// Feasible is a model for the same columns that predicts which rows are feasible: rows of the second of its two
	// classes, or rows with a target of 0 or more. If it is nil, all rows are feasible.
	Feasible *Model
}

// Suggestion is a row that Model.Suggest has chosen.
type Suggestion struct {
	Row   int     // number of the row, from 0
	Value float64 // value of the Acquisition, given the earlier rows
	Mean  float64 // mean of a regression, as in Prediction
	SD    float64 // standard deviation of a regression, as in Prediction

	Class       string  // most probable class of a classification
	Probability float64 // probability of Class
	Feasible    float64 // the probability that the row is feasible; 1 without SuggestOptions.Feasible
}

// Suggest returns the rows to measure next, the best first. Rows with a target, in Values, Targets or Classes, count as
// measured: they are not suggested, and ei is the expected improvement on the best of them. The target of any other row
// is NaN, or "" for a class. Without measured rows, ei is the improvement on the best training target. The
// device stays open for later calls, as by Predict.
func (m *Model) Suggest(ctx context.Context, rows Rows, s SuggestOptions) (chosen []Suggestion, err error) {
	defer func() { err = asInput(err) }()
	t := m.trained
	if t == nil {
		return nil, ErrUntrained
	}
	_, ds, err := rowsFor(t, rows)
	if err != nil {
		return nil, err
	}
	if err := ds.SetTargets(t.Schema, data.Rows(rows)); err != nil {
		return nil, err
	}
	suggester := predict.Suggester{Trained: t,
		Acquisition: cmp.Or(string(s.Acquisition), predict.DefaultAcquisition(t)),
		Batch:       s.Batch, Minimize: s.Minimize, Target: s.Target,
		Samples: cmp.Or(s.Samples, predict.SuggestSamples), Seed: cmp.Or(s.Seed, t.Seed)}
	if err := suggester.Check(); err != nil {
		return nil, fmt.Errorf("gpdrf.SuggestOptions: %w", err)
	}
	err = m.onDevice(func(dev device.Device) (err error) {
		suggester.Device = dev
		if s.Feasible != nil {
			if suggester.Feasible, err = s.Feasible.feasibility(ctx, dev, rows); err != nil {
				return fmt.Errorf("gpdrf.SuggestOptions: Feasible: %w", err)
			}
		}
		suggestions, err := suggester.Run(ctx, ds)
		for _, suggestion := range suggestions {
			chosen = append(chosen, Suggestion(suggestion))
		}
		return err
	})
	return chosen, err
}

// feasibility returns the probability that each row is feasible.
func (m *Model) feasibility(ctx context.Context, dev device.Device, rows Rows) ([]float64, error) {
	if m.trained == nil {
		return nil, ErrUntrained
	}
	_, ds, err := rowsFor(m.trained, rows)
	if err != nil {
		return nil, err
	}
	return predict.Feasibility(ctx, m.trained, dev, ds)
}
