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

// TargetKind returns the kind of the scales of a regression's targets that several models can share: log is for all
// targets or for none. A target that cannot be scaled is an error.
func (j *Job) TargetKind(ctx context.Context) (string, error) {
	r := j.newRun()
	kind, err := r.targetKind(ctx)
	if err != nil {
		return "", err
	}
	if kind == scaling.AutoTargets {
		kind = scaling.StandardTargets
	}
	_, err = r.scaleTargets(kind)
	return kind, err
}

// targetKind returns the kind of the scales of a regression's targets. It is auto only if some targets are scaled by
// their logarithms and others are not.
func (s *spec) targetKind(ctx context.Context) (string, error) {
	c := s.config
	kind := s.config.Targets
	if model.IsCountLikelihood(c.Likelihood) {
		return scaling.NoTargets, nil
	}
	if kind != scaling.AutoTargets {
		return kind, nil
	}
	scales, err := scaling.FitTargetScales(kind, s.train)
	if err != nil {
		return "", err
	}
	isLog := func(t scaling.TargetScale) bool { return t.Log }
	logs := slices.ContainsFunc(scales, isLog)
	switch {
	case !logs,
		c.Likelihood == model.StudentLikelihood, // the exponential of Student's t has no mean
		// values beside the training rows have no logarithm
		s.checkTargets(scales) != nil,
		!s.logsPredictBetter(ctx, scales):
		return scaling.StandardTargets, nil
	case !slices.ContainsFunc(scales, func(t scaling.TargetScale) bool { return !t.Log }):
		return scaling.LogTargets, nil
	}
	return kind, nil
}

// logsPredictBetter reports whether an exact GP on a few rows predicts left-out ones better with these scales than with
// standard ones, by the CRPS. A smooth target with little noise may be skewed over decades and need no logarithm: an
// error of its logarithm is a share of its largest values.
func (s *spec) logsPredictBetter(ctx context.Context, scales []scaling.TargetScale) bool {
	ds := s.train
	if !isTable(ds) {
		return false
	}
	scaler, err := s.fitScaler()
	if err != nil {
		return false
	}
	standard, err := scaling.FitTargetScales(scaling.StandardTargets, ds)
	if err != nil {
		return false
	}
	sample, _ := ds.Sample(startRows, s.config.Seed)
	crps := func(scales []scaling.TargetScale) float64 {
		t := &fitted.Model{Schema: ds.Schema().Plain(), Scaler: scaler, Targets: scales}
		rows := exactgp.Rows{N: sample.N(), D: sample.D(), T: len(scales), X: t.ScaledColumns(sample)(0, sample.N()),
			Y: scaling.Standardise(sample.Y, scales)}
		fit := exactgp.Maximise(ctx, rows)
		p := &model.Prediction{S: 1, N: rows.N, C: rows.T, H: fit.Mean, Var: fit.Var}
		return t.Score(p, sample, 0).Regression.CRPS
	}
	return crps(scales) < crps(standard)
}

// checkTargets returns the error of the first validation, conformal or test row, or row of more sets, whose target has
// no logarithm, or is no count, if the model needs that.
func (s *spec) checkTargets(scales []scaling.TargetScale, more ...*data.Dataset) error {
	for _, ds := range append(more, s.job.Validation, s.job.Conformal, s.job.Test) {
		if ds == nil {
			continue
		}
		if err := scaling.CheckPositive(ds, scales); err != nil {
			return err
		}
		if model.IsCountLikelihood(s.config.Likelihood) {
			if err := scaling.CheckCounts(ds); err != nil {
				return err
			}
		}
	}
	return nil
}

// scaleTargets fits scales of a kind to the training rows. A target of other rows that cannot be scaled is an error.
func (s *spec) scaleTargets(kind string) ([]scaling.TargetScale, error) {
	scales, err := scaling.FitTargetScales(kind, s.train)
	if err != nil {
		return nil, err
	}
	return scales, s.checkTargets(scales)
}

// fitTargets settles the scales of the targets.
func (r *run) fitTargets(ctx context.Context) error {
	kind, err := r.targetKind(ctx)
	if err != nil {
		return err
	}
	r.config.Targets = kind
	if r.trained.Targets, err = r.scaleTargets(kind); err != nil {
		return err
	}
	r.noteAll(scaling.DescribeTargets(r.train, r.trained.Targets))
	return nil
}
