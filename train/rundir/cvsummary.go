package rundir

import (
	"cmp"
	"math"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
)

// Summary holds the joint results of the finished folds of a cross-validation, by the names that
// scores have in result.json.
type Summary struct {
	Finished int                `json:"finished"` // folds
	Test     map[string]Average `json:"test,omitempty"`
	Raw      map[string]Average `json:"test_raw,omitempty"`
	Outputs  []OutputAverages   `json:"test_outputs,omitempty"` // of several targets, each
	// of the intervals or sets of one target
	Conformal map[string]Average `json:"conformal,omitempty"`
	// of all rows; nil until every row is tested once
	Pooled *Pooled `json:"pooled,omitempty"`
}

// Average is a score over folds. SE is the standard deviation over them (n−1 in the denominator)
// over √n; nil of one fold.
type Average struct {
	Mean float64  `json:"mean"`
	SE   *float64 `json:"se"`
}

// OutputAverages are the scores of one of several targets.
type OutputAverages struct {
	Target string             `json:"target"`
	Test   map[string]Average `json:"test"`
	Raw    map[string]Average `json:"test_raw"`

	Conformal map[string]Average `json:"conformal,omitempty"`
}

// Pooled are the scores of all rows as one test set, each predicted by the model of its fold. A
// regression has them in the target's own units, since the standard deviation differs between
// folds. ECE, AUC and distances describe the probabilities of one model, so they are not pooled.
type Pooled struct {
	Rows    int                  `json:"rows"`
	Scores  map[string]float64   `json:"scores"`
	Classes []metrics.ClassScore `json:"classes,omitempty"`
}

// summarise computes the Summary from the folds.
func (cv *CV) summarise() {
	cv.Summary = Summary{}
	var done []FoldRun
	for _, run := range cv.Runs {
		if run.Standing == FoldFinished {
			done = append(done, run)
		}
	}
	if cv.Finished = len(done); done == nil {
		return
	}
	cv.Test = averages(done, func(r FoldRun) any { return r.Test })
	cv.Raw = averages(done, func(r FoldRun) any { return r.Raw })
	cv.Conformal = averages(done, func(r FoldRun) any { return r.Conformal })
	for i, o := range done[0].Outputs {
		cv.Outputs = append(cv.Outputs, OutputAverages{o.Target,
			averages(done, func(r FoldRun) any { return r.Outputs[i].Test }),
			averages(done, func(r FoldRun) any { return r.Outputs[i].Raw }),
			averages(done, func(r FoldRun) any { return r.Outputs[i].Conformal })})
	}
	isCut := func(r FoldRun) bool { return r.ResultScores != nil && r.Cut != nil } // by a time limit
	if cv.Complete && !cv.OwnFolds && cv.Outputs == nil && !slices.ContainsFunc(done, isCut) {
		cv.Pooled = cv.pool(done)
	}
}

// averages are the means of every score that all folds have.
func averages(runs []FoldRun, of func(FoldRun) any) map[string]Average {
	values := map[string][]float64{}
	for _, run := range runs {
		for key, v := range fitted.NumbersOf(of(run)) {
			values[key] = append(values[key], v)
		}
	}
	out := map[string]Average{}
	for key, v := range values {
		if len(v) == len(runs) {
			out[key] = meanOf(v)
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// meanOf is the mean of v, which is exact where all are equal, as levels of intervals are.
func meanOf(v []float64) (a Average) {
	n := float64(len(v))
	a.Mean = v[0]
	for _, x := range v[1:] {
		a.Mean += (x - v[0]) / n
	}
	if n > 1 {
		sum := 0.0
		for _, x := range v {
			sum += (x - a.Mean) * (x - a.Mean)
		}
		se := math.Sqrt(sum / (n - 1) / n)
		a.SE = &se
	}
	return a
}

// weight is Σ w of the test rows of a fold.
func (r FoldRun) weight() float64 { return cmp.Or(r.Weight, float64(r.NTest)) }

// pool weighs the scores of folds by their rows.
func (cv *CV) pool(done []FoldRun) *Pooled {
	p := &Pooled{Scores: map[string]float64{}}
	total := 0.0
	for _, run := range done {
		p.Rows += run.NTest
		total += run.weight()
	}
	of := func(run FoldRun) any { return run.Raw }
	if cv.Task == data.Classification {
		of = func(run FoldRun) any { return run.Test }
	}
	var classes [][]metrics.ClassScore
	for _, run := range done {
		share := run.weight() / total
		for key, v := range fitted.NumbersOf(of(run)) {
			switch key {
			case "ece", "auc":
			case "rmse":
				p.Scores[key] += share * v * v
			default:
				p.Scores[key] += share * v
			}
		}
		if c := run.Test.Classification; c != nil {
			classes = append(classes, c.Classes)
		}
	}
	if v, is := p.Scores["rmse"]; is {
		p.Scores["rmse"] = math.Sqrt(v)
	}
	p.Classes = metrics.Merge(classes)
	return p
}
