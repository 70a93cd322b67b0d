package rundir

import (
	"strconv"
	"time"

	"github.com/gpdrf/gpdrf-gpu/data"
)

// Progress is the state at one of the steps where numbers are read from the device.
type Progress struct {
	Step, Total int
	// Objective is ELL − KLWeight·KL: in nats for the whole training set, estimated on one batch.
	Objective, ELL, KL float64
	ObjectiveMean      *ObjectiveMean // nil before the second reading
	IsELBO             bool           // the objective is the bound
	LR                 float64
	Elapsed            time.Duration // time of the steps
	StepsPerSecond     float64
	Validation         *Evaluation // last evaluation; nil before the first
}

// Shown returns the objective for display: the mean of readings, since one batch alone varies much.
func (p *Progress) Shown() float64 {
	if p.ObjectiveMean == nil {
		return p.Objective
	}
	return p.ObjectiveMean.Mean
}

// ObjectiveMean is the mean of the last readings of the objective, each on one batch, in nats.
type ObjectiveMean struct {
	Mean     float64 `json:"mean"`
	SE       float64 `json:"se"` // standard error of the mean
	Readings int     `json:"readings"`
}

// Evaluation is the score and the error of the model on validation rows at a step: NLPD and RMSE of a regression, in
// training-sd units, or NLL and error rate of a classification. The score decides which evaluation is best.
type Evaluation struct {
	Task  data.Task  `json:"-"` // task of the rows
	Step  int        `json:"step"`
	Score JSONNumber `json:"score"`
	Error JSONNumber `json:"error"`
	Best  bool       `json:"best"` // this is the best evaluation so far
}

// JSONNumber is a number in JSON, which has no NaN and no infinities.
type JSONNumber float64

// MarshalText writes the shortest text that UnmarshalText reads as the same number.
func (n JSONNumber) MarshalText() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(n), 'g', -1, 64), nil
}

// UnmarshalText reads the text of MarshalText.
func (n *JSONNumber) UnmarshalText(text []byte) error {
	v, err := strconv.ParseFloat(string(text), 64)
	*n = JSONNumber(v)
	return err
}

// ScoreName returns the name of Score: nlpd, or nll.
func (e *Evaluation) ScoreName() string {
	if e.Task == data.Regression {
		return "nlpd"
	}
	return "nll"
}

// Scores returns Score and Error by name, for JSON: nlpd and rmse, or nll and error. Those that are not finite are nil.
func (e *Evaluation) Scores() map[string]*float64 {
	name := "error"
	if e.Task == data.Regression {
		name = "rmse"
	}
	return map[string]*float64{e.ScoreName(): ifFinite(float64(e.Score)), name: ifFinite(float64(e.Error))}
}
