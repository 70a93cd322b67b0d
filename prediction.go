package gpdrf

import (
	"slices"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/predict"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
)

// Prediction is the prediction of N rows: a regression has Mean, SD and Targets, a classification has Class and
// Probabilities.
type Prediction struct {
	Mean []float64 // [N] the mean of the first target, in its units
	SD   []float64 // [N] the standard deviation: noise and uncertainty of the model together

	// Targets are the predictions of all targets, in the order of training.
	Targets []Target

	Class         []string    // [N] the most probable class
	Probabilities [][]float64 // [N][C] in the order of Model.Classes

	// Distance [N] is the distance of each row from the training rows: 0 for a training row, and above 1 for a row
	// unlike all of them. It is nil for models of early versions.
	Distance []float64

	// Warnings name rows far from the training rows, and words that no training row has.
	Warnings []string

	classes   *predict.Classification // nil for a regression
	conformal *fitted.Conformal
}

// Target is the prediction of one target of a regression.
type Target struct {
	Name     string
	Mean, SD []float64 // [N] as in Prediction

	regression *predict.Regression
	number     int // index of the target
	conformal  *fitted.Conformal
}

// Quantile returns the quantile of row i at a level between 0 and 1. Another level or an index out of range is an
// error.
func (t *Target) Quantile(i int, level float64) (float64, error) {
	if !(level > 0 && level < 1) {
		return 0, inputErrorf("", "level %g: must be above 0 and below 1", level)
	}
	if err := checkRow(i, len(t.Mean)); err != nil {
		return 0, err
	}
	return t.regression.QuantileFunc(i)(level), nil
}

// Quantile returns the quantile of the first target. It is an error for a classification, which has Probabilities.
func (p *Prediction) Quantile(i int, level float64) (float64, error) {
	if len(p.Targets) == 0 {
		return 0, inputErrorf("", "a classification has no quantiles: read Probabilities")
	}
	return p.Targets[0].Quantile(i, level)
}

// errNoConformal returns the error of a model without conformal intervals.
func errNoConformal() error {
	return inputErrorf("conformal", "this model has no conformal intervals: train it with Options.Conformal")
}

// Interval returns the conformal interval of row i. It holds the target of a new row with probability level or more, if
// that row is exchangeable with the training rows. It is an error if the model was trained without Options.Conformal,
// or on too few rows for the level.
func (t *Target) Interval(i int, level float64) (lower, upper float64, err error) {
	if t.conformal == nil {
		return 0, 0, errNoConformal()
	}
	q, err := t.conformal.Quantile(t.number, level)
	if err != nil {
		return 0, 0, asInput(err)
	}
	if err := checkRow(i, len(t.Mean)); err != nil {
		return 0, 0, err
	}
	lower, upper = t.regression.Interval(i, q)
	return lower, upper, nil
}

// checkRow refuses an index that no row of a prediction has.
func checkRow(i, rows int) error {
	if i < 0 || i >= rows {
		return inputErrorf("", "row %d of a prediction of %d rows: they count from 0", i, rows)
	}
	return nil
}

// Interval returns the interval of the first target. It is an error for a classification, which has Set.
func (p *Prediction) Interval(i int, level float64) (lower, upper float64, err error) {
	if len(p.Targets) == 0 {
		return 0, 0, inputErrorf("", "a classification has sets of classes, and no intervals: ask for Set")
	}
	return p.Targets[0].Interval(i, level)
}

// Set returns the conformal set of row i: classes that hold the true one with probability level or more, as in
// Target.Interval. They are in the order of Model.Classes, and include the most probable class.
func (p *Prediction) Set(i int, level float64) (classes []string, err error) {
	switch {
	case p.classes == nil:
		return nil, inputErrorf("", "a regression has intervals, and no sets of classes: ask for Interval")
	case p.conformal == nil:
		return nil, errNoConformal()
	}
	q, err := p.conformal.Quantile(0, level)
	if err != nil {
		return nil, asInput(err)
	}
	if err := checkRow(i, len(p.Class)); err != nil {
		return nil, err
	}
	return p.classes.PredictionSet(i, q), nil
}

// newPrediction makes a Prediction from the mixture that a model has computed.
func newPrediction(t *fitted.Model, mixture *model.Prediction, distances []float64) *Prediction {
	p := &Prediction{Distance: distances, conformal: t.Conformal}
	if t.Schema.Task == data.Classification {
		c := predict.NewClassification(t, mixture)
		p.classes = c
		for i := range mixture.N {
			p.Class = append(p.Class, c.Label(i))
			p.Probabilities = append(p.Probabilities, slices.Clone(c.Probabilities(i)))
		}
		return p
	}
	for c, name := range t.Schema.Outputs() {
		target := Target{Name: name, Mean: make([]float64, mixture.N), SD: make([]float64, mixture.N),
			regression: predict.NewRegression(t, mixture, c), number: c, conformal: t.Conformal}
		for i := range mixture.N {
			target.Mean[i], target.SD[i], _, _ = target.regression.Moments(i)
		}
		p.Targets = append(p.Targets, target)
	}
	p.Mean, p.SD = p.Targets[0].Mean, p.Targets[0].SD
	return p
}
