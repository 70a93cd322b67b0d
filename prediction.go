package gpdrf

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/predict"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
)

// Prediction is the prediction of N rows: a regression has Mean, SD and Targets, a classification
// has Class and Probabilities.
type Prediction struct {
	Mean []float64 // [N] of the first target, in its own units
	SD   []float64 // [N] the standard deviation: noise and what the model does not know

	// Targets are the predictions of all targets, in the order of training.
	Targets []Target

	Class         []string    // [N] the most probable class
	Probabilities [][]float64 // [N][C] in the order of Model.Classes

	// Distance [N] is how far each row is from the training rows: 0 for one of them, above 1 for
	// rows unlike them. It is nil for models of early versions.
	Distance []float64

	// Warnings are about rows far from the training rows, and words that these do not have.
	Warnings []string
}

// Target is the prediction of one target of a regression.
type Target struct {
	Name     string
	Mean, SD []float64 // [N] as in Prediction

	regression *predict.Regression
}

// Quantile is the quantile of row i at a level between 0 and 1. It is NaN at other levels.
func (t *Target) Quantile(i int, level float64) float64 {
	if !(level > 0 && level < 1) {
		return math.NaN()
	}
	return t.regression.Quantile(i, level)
}

// Quantile is that of the first target. It is NaN in a classification, which has none.
func (p *Prediction) Quantile(i int, level float64) float64 {
	if len(p.Targets) == 0 {
		return math.NaN()
	}
	return p.Targets[0].Quantile(i, level)
}

// newPrediction reads a model's mixture.
func newPrediction(t *fitted.Trained, mixture *model.Prediction, distances []float64) *Prediction {
	p := &Prediction{Distance: distances}
	if t.Schema.Task == data.Classification {
		c := predict.NewClasses(t, mixture)
		for i := range mixture.N {
			p.Class = append(p.Class, c.Label(i))
			p.Probabilities = append(p.Probabilities, c.Probabilities(i))
		}
		return p
	}
	for c, name := range t.Schema.Outputs() {
		target := Target{name, make([]float64, mixture.N), make([]float64, mixture.N),
			predict.NewRegression(t, mixture, c)}
		for i := range mixture.N {
			target.Mean[i], target.SD[i], _, _ = target.regression.Moments(i)
		}
		p.Targets = append(p.Targets, target)
	}
	p.Mean, p.SD = p.Targets[0].Mean, p.Targets[0].SD
	return p
}
