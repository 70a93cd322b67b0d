package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// comparedRows is how many rows of a kind are compared at most. Of more, the seed draws so many.
const comparedRows = 2000

// Generalisation is the block of result.json that compares rows the model was trained on with rows
// it has not seen: those of validation or, where there are none, those of the test.
type Generalisation struct {
	Seen   Compared `json:"seen"`
	Unseen Compared `json:"unseen"`
	// mean log density of seen rows less that of unseen ones, nats
	Gap       float64  `json:"gap"`
	GapSE     *float64 `json:"gap_se"`    // its standard error; nil where a kind has a single row
	Memorised bool     `json:"memorised"` // as metrics.Memorised has it
}

// Compared is how the model did on the rows of a kind. Log densities are in nats a row, of targets
// in training-sd units or of labels; of several targets they are the mean of each target's.
type Compared struct {
	Of         string   `json:"of,omitempty"` // of unseen rows: validation, test
	Rows       int      `json:"rows"`
	LogDensity float64  `json:"log_density"` // the mean over the rows
	SE         *float64 `json:"se"`          // its standard error; nil of a single row
	// what the model expected it to be, by metrics.Densities
	Expected float64 `json:"expected"`
}

// Generalise compares training rows with those that scores are of, or with validation rows where
// there are some. It is nil where there are neither. Log densities that are no numbers are an
// error. Soon after ctx ends, its cause is the error.
func (j *Job) Generalise(ctx context.Context, t *Trained, scores *Scores) (*Generalisation, error) {
	of, unseen := "test", scores.compared
	var err error
	switch {
	case j.Validation != nil:
		of = "validation"
		if unseen, err = j.sampled(ctx, t, j.Validation); err != nil {
			return nil, err
		}
	case j.testRows() == 0:
		return nil, nil
	}
	seen, err := j.sampled(ctx, t, j.Train)
	if err != nil {
		return nil, err
	}
	gap, se := metrics.Gap(seen.Log, unseen.Log)
	g := &Generalisation{
		Seen: compare("", seen), Unseen: compare(of, unseen),
		Gap: gap, GapSE: ifFinite(se), Memorised: metrics.Memorised(seen, unseen),
	}
	for _, v := range []float64{g.Seen.LogDensity, g.Seen.Expected, g.Unseen.LogDensity, g.Unseen.Expected, gap} {
		if ifFinite(v) == nil {
			return nil, errors.New("a log density is no number")
		}
	}
	return g, nil
}

// moreRows is how many rows Generalise predicts.
func (j *Job) moreRows() int {
	rows := min(j.Train.N(), comparedRows)
	if j.Validation != nil {
		rows += min(j.Validation.N(), comparedRows)
	}
	return rows
}

// sampled predicts a sample of rows, as an evaluation predicts its own.
func (j *Job) sampled(ctx context.Context, t *Trained, ds *data.Dataset) (metrics.Densities, error) {
	sample, _ := ds.Sample(comparedRows, t.Seed)
	p, err := t.Predict(ctx, j.Device, sample, j.Config.EvalSamples)
	if err != nil {
		return metrics.Densities{}, err
	}
	return t.densities(p, sample, j.Config.PredictDraws), nil
}

// densities are those of a prediction, by what score takes: the mixture, or the normal of its
// draws.
func (t *Trained) densities(p *model.Prediction, ds *data.Dataset, draws int) metrics.Densities {
	if t.Schema.Task == data.Classification {
		return metrics.ClassDensities(p.H, p.S, p.N, p.C, ds.Labels)
	}
	scaled := data.Standardise(ds.Y, t.Targets)
	targets := make([]metrics.Densities, p.C)
	for c := range targets {
		targets[c] = metrics.RegressionDensities(t.mixture(p, c, draws), every(scaled, p.C, c))
	}
	return metrics.MeanDensities(targets)
}

// pickPrediction is that of some of its rows, in ascending order.
func pickPrediction(p *model.Prediction, rows []int) *model.Prediction {
	if len(rows) == p.N {
		return p
	}
	some := *p
	some.N, some.H, some.Var = len(rows), pickBlocks(p.H, p.N, p.C, rows), pickBlocks(p.Var, p.N, p.C, rows)
	return &some
}

// pickBlocks takes rows out of each block of x [blocks,n,width].
func pickBlocks(x []float64, n, width int, rows []int) []float64 {
	var some []float64
	for lo := 0; lo < len(x); lo += n * width {
		for _, r := range rows {
			some = append(some, x[lo+r*width:lo+(r+1)*width]...)
		}
	}
	return some
}

func compare(of string, d metrics.Densities) Compared {
	mean, se := metrics.MeanError(d.Log)
	expected, _ := metrics.MeanError(d.Expected)
	return Compared{of, len(d.Log), mean, ifFinite(se), expected}
}

// ifFinite is v for JSON, nil where it is no number.
func ifFinite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// Warning says that the model of a run with these options memorises, and what to try; "" where it
// does not.
func (g *Generalisation) Warning(c *Config) string {
	if g == nil || !g.Memorised {
		return ""
	}
	return fmt.Sprintf("training rows score %.2f nats a row better than %s rows, which the model does not expect: it memorises; try %s",
		g.Gap, g.Unseen.Of, c.remedy())
}

// remedy is what to try where a model memorises.
func (c *Config) remedy() string {
	var try []string
	if c.KLWeight < 1 {
		try = append(try, "--kl-weight 1")
	}
	if c.Model != model.GP && model.Treatment(c.Spectra) == model.VarFixed {
		bound := model.VarIntegrated
		if c.hasArcCosines() {
			bound = model.PriorFixed
		}
		try = append(try, "--spectra "+bound)
	} else if !c.Validates() {
		try = append(try, "--validation 0.1 --early-stop 3")
	}
	if c.Model == model.GP {
		try = append(try, "fewer --inducing")
	} else {
		try = append(try, "fewer --features", "--model gp")
	}
	last := len(try) - 1
	if last == 0 {
		return try[0]
	}
	return strings.Join(try[:last], ", ") + " or " + try[last]
}
