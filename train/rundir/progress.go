package rundir

import (
	"math"
	"time"

	"github.com/gpdrf/gpdrf-gpu/data"
)

// Progress is the state at one of the steps where numbers are read from the device.
type Progress struct {
	Step, Total int
	// nats, for the whole training set, estimated on one batch; ELBO, the objective, is ELL − KLWeight·KL
	ELBO, ELL, KL  float64
	Bound          bool // the objective is the bound
	LR             float64
	Elapsed        time.Duration // in the loop
	StepsPerSecond float64
	Validation     *Evaluation // the last one; nil before the first
}

// Evaluation is how the model did on validation rows at a step: NLPD and RMSE of a regression, in
// training-sd units, or NLL and error rate of a classification. The first of the two decides which
// is best.
type Evaluation struct {
	Task  data.Task
	Step  int
	Score float64
	Error float64
	Best  bool // so far
}

// Names are those of Score and Error: nlpd and rmse, or nll and error.
func (e *Evaluation) Names() (score, err string) {
	if e.Task == data.Regression {
		return "nlpd", "rmse"
	}
	return "nll", "error"
}

// Scores are Score and Error where they are numbers, for JSON.
func (e *Evaluation) Scores() (out [2]*float64) {
	for i, v := range []float64{e.Score, e.Error} {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			out[i] = &v
		}
	}
	return out
}
