package train

import (
	"context"

	"github.com/gpdrf/gpdrf-gpu/data"
)

// project makes few inputs of the columns of a wide table, by its training rows. A resumed run
// keeps its first choice.
func (j *Job) project(ctx context.Context) error {
	if j.Start != nil && j.projection == nil && j.Start.Projection != nil {
		j.projection = j.Start.Projection
		j.Train, j.Validation = j.projection.Apply(j.Train), j.projection.Apply(j.Validation)
	}
	begun := j.Start != nil || j.From != nil && j.From.Trained.Projection == nil
	if j.projection != nil || begun || j.Config.Columns != "auto" || !j.Train.IsWide() {
		return nil
	}
	scaler, err := data.FitScaler(j.Config.Scaling, j.Train)
	if err != nil {
		return err
	}
	reporter := j.Reporter
	if reporter == nil {
		reporter = silent{}
	}
	before := j.Train.N()
	j.projection, j.Train, err = data.FitProjection(ctx, j.Train, scaler, func(share float64) {
		reporter.Doing("choosing columns", share)
	})
	if err != nil {
		return err
	}
	j.Config = j.Config.With("scaling", scaler.Kind)
	j.Validation = j.projection.Apply(j.Validation)
	reporter.Note("inputs: %s, since there are only %d training rows; columns: all in a config file keeps each column",
		j.projection, before)
	return nil
}

// fitScaler scales the inputs: scores have no outliers, or few.
func (j *Job) fitScaler() (data.Scaler, error) {
	if j.projection != nil {
		return data.FitScaler("standard", j.Train)
	}
	return data.FitScaler(j.Config.Scaling, j.Train)
}
