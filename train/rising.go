package train

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
)

// An objective is called rising if its mean over the last quarter of the steps exceeds that over the
// second one, by these nats for each number of the targets, and by these standard errors. The decay
// of the learning rate quiets the end of every run; one that was long enough has come closer to
// rest than that before half of its steps were over.
const (
	risingNats   = 0.25
	risingErrors = 2
	trendless    = 6 // the variance of second differences of readings, in variances of one
)

// rising reports whether the objective of a run that was not stopped still rose at its end.
func (r *run) rising() bool {
	v := r.out.Validation
	switch {
	case r.out.End != Finished && r.out.End != TimeLimit:
		return false
	case r.job.Config.RowsChoseLength, v != nil && v.Step < r.out.Steps: // more steps have made it no better
		return false
	}
	targets := float64(r.job.Train.N() * len(r.trained.Schema.Outputs()))
	return stillRising(r.readings, r.out.Steps/reportEvery, targets)
}

// stillRising compares quarters of n readings, as far as they are there, of an objective.
func stillRising(readings []float64, n int, targets float64) bool {
	quarter := n / 4
	if quarter == 0 || len(readings) < 3*quarter {
		return false
	}
	late := readings[len(readings)-3*quarter:]
	before, _ := metrics.MeanError(late[:quarter])
	last, _ := metrics.MeanError(late[2*quarter:])
	squares := 0.0 // of second differences, in which a steady rise leaves no trace
	for i := 2; i < len(late); i++ {
		d := late[i] - 2*late[i-1] + late[i-2]
		squares += d * d
	}
	sd := math.Sqrt(squares / float64(max(1, len(late)-2)) / trendless)
	rise := last - before
	return rise > risingNats*targets && rise > risingErrors*sd*math.Sqrt(2/float64(quarter))
}
