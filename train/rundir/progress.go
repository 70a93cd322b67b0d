package rundir

import (
	"strconv"
	"time"

	"github.com/gpdrf/gpdrf-gpu/data"
)

// Progress is the state at one of the steps where numbers are read from the device.
type Progress struct {
	Step, Total int
	// nats, for the whole training set, estimated on one batch; ELBO, the objective, is ELL − KLWeight·KL
	ELBO, ELL, KL  float64
	Recent         *Recent // nil before the second reading
	Bound          bool    // the objective is the bound
	LR             float64
	Elapsed        time.Duration // in the loop
	StepsPerSecond float64
	Validation     *Evaluation // the last one; nil before the first
}

// Objective is the objective as people see it: one batch alone says little.
func (p *Progress) Objective() float64 {
	if p.Recent == nil {
		return p.ELBO
	}
	return p.Recent.Mean
}

// Recent is the objective by its last readings, each on one batch, in nats.
type Recent struct {
	Mean     float64 `json:"mean"`
	SE       float64 `json:"se"` // standard error of the mean
	Readings int     `json:"readings"`
}

// Evaluation is how the model did on validation rows at a step: NLPD and RMSE of a regression, in
// training-sd units, or NLL and error rate of a classification. The first of the two decides which
// is best.
type Evaluation struct {
	Task  data.Task `json:"-"` // that of the rows
	Step  int       `json:"step"`
	Score Number    `json:"score"`
	Error Number    `json:"error"`
	Best  bool      `json:"best"` // so far
}

// Number is a number in JSON, which has no NaN and no infinities.
type Number float64

// MarshalText is exact.
func (n Number) MarshalText() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(n), 'g', -1, 64), nil
}

// UnmarshalText reads what MarshalText has written.
func (n *Number) UnmarshalText(text []byte) error {
	v, err := strconv.ParseFloat(string(text), 64)
	*n = Number(v)
	return err
}

// Names are the names of Score and Error: nlpd and rmse, or nll and error.
func (e *Evaluation) Names() (score, err string) {
	if e.Task == data.Regression {
		return "nlpd", "rmse"
	}
	return "nll", "error"
}

// Scores are Score and Error where they are numbers, for JSON.
func (e *Evaluation) Scores() (out [2]*float64) {
	return [2]*float64{ifFinite(float64(e.Score)), ifFinite(float64(e.Error))}
}
