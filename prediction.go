package gpdrf

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/predict"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
)

// Prediction is the prediction of N rows: a regression has Mean and SD, a classification has Class
// and Probabilities.
type Prediction struct {
	Mean []float64 // [N] of the target, in its own units
	SD   []float64 // [N] the standard deviation: noise and what the model does not know

	Class         []string    // [N] the most probable class
	Probabilities [][]float64 // [N][C] in the order of Model.Classes

	// Distance [N] says how far each row is from the training rows: 0 for one of them, above 1 for
	// rows unlike them. It is nil for models of early versions.
	Distance []float64

	regression *predict.Regression
}

// Quantile is the quantile of row i at a level between 0 and 1. It is NaN in a classification,
// which has none, and at other levels.
func (p *Prediction) Quantile(i int, level float64) float64 {
	if p.regression == nil || !(level > 0 && level < 1) {
		return math.NaN()
	}
	return p.regression.Quantile(i, level)
}

// newPrediction reads the mixture of a model's first target.
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
	p.regression = predict.NewRegression(t, mixture, 0)
	for i := range mixture.N {
		mean, sd, _, _ := p.regression.Moments(i)
		p.Mean, p.SD = append(p.Mean, mean), append(p.SD, sd)
	}
	return p
}
