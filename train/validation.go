package train

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// What an evaluation during training may cost: at most as much as the forward passes of
// validationRows·validationSamples rows, and evaluations of them where the user does not say
// otherwise.
const (
	validationRows    = 2000
	validationSamples = 8
	evaluations       = 20
)

// validator evaluates the model during a run, on rows that it is not trained on, and keeps the best
// parameters. All of it is a function of the parameters and the seed, so that a run that is
// repeated stops where it stopped.
type validator struct {
	*trainer
	*evaluator
	rows *data.Dataset // those that are evaluated

	last, best *Evaluation
	since      int  // evaluations after the best
	stopped    bool // because they were too many
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

// evaluator is what validation has on the device.
type evaluator struct {
	predictor *model.Predictor
	kept      *device.Tensor // the parameters of the best evaluation; nil where the last are wanted
}

// newEvaluator uploads rows and makes the memory for evaluations of them.
func newEvaluator(dev device.Device, m *model.Model, c *Config, rows model.Rows) *evaluator {
	e := &evaluator{predictor: m.NewPredictor(m.UploadRows(rows, nil, nil), validationSamples)}
	if c.Restore == "best" {
		e.kept = dev.New(device.Real, m.Params().Len())
	}
	return e
}

func (t *trainer) newValidator(ctx context.Context) *validator {
	v := &validator{trainer: t, rows: t.Validation.Spread(validationRows)}
	rows := model.Rows{N: v.rows.N(), X: t.trained.rows(ctx, v.rows)}
	if t.inSteps {
		rows.X, rows.Vectors = t.trained.numbers(v.rows), t.sequences.held
	}
	v.evaluator = newEvaluator(t.Device, t.model, t.Config, rows)
	return v
}

// reset forgets all evaluations.
func (v *validator) reset() {
	if v != nil {
		v.last, v.best, v.since, v.stopped = nil, nil, 0, false
	}
}

// evaluate scores the parameters of a step, and keeps them where they are the best so far. A score
// that is no number is not.
func (v *validator) evaluate(step int) error {
	p, err := v.predictor.Predict(v.Config.Seed)
	if err != nil {
		return err
	}
	e := &Evaluation{Task: v.Train.Task, Step: step}
	if s := v.trained.score(p, v.rows, 0); s.Regression != nil {
		e.Score, e.Error = s.Regression.NLPD, s.Regression.RMSE
	} else {
		e.Score, e.Error = s.Classification.NLL, s.Classification.Error
	}
	v.last, v.since = e, v.since+1
	if e.Best = e.Score < math.Inf(1) && (v.best == nil || e.Score < v.best.Score); e.Best {
		v.best, v.since = e, 0
		if v.kept != nil {
			v.Device.Copy(v.kept, v.model.Params().Value)
		}
	}
	return nil
}

// latest is the last evaluation, nil without one.
func (v *validator) latest() *Evaluation {
	if v == nil {
		return nil
	}
	return v.last
}

// patienceIsOver says whether the run is to end.
func (v *validator) patienceIsOver() bool {
	return v != nil && v.Config.EarlyStop > 0 && v.best != nil && v.since >= v.Config.EarlyStop
}

// finish puts the parameters back that the run is to leave, and says what validation came to.
func (v *validator) finish() *Validation {
	if v == nil {
		return nil
	}
	r := &Validation{
		Rows: v.Validation.N(), Evaluated: v.rows.N(), Samples: validationSamples, Every: v.Config.EvalEvery,
		Fingerprint: v.Validation.Fingerprint, Restored: "last", Step: v.last.Step, EarlyStopped: v.stopped,
	}
	e := v.last
	if v.kept != nil && v.best != nil {
		v.Device.Copy(v.model.Params().Value, v.kept)
		r.Restored, e = "best", v.best
	}
	r.Step = e.Step
	if score := e.scores(); e.Task == data.Regression {
		r.NLPD, r.RMSE = score[0], score[1]
	} else {
		r.NLL, r.Error = score[0], score[1]
	}
	return r
}

// score is the Evaluation for a Checkpoint; nil is none.
func (e *Evaluation) score() *score {
	if e == nil {
		return nil
	}
	return &score{e.Step, number(e.Score), number(e.Error), e.Best}
}

// evaluation is what score was made of.
func (s *score) evaluation(task data.Task) *Evaluation {
	if s == nil {
		return nil
	}
	return &Evaluation{Task: task, Step: s.Step, Score: float64(s.Score), Error: float64(s.Error), Best: s.Best}
}

// scores are Score and Error where they are numbers, for JSON.
func (e *Evaluation) scores() (out [2]*float64) {
	for i, v := range []float64{e.Score, e.Error} {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			out[i] = &v
		}
	}
	return out
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

// mostValidation is the largest part of the training rows that can be held out.
const mostValidation = 0.5

// validation reads the option: a fraction, or a file; 0 and "" where there is none.
func (c *Config) validation() (fraction float64, file string) {
	fraction, err := strconv.ParseFloat(c.Validation, 64)
	if err != nil {
		return 0, c.Validation
	}
	return fraction, ""
}

// Validates says whether there are validation rows.
func (c *Config) Validates() bool {
	fraction, file := c.validation()
	return fraction != 0 || file != ""
}

// checkValidation refuses options that make no sense together.
func (c *Config) checkValidation() error {
	if fraction, _ := c.validation(); !(fraction >= 0 && fraction <= mostValidation) {
		return Setting{"validation", "", c.explicit["validation"]}.errorf("%q must be a fraction of at most %g, or a file", c.Validation, mostValidation)
	}
	if c.Validates() {
		return nil
	}
	for _, o := range []struct {
		key   string
		value int
	}{{"early-stop", c.EarlyStop}, {"eval-every", c.EvalEvery}} {
		if o.value > 0 {
			return Setting{o.key, "", c.explicit[o.key]}.errorf("there are no rows to evaluate on: give --validation 0.1, or a file")
		}
	}
	return nil
}

// HoldOut takes the validation rows that the Config asks for: from the training rows, or from a
// file; held is nil where it asks for none.
func (c *Config) HoldOut(all *data.Dataset, w data.Watch) (rest, held *data.Dataset, notes []string, err error) {
	fraction, file := c.seen().validation()
	switch {
	case file != "" && all.Kernel != nil:
		return nil, nil, nil, Setting{"validation", "", c.explicit["validation"]}.errorf("the rows of %s have no kernel with the pseudo-inputs of gram, which has those of the training and the test rows alone: give a fraction of the training rows, 0.1 for example", file)
	case file != "":
		like := all.Schema()
		held, notes, err = data.ReadFile(file, data.ReadOptions{Like: &like, Watch: w})
		return all, held, notes, err
	case fraction > 0:
		if rest, held, err = data.HoldOut(all, fraction, c.Seed); err != nil {
			return nil, nil, nil, err
		}
		return rest, held, []string{fmt.Sprintf("%s: %d of %d training rows held out for validation, by the seed %d", all.Path, held.N(), all.N(), c.Seed)}, nil
	}
	return all, nil, nil, nil
}
