package fitted

import (
	"context"
	"encoding/json"
	"math"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/scaling"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// ScoresByName returns the numbers of a block of result.json by their keys, without those of blocks within it.
func ScoresByName(block any) map[string]float64 {
	text, err := json.Marshal(block)
	all := map[string]any{}
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil {
		panic("fitted: scores that were read cannot be written: " + err.Error())
	}
	out := map[string]float64{}
	for key, v := range all {
		if x, ok := v.(float64); ok {
			out[key] = x
		}
	}
	return out
}

// ByName returns the scores of the blocks Test and Raw by their keys.
func (s *ResultScores) ByName() (test, raw map[string]float64) {
	return ScoresByName(s.TestScores), ScoresByName(s.Raw)
}

// Evaluate predicts a data set with targets, and scores the prediction. Draws of a classification are a
// *usererror.Error: its class probabilities need none.
func (m *Model) Evaluate(ctx context.Context, dev device.Device, ds *data.Dataset,
	request EvaluateOptions) (*Scores, error) {
	if request.Draws > 0 && m.Schema.Task != data.Regression {
		return nil, usererror.Errorf("draws of the output are for regression: class probabilities need no draws")
	}
	if err := m.checkRowTargets(ds); err != nil {
		return nil, err
	}
	if !request.Until.IsZero() {
		return m.evaluateUntil(ctx, dev, ds, request)
	}
	p, _, err := m.PredictSet(ctx, dev, ds, request.Samples,
		PredictOptions{Ranks: request.Ranks, Progress: request.Progress})
	if err != nil {
		return nil, err
	}
	s := m.scoreWithDensities(p, ds, request.Draws)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return s, nil
}

// checkRowTargets refuses a target that the model cannot have: one without a logarithm, or that is not a count.
func (m *Model) checkRowTargets(ds *data.Dataset) error {
	if m.PredictsCounts() {
		return scaling.CheckCounts(ds)
	}
	return scaling.CheckPositive(ds, m.Targets)
}

// PredictsCounts reports whether the targets are counts.
func (m *Model) PredictsCounts() bool {
	return model.IsCountLikelihood(m.singleModels()[0].Config.Likelihood)
}

// scoreWithDensities calls Score, and adds the densities of a sample and the rows that a run folder keeps.
func (m *Model) scoreWithDensities(p *model.Prediction, ds *data.Dataset, draws int) *Scores {
	s := m.Score(p, ds, draws)
	kept := make([]int, min(p.N, keptRows)) // at equal intervals, which do not depend on the seed
	for i := range kept {
		kept[i] = i * p.N / len(kept)
	}
	s.Kept = Kept{kept, p.SelectRows(kept)}
	sample, rows := ds.Sample(ComparedRows, m.Seed)
	s.Densities = m.LogDensities(p.SelectRows(rows), sample, draws)
	return s
}

// ComparedRows is the largest number of training or of unseen rows that are compared. Of more, the seed draws a sample.
const ComparedRows = 2000

// TestScores is the block "test" of a result: the scores of a regression, in training-sd units, or of a classification.
type TestScores struct {
	*metrics.Regression
	*metrics.Classification
}

// ResultScores are the metrics of one data set, in the form of result.json.
type ResultScores struct {
	// scores; for several targets, the means of their scores
	TestScores `json:"test"`
	// scores in the target's own units; nil for several targets, which have no unit in common
	Raw     *metrics.Regression `json:"test_raw,omitempty"`
	Outputs []OutputScores      `json:"test_outputs,omitempty"` // scores of each of several targets
	Weight  float64             `json:"test_weight,omitempty"`  // Σ w of rows with weights; 0 without weights
	Cut     *Cut                `json:"test_cut,omitempty"`     // scored part of the rows; nil if all are scored
	Measure string              `json:"measure,omitempty"`      // CountingMeasure for counts, and otherwise ""

	Conformal *ConformalScores `json:"conformal,omitempty"` // scores of intervals of one target, or of sets of classes
}

// Scored returns the number of n test rows that are scored.
func (s *ResultScores) Scored(n int) int {
	if s.Cut != nil {
		return s.Cut.Rows
	}
	return n
}

// CountingMeasure is the Measure of scores whose NLPD is that of probabilities of counts. The NLPD of other numbers is
// that of densities, by unit of the target.
const CountingMeasure = "counting"

// Scores are the metrics of one data set, with parts of its prediction for a run folder.
type Scores struct {
	ResultScores
	Densities metrics.Densities // densities of a sample of at most ComparedRows
	Kept      Kept
}

// OutputScores are the metrics of one of several targets.
type OutputScores struct {
	Target string             `json:"target"`
	Test   metrics.Regression `json:"test"`     // scores in training-sd units
	Raw    metrics.Regression `json:"test_raw"` // scores in the target's own units

	Conformal *ConformalScores `json:"conformal,omitempty"`
}

// Score compares a prediction with the targets: by the mixture itself or, for a regression with draws, by the normal of
// the draws' moments.
func (m *Model) Score(p *model.Prediction, ds *data.Dataset, draws int) *Scores {
	scores := &Scores{}
	w := metrics.Weights(ds.Weights)
	if w != nil {
		scores.Weight = w.Sum(p.N)
	}
	if m.Schema.Task == data.Classification {
		s := metrics.ScoreClassification(p.H, p.S, p.N, p.C, ds.Labels, w)
		s.AddClassScores(ds.Labels, m.Schema.Classes, w)
		scores.Classification, scores.Conformal = &s, m.conformalTest(p, ds, 0)
		return scores
	}
	var out []OutputScores
	scaled := scaling.Standardise(ds.Y, m.Targets)
	for c, name := range m.Schema.Outputs() {
		mixture := m.mixture(p, c, draws)
		scale := m.Targets[c]
		intervals := m.conformalTest(p, ds, c)
		if scale.Log {
			own := metrics.ScoreRegression(LogNormal(mixture, scale), column(ds.Y, p.C, c), w)
			out = append(out, OutputScores{name, own.InUnits(1 / scale.Unit()), own, intervals})
			continue
		}
		s := metrics.ScoreRegression(mixture, column(scaled, p.C, c), w)
		out = append(out, OutputScores{name, s, s.InUnits(scale.Unit()), intervals})
	}
	if p.Dispersion != nil {
		scores.Measure = CountingMeasure
	}
	if len(out) == 1 {
		scores.Regression, scores.Raw, scores.Conformal = &out[0].Test, &out[0].Raw, out[0].Conformal
		return scores
	}
	tests := make([]metrics.Regression, len(out))
	for c := range out {
		tests[c] = out[c].Test
	}
	scores.Regression, scores.Outputs = new(metrics.MeanScores(tests)), out
	return scores
}

// RMSE returns the root mean square error of a prediction's means, in training-sd units. For several targets it is the
// mean.
func (m *Model) RMSE(p *model.Prediction, ds *data.Dataset) float64 {
	scaled := scaling.Standardise(ds.Y, m.Targets)
	sum := 0.0
	for c, scale := range m.Targets {
		mixture, targets, unit := m.Mixture(p, c), column(scaled, p.C, c), 1.0
		if scale.Log {
			mixture, targets, unit = LogNormal(mixture, scale), column(ds.Y, p.C, c), scale.Unit()
		}
		squares := make([]float64, p.N)
		for n, y := range targets {
			mean, _ := mixture.Moments(n)
			squares[n] = (y - mean) * (y - mean)
		}
		square, _ := metrics.Weights(ds.Weights).MeanStdErr(squares)
		sum += math.Sqrt(square) / unit
	}
	return sum / float64(len(m.Targets))
}

// Kept is the prediction of some test rows, in their order, for the run folder.
type Kept struct {
	Rows       []int // numbers of the rows among those that were predicted
	Prediction *model.Prediction
}

// keptRows is the largest number of rows of a Kept.
const keptRows = 5000
