package train

import (
	"context"

	"github.com/gpdrf/gpdrf-gpu/data"
)

// project makes few inputs of the columns of a wide table, by its training rows. A run that goes on
// has its projection.
func (j *Job) project(ctx context.Context) error {
	switch {
	case j.From != nil:
		j.projection = j.From.Trained.Projection
	case j.projection == nil && j.Config.Columns == "auto" && j.Train.IsWide():
		scaler, err := data.FitScaler(j.Config.Scaling, j.Train)
		if err != nil {
			return err
		}
		const choosing = "choosing columns"
		if j.projection, err = data.FitProjection(ctx, j.Train, scaler, func(share float64) {
			if j.Reporter != nil {
				j.Reporter.Doing(choosing, share)
			}
		}); err != nil {
			return err
		}
		j.Config = j.Config.With("scaling", scaler.Kind)
		if j.Reporter != nil {
			j.Reporter.Note("columns: the inputs are %s, which outnumber the %d training rows; "+
				"columns: all in a config file keeps each", j.projection, j.Train.N())
		}
	}
	j.Train, j.Validation = j.projection.Apply(j.Train), j.projection.Apply(j.Validation)
	return nil
}

// fitScaler scales the inputs. Components have their scale already.
func (j *Job) fitScaler() (data.Scaler, error) {
	if j.projection != nil && j.projection.Components > 0 {
		return data.FitScaler("none", j.Train)
	}
	return data.FitScaler(j.Config.Scaling, j.Train)
}
