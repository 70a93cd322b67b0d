package train

import (
	"context"
	"math"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/options"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// validator evaluates the model during a run on rows that it is not trained on, and keeps the best parameters. All of
// it is a function of the parameters and the seed, so that a repeated run stops at the same step.
type validator struct {
	run       *run
	evaluator *evaluator      // part on the device
	rows      *data.Dataset   // rows that are evaluated
	part      fitted.RankRows // this rank's part of the rows

	last, best *rundir.Evaluation
	sinceBest  int // number of evaluations after the best
}

// evaluator is the part of a validator on the device.
type evaluator struct {
	predictor *model.Predictor
	kept      *device.Tensor // parameters of the best evaluation; nil if the run keeps the last
}

// newEvaluator uploads rows, and allocates the memory for their evaluation.
func newEvaluator(dev device.Device, m *model.Model, c options.Config, rows model.HostRows) *evaluator {
	e := &evaluator{predictor: m.NewPredictor(m.UploadRows(rows, nil, nil), options.ValidationSamples)}
	if c.Restore == options.RestoreBest {
		e.kept = dev.New(device.Real, m.Params().Len())
	}
	return e
}

// evaluationRows returns the validation rows that are evaluated, and this rank's part of them.
func (s *spec) evaluationRows() (rows *data.Dataset, part fitted.RankRows) {
	rows = s.validation.EvenlySpaced(options.ValidationRows)
	return rows, fitted.RankRowsOf(s.job.ranks(), rows.N())
}

func (r *run) newValidator(ctx context.Context) *validator {
	all, part := r.evaluationRows()
	own := part.Of(all)
	rows := model.HostRows{N: own.N(), X: r.trained.Inputs(ctx, own)}
	if r.distancesInSteps {
		rows.X, rows.Features = r.trained.ScaledColumns(own), r.sequences.validation
	}
	v := &validator{run: r, evaluator: newEvaluator(r.job.Device, r.step.Model, r.config, rows), rows: all, part: part}
	v.evaluator.predictor.SolveRows(func(int) bool { return ctx.Err() == nil })
	return v
}

// reset forgets all evaluations.
func (v *validator) reset() {
	if v != nil {
		v.last, v.best, v.sinceBest = nil, nil, 0
	}
}

// evaluate scores the parameters of a step, and keeps them if they are the best so far. A score that is NaN is never
// the best.
func (v *validator) evaluate(step int) error {
	p, err := v.evaluator.predictor.Predict(v.run.config.Seed)
	if err != nil {
		return err
	}
	if p, err = v.part.Join(p); err != nil {
		return err
	}
	p.AddOffset(v.rows.Offset)
	e := &rundir.Evaluation{Task: v.run.train.Task, Step: step}
	if s := v.run.trained.Score(p, v.rows, 0); s.Regression != nil {
		e.Score, e.Error = rundir.JSONNumber(s.Regression.NLPD), rundir.JSONNumber(s.Regression.RMSE)
	} else {
		e.Score, e.Error = rundir.JSONNumber(s.Classification.NLL), rundir.JSONNumber(s.Classification.Error)
	}
	v.last, v.sinceBest = e, v.sinceBest+1
	if e.Best = float64(e.Score) < math.Inf(1) && (v.best == nil || e.Score < v.best.Score); e.Best {
		v.best, v.sinceBest = e, 0
		if v.evaluator.kept != nil {
			v.run.job.Device.Copy(v.evaluator.kept, v.run.step.Model.Params().Value)
		}
	}
	return nil
}

// latest returns the last evaluation, nil without one.
func (v *validator) latest() *rundir.Evaluation {
	if v == nil {
		return nil
	}
	return v.last
}

// patienceIsOver reports whether the run is to end, since evaluations have not improved.
func (v *validator) patienceIsOver() bool {
	return v != nil && v.run.config.EarlyStop > 0 && v.best != nil && v.sinceBest >= v.run.config.EarlyStop
}

// finish restores the parameters that the run keeps, and returns the result of the validation.
func (v *validator) finish(end StopReason) *rundir.Validation {
	if v == nil {
		return nil
	}
	r := &rundir.Validation{
		Rows: v.run.validation.N(), Evaluated: v.rows.N(), Samples: options.ValidationSamples,
		Every:       v.run.config.EvalEvery,
		Fingerprint: v.run.validation.Fingerprint, Restored: options.RestoreLast, EarlyStopped: end == EarlyStop,
	}
	e := v.last
	if v.evaluator.kept != nil && v.best != nil {
		v.run.job.Device.Copy(v.run.step.Model.Params().Value, v.evaluator.kept)
		r.Restored, e = options.RestoreBest, v.best
	}
	r.Step = e.Step
	s := e.Scores()
	r.NLPD, r.RMSE, r.NLL, r.Error = s["nlpd"], s["rmse"], s["nll"], s["error"]
	return r
}
