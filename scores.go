package gpdrf

import (
	"context"
	"math"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
)

// Scores are the scores of a model on rows with known targets, as gpdrf-gpu eval prints them. Rows count by their
// weights. A regression has Regression and Targets, and a classification has Classification.
type Scores struct {
	Rows int // number of rows, without those of weight 0

	// Regression has the scores with targets in standard deviations of the training rows. For several targets, they are
	// means. It is nil for a classification.
	Regression *RegressionScores
	// Targets are the scores of all targets, in the order of Prediction.Targets.
	Targets []TargetScores

	Classification *ClassificationScores // nil for a regression
}

// RegressionScores are the scores of predictions of numbers.
type RegressionScores struct {
	RMSE float64 // root mean square error of the predictive mean
	MAE  float64 // mean absolute error of the predictive mean
	NLPD float64 // mean of −log p(y), in nats: of densities, or of probabilities of counts
	CRPS float64 // mean continuous ranked probability score

	// Coverage50, Coverage90 and Coverage95 are the shares of the targets inside the central intervals of probability
	// 0.50, 0.90 and 0.95.
	Coverage50, Coverage90, Coverage95 float64
}

// TargetScores are the scores of one target, in its own units.
type TargetScores struct {
	Name string
	RegressionScores
	Conformal *ConformalScores // scores of TargetPrediction.ConformalIntervals; nil without Options.Conformal
}

// ClassificationScores are the scores of predictions of classes.
type ClassificationScores struct {
	ErrorRate float64 // share of rows whose most probable class is wrong
	NLL       float64 // mean of −log p(class), in nats
	Brier     float64 // mean of Σ_c (p_c − 1[c is the class])²
	ECE       float64 // expected calibration error of the most probable class
	AUC       float64 // area under the ROC curve of the second of two classes; NaN for more, or if a class has no row

	Classes   []ClassScores    // in the order of Model.Classes
	Conformal *ConformalScores // scores of Prediction.ConformalSets; nil without Options.Conformal
}

// ClassScores are the scores of one class. A share of no rows is NaN.
type ClassScores struct {
	Class     string
	Support   float64 // number of rows of the class, or the sum of their weights
	Precision float64 // share of the class among the rows that are predicted to be of it
	Recall    float64 // share of the rows of the class that are predicted to be of it
	F1        float64 // harmonic mean of Precision and Recall
}

// ConformalScores are the scores of conformal intervals, or of sets of classes.
type ConformalScores struct {
	Level    float64 // level of the intervals: 0.9, or the option level of the training
	Coverage float64 // share of the rows whose target is inside
	Size     float64 // mean width of the intervals in the target's own units, or mean number of classes in a set
}

// Evaluate predicts rows whose targets are all known, and scores the predictions. Columns are matched as by Predict,
// and Targets are in the order of training. The device stays open for later calls, as by Predict.
func (m *Model) Evaluate(ctx context.Context, rows Rows) (s *Scores, err error) {
	defer func() { err = asInput(err) }()
	t := m.trained
	if t == nil {
		return nil, ErrUntrained
	}
	ds, err := data.TestRowsForSchema(data.Rows(rows), t.Schema)
	if err != nil {
		return nil, err
	}
	c, _, err := m.options()
	if err != nil {
		return nil, err
	}
	err = m.onDevice(func(dev device.Device) error {
		scores, err := t.Evaluate(ctx, dev, ds, fitted.EvaluateOptions{Samples: t.EvalSamples, Draws: c.PredictDraws})
		if err == nil {
			s = newScores(scores, ds)
		}
		return err
	})
	return s, err
}

// newScores makes Scores of the scores of the rows ds.
func newScores(s *fitted.Scores, ds *data.Dataset) *Scores {
	out := &Scores{Rows: ds.N()}
	if c := s.Classification; c != nil {
		scores := &ClassificationScores{ErrorRate: c.Error, NLL: c.NLL, Brier: c.Brier, ECE: c.ECE, AUC: orNaN(c.AUC),
			Conformal: newConformalScores(s.Conformal)}
		for _, k := range c.Classes {
			scores.Classes = append(scores.Classes, ClassScores{Class: k.Class, Support: float64(k.Support),
				Precision: orNaN(k.Precision), Recall: orNaN(k.Recall), F1: orNaN(k.F1)})
		}
		out.Classification = scores
		return out
	}
	scaled := RegressionScores(*s.Regression)
	out.Regression = &scaled
	if s.Raw != nil {
		out.Targets = []TargetScores{{Name: ds.Target, RegressionScores: RegressionScores(*s.Raw),
			Conformal: newConformalScores(s.Conformal)}}
	}
	for _, o := range s.Outputs {
		out.Targets = append(out.Targets, TargetScores{Name: o.Target, RegressionScores: RegressionScores(o.Raw),
			Conformal: newConformalScores(o.Conformal)})
	}
	return out
}

func newConformalScores(s *fitted.ConformalScores) *ConformalScores {
	if s == nil {
		return nil
	}
	return &ConformalScores{Level: s.Level, Coverage: s.Coverage, Size: s.Width + s.Size} // one of both is 0
}

// orNaN returns a score, or NaN for one that these rows do not have.
func orNaN(score *float64) float64 {
	if score == nil {
		return math.NaN()
	}
	return *score
}
