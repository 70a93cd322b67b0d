package rundir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// Version is the version of the program, without build details.
const Version = "0.2.0"

// Result is result.json: the facts of a run, and its scores on its test rows.
type Result struct {
	Version string    `json:"version"`
	Data    string    `json:"data"`            // name of the data set
	Folds   int       `json:"folds,omitempty"` // as in Config
	Fold    int       `json:"fold,omitempty"`  // as in Config: the test fold
	Task    data.Task `json:"task"`
	// the task chosen for whole numbers, and how to change it
	TaskNote  string `json:"task_note,omitempty"`
	Model     string `json:"model"`
	Preset    string `json:"preset"`
	From      string `json:"from,omitempty"` // the run at whose model this one started
	Device    string `json:"device"`
	Precision string `json:"precision"` // of its arithmetic
	Seed      uint64 `json:"seed"`
	// where train ran: relative paths of the configuration start there
	Folder    string  `json:"folder"`
	NTrain    int     `json:"n_train"`
	NTest     int     `json:"n_test"`
	Steps     int     `json:"steps"`   // done
	Seconds   float64 `json:"seconds"` // of training, without data and evaluation
	Objective string  `json:"objective"`
	KLWeight  float64 `json:"kl_weight"`
	// ELBO is the objective at the parameters that the run has kept, nats, estimated on its last
	// batch: the bound only where Objective says ELBO.
	ELBO        float64     `json:"elbo"`
	Recent      *Recent     `json:"objective_mean,omitempty"` // nil of a few steps, and of earlier programs
	Rising      bool        `json:"elbo_rising,omitempty"`    // it still rose when training ended
	Parameters  int         `json:"parameters"`
	Temperature float64     `json:"temperature,omitempty"` // of predictions
	Interrupted bool        `json:"interrupted"`
	Unfinished  bool        `json:"unfinished,omitempty"`        // as of a checkpoint
	Failure     string      `json:"evaluation_failed,omitempty"` // why there are no scores
	Fingerprint Fingerprint `json:"fingerprint"`
	Validation  *Validation `json:"validation,omitempty"`

	Generalisation *Generalisation `json:"generalisation,omitempty"`
	fitted.ResultScores
}

// ObjectiveText is the objective and its value, as train has shown it last, by the text of a number.
func (r *Result) ObjectiveText(number func(float64) string) string {
	if r.Recent == nil {
		return fmt.Sprintf("%s: %s, on one batch", r.Objective, number(r.ELBO))
	}
	return fmt.Sprintf("%s: %s ± %s, by its last %d readings", r.Objective, number(r.Recent.Mean),
		number(r.Recent.SE), r.Recent.Readings)
}

// Rising is the warning of an objective that still rose when training ended.
const Rising = "warning: the objective was still rising when training ended: more --steps or a longer --time-limit " +
	"would help"

// Fingerprint holds the SHA-256 of the values of the two sets.
type Fingerprint struct {
	Train string `json:"train"`
	Test  string `json:"test"`
}

// Untested is the Failure of a result that is written before the test, and stays where the test was
// killed.
const Untested = "the command ended before the test"

// JSON is a result, or an evaluation, as text.
func JSON(v any) ([]byte, error) {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("the scores are no numbers: %w", err)
	}
	return append(text, '\n'), nil
}

// JSONTo is a function for atomicfile.WriteFile that writes v as JSON.
func JSONTo(v any) func(io.Writer) error {
	return func(w io.Writer) error {
		text, err := JSON(v)
		if err == nil {
			_, err = w.Write(text)
		}
		return err
	}
}

// Validation is the block of result.json about it: the scores of the parameters that the run has
// kept.
type Validation struct {
	Rows         int      `json:"rows"`
	Evaluated    int      `json:"evaluated"` // of them, each time
	Samples      int      `json:"samples"`
	Every        int      `json:"every"` // steps
	Fingerprint  string   `json:"fingerprint"`
	Restored     string   `json:"restored"` // best, last
	Step         int      `json:"step"`     // whose parameters these are
	NLPD         *float64 `json:"nlpd,omitempty"`
	RMSE         *float64 `json:"rmse,omitempty"`
	NLL          *float64 `json:"nll,omitempty"`
	Error        *float64 `json:"error,omitempty"`
	EarlyStopped bool     `json:"early_stopped"`
}

// Generalisation is the block of result.json that compares training rows with rows that the model
// has not seen: those of validation, or else those of the test.
type Generalisation struct {
	Seen   Compared `json:"seen"`
	Unseen Compared `json:"unseen"`
	// mean log density of seen rows less that of unseen ones, nats
	Gap       float64  `json:"gap"`
	GapSE     *float64 `json:"gap_se"`    // its standard error; nil where a kind has a single row
	Memorised bool     `json:"memorised"` // as metrics.Memorised has it
}

// Compared is how the model did on the rows of a kind. Log densities are in nats a row, of targets
// in training-sd units or of labels; of several targets they are the mean of each target's.
type Compared struct {
	Of         string   `json:"of,omitempty"` // of unseen rows: validation, test
	Rows       int      `json:"rows"`
	LogDensity float64  `json:"log_density"` // the mean over the rows
	SE         *float64 `json:"se"`          // its standard error; nil of a single row
	// the value that the model expected, by metrics.Densities
	Expected float64 `json:"expected"`
}

// NewGeneralisation compares the log densities of training rows with those of others, test or
// validation rows. Those that are no numbers are an error.
func NewGeneralisation(of string, seen, unseen metrics.Densities) (*Generalisation, error) {
	gap, se := metrics.Gap(seen, unseen)
	g := &Generalisation{
		Seen: compare("", seen), Unseen: compare(of, unseen),
		Gap: gap, GapSE: ifFinite(se), Memorised: metrics.Memorised(seen, unseen),
	}
	for _, v := range []float64{g.Seen.LogDensity, g.Seen.Expected, g.Unseen.LogDensity, g.Unseen.Expected, gap} {
		if ifFinite(v) == nil {
			return nil, errors.New("a log density is no number")
		}
	}
	return g, nil
}

func compare(of string, d metrics.Densities) Compared {
	mean, se := d.Weights.MeanError(d.Log)
	expected, _ := d.Weights.MeanError(d.Expected)
	return Compared{of, len(d.Log), mean, ifFinite(se), expected}
}

// ifFinite is v for JSON, nil where it is no number.
func ifFinite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// Warning says that the model of a run with these options memorises, with advice; "" where it
// does not.
func (g *Generalisation) Warning(c *options.Config) string {
	if g == nil || !g.Memorised {
		return ""
	}
	return fmt.Sprintf("training rows score %.2f nats a row better than %s rows, and the model does "+
		"not expect that: it memorises; try %s",
		g.Gap, g.Unseen.Of, c.Remedy())
}
