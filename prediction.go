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
	// Mean and SD [N] are the mean and the standard deviation of the first target, in its units. SD is of noise and
	// uncertainty of the model together.
	Mean, SD []float64

	// Targets are the predictions of all targets, in the order of training.
	Targets []TargetPrediction

	Class         []string    // [N] most probable class
	Probabilities [][]float64 // [N][C] probability of each class, in the order of Model.Classes

	// Distance [N] is the distance of each row from the training rows: 0 for a training row, and above 1 for a row
	// unlike all of them. It is nil for models of early versions.
	Distance []float64

	// Warnings name rows far from the training rows, and words that no training row has.
	Warnings []string

	classes   *predict.Classification // nil for a regression
	conformal *fitted.Conformal
}

// TargetPrediction is the prediction of one target of a regression for N rows, in the units of the target.
type TargetPrediction struct {
	Name     string
	Mean, SD []float64 // [N] as in Prediction

	regression *predict.Regression
	index      int
	conformal  *fitted.Conformal
}

// Quantiles returns [N][L] the quantiles of each row at L levels p: the y with P(Y ≤ y) = p; of counts, the least with
// p or more. A level that is not above 0 and below 1 is an InputError.
func (t *TargetPrediction) Quantiles(levels ...float64) ([][]float64, error) {
	for _, level := range levels {
		if !(level > 0 && level < 1) {
			return nil, inputErrorf("", "level %g: must be above 0 and below 1", level)
		}
	}
	quantiles := make([][]float64, len(t.Mean))
	for i := range quantiles {
		quantile := t.regression.QuantileFunc(i)
		for _, level := range levels {
			quantiles[i] = append(quantiles[i], quantile(level))
		}
	}
	return quantiles, nil
}

// Quantiles returns TargetPrediction.Quantiles of the first target. The error is an InputError for a classification,
// which has Probabilities.
func (p *Prediction) Quantiles(levels ...float64) ([][]float64, error) {
	if len(p.Targets) == 0 {
		return nil, inputErrorf("", "a classification has no quantiles: read Probabilities")
	}
	return p.Targets[0].Quantiles(levels...)
}

// conformalQuantile returns the conformal score that a target does not exceed with probability level.
func conformalQuantile(c *fitted.Conformal, target int, level float64) (float64, error) {
	if c == nil {
		return 0, inputErrorf("conformal", "this model has no conformal intervals: train it with Options.Conformal")
	}
	q, err := c.Quantile(target, level)
	return q, asInput(err)
}

// ConformalIntervals returns [N] the bounds of an interval of each row. It holds the target of a new row with
// probability level or more, if that row is exchangeable with the training rows. The error is an InputError if the
// model was trained without Options.Conformal, or on too few rows for the level.
func (t *TargetPrediction) ConformalIntervals(level float64) (lower, upper []float64, err error) {
	q, err := conformalQuantile(t.conformal, t.index, level)
	if err != nil {
		return nil, nil, err
	}
	lower, upper = make([]float64, len(t.Mean)), make([]float64, len(t.Mean))
	for i := range lower {
		lower[i], upper[i] = t.regression.Interval(i, q)
	}
	return lower, upper, nil
}

// ConformalIntervals returns TargetPrediction.ConformalIntervals of the first target. The error is an InputError for a
// classification, which has ConformalSets.
func (p *Prediction) ConformalIntervals(level float64) (lower, upper []float64, err error) {
	if len(p.Targets) == 0 {
		return nil, nil, inputErrorf("", "a classification has sets of classes: ask for ConformalSets")
	}
	return p.Targets[0].ConformalIntervals(level)
}

// ConformalSets returns [N] a set of classes for each row. It holds the true class with probability level or more, as
// in TargetPrediction.ConformalIntervals, which has the same errors. The classes are in the order of Model.Classes, and
// include the most probable one. The error is an InputError for a regression, which has ConformalIntervals.
func (p *Prediction) ConformalSets(level float64) ([][]string, error) {
	if p.classes == nil {
		return nil, inputErrorf("", "a regression has intervals: ask for ConformalIntervals")
	}
	q, err := conformalQuantile(p.conformal, 0, level)
	if err != nil {
		return nil, err
	}
	sets := make([][]string, len(p.Class))
	for i := range sets {
		sets[i] = p.classes.PredictionSet(i, q)
	}
	return sets, nil
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
		target := TargetPrediction{Name: name, Mean: make([]float64, mixture.N), SD: make([]float64, mixture.N),
			regression: predict.NewRegression(t, mixture, c), index: c, conformal: t.Conformal}
		for i := range mixture.N {
			target.Mean[i], target.SD[i], _, _ = target.regression.Moments(i)
		}
		p.Targets = append(p.Targets, target)
	}
	p.Mean, p.SD = p.Targets[0].Mean, p.Targets[0].SD
	return p
}
