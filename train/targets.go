package train

import (
	"context"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/scaling"
	"github.com/gpdrf/gpdrf-gpu/internal/exactgp"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
)

// TargetKind is the kind of the scales of a regression's targets. It is auto only if some targets are scaled by their
// logarithms and others are not.
func (j *Job) TargetKind(ctx context.Context) (string, error) {
	c, kind := j.Config, j.Config.Targets
	if model.Counts(c.Likelihood) {
		return scaling.NoTargets, nil
	}
	if kind != scaling.AutoTargets {
		return kind, nil
	}
	scales, err := scaling.FitTargets(kind, j.Train)
	if err != nil {
		return "", err
	}
	isLog := func(s scaling.TargetScale) bool { return s.Log }
	logs := slices.ContainsFunc(scales, isLog)
	switch {
	case !logs,
		c.Likelihood == model.StudentLikelihood, // the exponential of Student's t has no mean
		// values beside the training rows have no logarithm
		j.checkTargets(scales) != nil,
		!j.logsPredictBetter(ctx, scales):
		return scaling.StandardTargets, nil
	case !slices.ContainsFunc(scales, func(s scaling.TargetScale) bool { return !s.Log }):
		return scaling.LogTargets, nil
	}
	return kind, nil
}

// logsPredictBetter reports whether an exact GP on a few rows predicts left-out ones better with these scales than
// with standard ones, by the CRPS. A smooth target with little noise may be skewed over decades and need no
// logarithm: an error of its logarithm is a share of its largest values.
func (j *Job) logsPredictBetter(ctx context.Context, scales []scaling.TargetScale) bool {
	ds := j.Train
	if ds.X == nil || ds.Sequences != nil || ds.Kernel != nil {
		return false
	}
	scaler, err := j.fitScaler()
	if err != nil {
		return false
	}
	standard, err := scaling.FitTargets(scaling.StandardTargets, ds)
	if err != nil {
		return false
	}
	sample, _ := ds.Sample(startRows, j.Config.Seed)
	crps := func(scales []scaling.TargetScale) float64 {
		t := &fitted.Model{Schema: ds.Schema().Plain(), Scaler: scaler, Targets: scales}
		rows := exactgp.Rows{N: sample.N(), D: sample.D(), T: len(scales), X: t.Numbers(sample)(0, sample.N()),
			Y: scaling.Standardise(sample.Y, scales)}
		fit := exactgp.Maximise(ctx, rows)
		p := &model.Prediction{S: 1, N: rows.N, C: rows.T, H: fit.Mean, Var: fit.Var}
		return t.Score(p, sample, 0).Regression.CRPS
	}
	return crps(scales) < crps(standard)
}

// checkTargets is the error of the first validation, conformal or test row whose target has no logarithm, or is no
// count, if the model needs that.
func (j *Job) checkTargets(scales []scaling.TargetScale) error {
	for _, ds := range []*data.Dataset{j.Validation, j.Conformal, j.Test} {
		if ds == nil {
			continue
		}
		if err := scaling.Positive(ds, scales); err != nil {
			return err
		}
		if model.Counts(j.Config.Likelihood) {
			if err := scaling.Counts(ds); err != nil {
				return err
			}
		}
	}
	return nil
}

// FitTargets fits scales of a kind to the training rows. A target of other rows that cannot be scaled is an error.
func (j *Job) FitTargets(kind string) ([]scaling.TargetScale, error) {
	scales, err := scaling.FitTargets(kind, j.Train)
	if err == nil {
		err = j.checkTargets(scales)
	}
	return scales, err
}

// fitTargets settles the scales of the targets.
func (r *run) fitTargets(ctx context.Context) error {
	kind, err := r.job.TargetKind(ctx)
	if err != nil {
		return err
	}
	r.job.Config.Targets = kind
	if r.trained.Targets, err = r.job.FitTargets(kind); err != nil {
		return err
	}
	r.job.noteAll(scaling.DescribeTargets(r.job.Train, r.trained.Targets))
	return nil
}
