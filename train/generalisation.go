package train

import (
	"context"
	"math"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/options"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// MeasureGeneralisation compares training rows with validation rows or, if there are none, with the test rows of
// scores. It is nil without either. Log densities that are not finite are an error. Soon after ctx ends, its cause is
// the error.
func (j *Job) MeasureGeneralisation(ctx context.Context, t *fitted.Model,
	scores *fitted.Scores) (*rundir.Generalisation, error) {
	unseenKind, unseen := "test", scores.Densities
	var err error
	switch {
	case j.Validation != nil:
		unseenKind = "validation"
		if unseen, err = j.sampleDensities(ctx, t, j.Validation); err != nil {
			return nil, err
		}
	case j.testRows() == 0:
		return nil, nil
	}
	seen, err := j.sampleDensities(ctx, t, j.Train)
	if err != nil {
		return nil, err
	}
	constant := math.NaN() // stays NaN for weights of rows or classes, and for counts
	if j.Train.Weights == nil && j.Config.ClassWeights != options.Balanced && !t.PredictsCounts() {
		sample, _ := j.Train.Sample(fitted.ComparedRows, t.Seed)
		constant = t.BaselineLogDensity(sample)
	}
	return rundir.NewGeneralisation(unseenKind, seen, unseen, constant)
}

// otherPredictedRows returns the number of rows that calibrate, fitConformal and MeasureGeneralisation predict.
func (j *Job) otherPredictedRows() (rows int) {
	if j.Conformal != nil {
		rows = j.Conformal.N()
	}
	if j.Validation == nil && j.Test == nil {
		return rows // there is nothing to compare with
	}
	rows += min(j.Train.N(), fitted.ComparedRows)
	if j.Validation != nil {
		rows += min(j.Validation.N(), fitted.ComparedRows) + min(j.Validation.N(), options.ValidationRows)
	}
	return rows
}

// sampleDensities returns the log densities of a sample of rows, predicted in the same way as an evaluation.
func (j *Job) sampleDensities(ctx context.Context, t *fitted.Model, ds *data.Dataset) (metrics.Densities, error) {
	sample, _ := ds.Sample(fitted.ComparedRows, t.Seed)
	p, err := t.Predict(ctx, j.Device, sample, j.Config.EvalSamples)
	if err != nil {
		return metrics.Densities{}, err
	}
	return t.LogDensities(p, sample, j.Config.PredictDraws), nil
}
