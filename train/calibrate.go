package train

import (
	"context"
	"math"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// calibrate fits the temperature to the validation rows, unless it is given or attempts have fitted it. After Ctrl-C it
// is 1. Counts have no temperature: their noise follows from their rates.
func (r *run) calibrate(ctx context.Context, out *Outcome) error {
	if !r.calibrates(out) {
		return nil
	}
	if out.StopReason == Interrupted {
		r.keepTemperatureOne(out)
		return nil
	}
	rows := r.validation.EvenlySpaced(options.ValidationRows)
	p, err := out.Trained.Predict(ctx, r.job.Device, rows, r.config.EvalSamples)
	if err != nil {
		return err
	}
	t, plainMean, temperedMean := Scored{{out.Trained, p, rows}}.FitTemperature()
	if t != 1 {
		out.Trained.Config.Temperature = t
		r.reporter.Note("temperature %.2f, by %d validation rows: log density %.4f in place of %.4f", t, p.N,
			temperedMean, plainMean)
	}
	out.Config.Temperature = t
	return nil
}

// calibrates reports whether the temperature is open.
func (r *run) calibrates(out *Outcome) bool {
	return r.validation != nil && out.Config.Temperature == 0 && !out.Trained.PredictsCounts()
}

// keepTemperatureOne sets the temperature to 1 if it is still open.
func (r *run) keepTemperatureOne(out *Outcome) {
	if r.calibrates(out) {
		out.Config.Temperature = 1
	}
}

// Scored is parts of the rows, each with the prediction of a model that has not seen them.
type Scored []ScoredRows

// ScoredRows is rows, and their prediction by a model.
type ScoredRows struct {
	Model      *fitted.Model
	Prediction *model.Prediction
	Rows       *data.Dataset
}

// FitTemperature returns the temperature that fits the predictions, or 1 if it does not make the rows likelier by more
// than the standard error. It also returns their mean log density without it and with it. The bound pays for large
// logits, so that a classifier which is almost always right is less sure than it could be. And a model of few numbers
// is too sure.
func (all Scored) FitTemperature() (t, plainMean, temperedMean float64) {
	var w metrics.Weights
	for _, s := range all {
		w = append(w, s.Rows.Weights...)
	}
	t, plainLogs, temperedLogs := metrics.FitTemperature(all.logs, w)
	if !w.BetterByOneSE(temperedLogs, plainLogs) {
		t, temperedLogs = 1, plainLogs
	}
	plainMean, _ = w.MeanStdErr(plainLogs)
	temperedMean, _ = w.MeanStdErr(temperedLogs)
	return t, plainMean, temperedMean
}

// logs returns the log densities of all rows at temperature t.
func (all Scored) logs(t float64) (logs []float64) {
	for _, s := range all {
		p, rows := s.Prediction, s.Rows
		if rows.Task == data.Classification { // this makes no copy of the logits, which may be large
			logs = append(logs, metrics.LabelLogProbabilities(p.H, p.S, p.N, p.C, 1/t, rows.Labels)...)
		} else {
			logs = append(logs, s.Model.LogDensities(p.Tempered(t), rows, 0).Log...)
		}
	}
	return logs
}

// rmse returns the RMSE of all rows, in training-sd units; 0 for classes.
func (all Scored) rmse() float64 {
	square, n := 0.0, 0.0
	for _, s := range all {
		if s.Rows.Task == data.Regression {
			rmse, rows := s.Model.RMSE(s.Prediction, s.Rows), float64(s.Rows.N())
			square, n = square+rows*rmse*rmse, n+rows
		}
	}
	return math.Sqrt(square / max(1, n))
}

// fitConformal scores the rows that were held out for intervals, once all else is settled. After Ctrl-C there are no
// intervals.
func (r *run) fitConformal(ctx context.Context, out *Outcome) error {
	if r.job.Conformal == nil || out.StopReason == Interrupted {
		return nil
	}
	return out.Trained.FitConformal(ctx, r.job.Device, r.job.Conformal, r.config.Level)
}
