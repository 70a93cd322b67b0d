package train

import (
	"context"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/scaling"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// ReduceColumns makes few inputs of many columns, by the training rows, as the key columns says. Fit comes after it. A
// resumed run, and one that starts at a model, keep the inputs that they began with.
func (j *Job) ReduceColumns(ctx context.Context) error {
	if j.projection != nil {
		return nil
	}
	reporter, before := j.reporter(), j.projectionBefore()
	switch {
	case before != nil && (j.From != nil || before.Components): // ridge scores of training rows are of other fits
		j.projection, j.Train = before, before.Apply(j.Train)
	case before == nil && (j.From != nil || j.Checkpoint != nil):
		return nil
	default:
		var err error
		j.projection, j.Train, err = projectColumns(ctx, j.Config, j.Train, func(share float64) {
			reporter.Doing("choosing columns", share)
		})
		if j.projection == nil || err != nil {
			return err
		}
		if j.projection.Components {
			reporter.Note("inputs: %s", j.projection)
		} else {
			reporter.Note("inputs: %s, since there are only %d training rows (%s=all keeps each column)",
				j.projection, j.Train.N(), usererror.Key("columns"))
		}
	}
	j.Config.Scaling = j.projection.Scaler.Kind
	j.Validation = j.projection.Apply(j.Validation)
	return nil
}

// projectionBefore is the projection of the model or checkpoint at which the run starts; nil if that has no
// projection.
func (j *Job) projectionBefore() *scaling.Projection {
	switch {
	case j.From != nil:
		return j.From.Projection
	case j.Checkpoint != nil:
		return j.Checkpoint.Trained.Projection
	}
	return nil
}

// projectColumns is the projection of many columns to few inputs, fitted on training rows, and the projected rows. It
// is nil if each column stays an input.
func projectColumns(ctx context.Context, c options.Config, ds *data.Dataset, doing func(share float64)) (
	*scaling.Projection, *data.Dataset, error) {
	if c.Columns == options.Components && !isTable(ds) {
		return nil, nil, c.Errorf("columns", "components is for tables of numbers alone, and %s holds others: leave it "+
			"out", ds.Path)
	}
	if c.Columns == options.AllColumns || c.Columns == options.Auto && !ds.IsWide() {
		return nil, ds, nil
	}
	scaler, err := scaling.FitScaler(c.Scaling, ds)
	if err != nil {
		return nil, nil, err
	}
	if c.Columns == options.Auto {
		return scaling.FitProjection(ctx, ds, scaler, doing)
	}
	p, _, err := scaling.FitComponents(ctx, ds, scaler)
	if err != nil {
		return nil, nil, err
	}
	if len(p.Scores) == 0 {
		return nil, nil, c.Errorf("columns", "components takes columns that differ between rows, and those of %s are "+
			"constant: leave it out", ds.Path)
	}
	return p, p.Apply(ds), nil
}

// An attempt with components may pay for more columns than these, if half as many components hold this share of their
// variance.
const (
	fewColumns     = 30
	componentShare = 0.8
)

// withComponents is the run with principal components in place of columns, on no device yet; nil if they cannot pay, or
// if the user has decided.
func (r *run) withComponents(ctx context.Context) (*run, error) {
	j := r.job
	if j.Config.Columns != options.Auto || j.projection != nil || !isTable(j.Train) || j.Train.D() <= fewColumns {
		return nil, nil
	}
	p, shares, err := scaling.FitComponents(ctx, j.Train, r.trained.Scaler)
	if err != nil {
		return nil, err
	}
	explained, half := 0.0, (j.Train.D()+1)/2
	for _, share := range shares[:min(half, len(shares))] {
		explained += share
	}
	if pays, err := r.rankZeroAnswer(explained >= componentShare); !pays || err != nil {
		return nil, err
	}
	job := *j
	job.projection, job.Train, job.Validation = p, p.Apply(j.Train), p.Apply(j.Validation)
	job.Config = j.Config.ForComponents(job.Train)
	job.Reporter = Silent{} // targets and others are as in the run with columns
	components, err := job.newRun(ctx)
	if err != nil {
		return nil, err
	}
	job.Reporter, components.clock, components.saver = j.Reporter, r.clock, r.saver
	return components, context.Cause(ctx)
}

// isTable reports whether columns of numbers are all that rows have.
func isTable(ds *data.Dataset) bool { return ds.X != nil && ds.Sequences == nil && ds.Kernel == nil }
