package rundir

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/internal/stats"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// Result is the content of result.json: the facts of a run, and its scores on its test rows.
type Result struct {
	Version string    `json:"version"`
	Data    string    `json:"data"`            // name of the data set
	Folds   int       `json:"folds,omitempty"` // as in Config
	Fold    int       `json:"fold,omitempty"`  // as in Config: the test fold
	Task    data.Task `json:"task"`
	// note on the task that was chosen for whole numbers, and on the option that changes it
	TaskNote  string `json:"task_note,omitempty"`
	Model     string `json:"model"`
	Preset    string `json:"preset"`
	From      string `json:"from,omitempty"` // the run at whose model this one started
	Device    string `json:"device"`
	Precision string `json:"precision"` // precision of the arithmetic
	Seed      uint64 `json:"seed"`
	// working directory of train, in which relative paths of the configuration start
	Folder    string  `json:"folder"`
	NTrain    int     `json:"n_train"`
	NTest     int     `json:"n_test"`
	Steps     int     `json:"steps"`   // number of steps that are done
	Seconds   float64 `json:"seconds"` // time of training with its attempts, without data and evaluation
	Objective string  `json:"objective"`
	KLWeight  float64 `json:"kl_weight"`
	// ELBO is the objective, in nats, at the parameters that the run has kept, estimated on its last batch. It is the
	// bound only if Objective is ELBO.
	ELBO          float64        `json:"elbo"`
	ObjectiveMean *ObjectiveMean `json:"objective_mean,omitempty"` // nil after few steps, and in older results
	Rising        bool           `json:"elbo_rising,omitempty"`    // the objective still rose when training ended
	Parameters    int            `json:"parameters"`
	Temperature   float64        `json:"temperature,omitempty"` // temperature of predictions
	Interrupted   bool           `json:"interrupted"`
	Unfinished    bool           `json:"unfinished,omitempty"`        // the result of a checkpoint
	Failure       string         `json:"evaluation_failed,omitempty"` // reason why there are no scores
	Fingerprint   Fingerprint    `json:"fingerprint"`
	Validation    *Validation    `json:"validation,omitempty"`

	Generalisation *Generalisation `json:"generalisation,omitempty"`
	fitted.ResultScores
}

// ObjectiveText returns the objective and its value as train has shown it last; number formats a value.
func (r *Result) ObjectiveText(number func(float64) string) string {
	if r.ObjectiveMean == nil {
		return fmt.Sprintf("%s: %s, on one batch", r.Objective, number(r.ELBO))
	}
	return fmt.Sprintf("%s: %s ± %s, by its last %d readings", r.Objective, number(r.ObjectiveMean.Mean),
		number(r.ObjectiveMean.SE), r.ObjectiveMean.Readings)
}

// RisingWarning returns the warning of an objective that still rose when training ended. It names steps only where the
// user gave them: they switch off the attempts.
func RisingWarning(c options.Config) string {
	how := usererror.Flag("time-limit")
	if c.Explicit("steps") {
		how = usererror.Flag("steps") + " or " + how
	}
	return "the objective was still rising when training ended: a longer run, by " + how + ", would help"
}

// Fingerprint holds the SHA-256 of the values of the training set and of the test set.
type Fingerprint struct {
	Train string `json:"train"`
	Test  string `json:"test"`
}

// Untested is the Failure of a result that is written before the test. It stays if the test is killed.
const Untested = "the command ended before the test"

// CheckScores refuses scores that are not numbers: JSON cannot hold them.
func CheckScores(s fitted.ResultScores) error {
	if _, err := json.Marshal(s); err != nil {
		return fmt.Errorf("the scores are not numbers: %w", err)
	}
	return nil
}

// Validation is the block "validation" of result.json: the scores of the parameters that the run has kept.
type Validation struct {
	Rows         int      `json:"rows"`
	Evaluated    int      `json:"evaluated"` // number of rows in each evaluation
	Samples      int      `json:"samples"`
	Every        int      `json:"every"` // number of steps between evaluations
	Fingerprint  string   `json:"fingerprint"`
	Restored     string   `json:"restored"` // best, last
	Step         int      `json:"step"`     // step of these parameters
	NLPD         *float64 `json:"nlpd,omitempty"`
	RMSE         *float64 `json:"rmse,omitempty"`
	NLL          *float64 `json:"nll,omitempty"`
	Error        *float64 `json:"error,omitempty"`
	EarlyStopped bool     `json:"early_stopped"`
}

// Generalisation is the block of result.json that compares training rows with rows that the model has not seen:
// validation rows or, if there are none, test rows.
type Generalisation struct {
	Seen   MeanLogDensity `json:"seen"`
	Unseen MeanLogDensity `json:"unseen"`
	// mean log density of seen rows minus that of unseen ones, in nats
	Gap       float64  `json:"gap"`
	GapSE     *float64 `json:"gap_se"`    // standard error of Gap; nil if there is a single seen or unseen row
	Memorised bool     `json:"memorised"` // result of metrics.Memorised
	// log density of the seen rows under one prediction for all of them: a normal, or the shares of classes; nil for
	// counts and rows with weights
	Constant *float64 `json:"constant,omitempty"`
}

// MeanLogDensity is the mean log density of seen or of unseen rows. It is in nats a row, of targets in training-sd
// units or of labels; for several targets, it is the mean over the targets.
type MeanLogDensity struct {
	Of         string   `json:"of,omitempty"` // kind of unseen rows: validation, test
	Rows       int      `json:"rows"`
	LogDensity float64  `json:"log_density"` // mean over the rows
	SE         *float64 `json:"se"`          // standard error of LogDensity; nil for a single row
	// log density that the model expected, by metrics.Densities
	Expected float64 `json:"expected"`
}

// NewGeneralisation compares the log densities of training rows with those of unseen rows, whose kind is test or
// validation. constant is the Constant of the result; NaN for none. Log densities that are not finite are an error.
func NewGeneralisation(unseenKind string, seen, unseen metrics.Densities, constant float64) (*Generalisation, error) {
	gap, se := metrics.GeneralisationGap(seen, unseen)
	g := &Generalisation{
		Seen: compare("", seen), Unseen: compare(unseenKind, unseen),
		Gap: gap, GapSE: ifFinite(se), Memorised: metrics.Memorised(seen, unseen), Constant: ifFinite(constant),
	}
	for _, v := range []float64{g.Seen.LogDensity, g.Seen.Expected, g.Unseen.LogDensity, g.Unseen.Expected, gap} {
		if ifFinite(v) == nil {
			return nil, errors.New("a log density is not a number")
		}
	}
	return g, nil
}

func compare(kind string, d metrics.Densities) MeanLogDensity {
	mean, se := d.Weights.MeanStdErr(d.Log)
	expected, _ := d.Weights.MeanStdErr(d.Expected)
	return MeanLogDensity{kind, len(d.Log), mean, ifFinite(se), expected}
}

// ifFinite returns v for JSON; nil if it is not finite.
func ifFinite(v float64) *float64 {
	if !stats.IsFinite(v) {
		return nil
	}
	return &v
}

// Warning returns the warning that the model of a run with these options memorises, or finds nothing in the inputs,
// with advice; "" if neither is so.
func (g *Generalisation) Warning(c options.Config) string {
	switch {
	case g == nil:
	case g.Memorised:
		return fmt.Sprintf("training rows score %.2f nats a row better than %s rows, and the model does "+
			"not expect that: it memorises; try %s",
			g.Gap, g.Unseen.Of, c.Remedy())
	case g.Constant != nil && g.Seen.LogDensity <= *g.Constant:
		return "the model predicts its training rows no better than one prediction for all of them would: it has " +
			"found nothing in the inputs; see whether they have to do with the target, or try more steps or another " +
			usererror.Key("scaling")
	}
	return ""
}
