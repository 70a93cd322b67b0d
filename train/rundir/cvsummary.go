package rundir

import (
	"cmp"
	"math"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
)

// Summary holds the joint results of the finished folds of a cross-validation, by the keys of result.json.
type Summary struct {
	Finished int                `json:"finished"` // number of finished folds
	Test     map[string]Average `json:"test,omitempty"`
	Raw      map[string]Average `json:"test_raw,omitempty"`
	Outputs  []OutputAverages   `json:"test_outputs,omitempty"` // averages of each of several targets
	// averages for the intervals or sets of one target
	Conformal map[string]Average `json:"conformal,omitempty"`
	// scores of all rows; nil until every row is tested once
	Pooled *Pooled `json:"pooled,omitempty"`
}

// Average is the mean of a score over folds. SE is its standard error: the standard deviation over the n folds, with
// n−1 in the denominator, divided by √n; nil for one fold.
type Average struct {
	Mean float64  `json:"mean"`
	SE   *float64 `json:"se"`
}

// OutputAverages are the averages of the scores of one of several targets.
type OutputAverages struct {
	Target string             `json:"target"`
	Test   map[string]Average `json:"test"`
	Raw    map[string]Average `json:"test_raw"`

	Conformal map[string]Average `json:"conformal,omitempty"`
}

// Pooled are the scores of all rows as one test set, each predicted by the model of its fold. Scores of a regression
// are in the target's own units, since the standard deviation differs between folds. ECE, AUC and distances describe
// one model, so they are not pooled.
type Pooled struct {
	Rows    int                  `json:"rows"`
	Scores  map[string]float64   `json:"scores"`
	Classes []metrics.ClassScore `json:"classes,omitempty"`
}

// summarise computes the Summary from the folds.
func (cv *CV) summarise() {
	cv.Summary = Summary{}
	finished := slices.DeleteFunc(slices.Clone(cv.Runs), func(r FoldRun) bool { return r.Status != FoldFinished })
	if cv.Finished = len(finished); cv.Finished == 0 {
		return
	}
	cv.Test = averages(finished, func(r FoldRun) any { return r.TestScores })
	cv.Raw = averages(finished, func(r FoldRun) any { return r.Raw })
	cv.Conformal = averages(finished, func(r FoldRun) any { return r.Conformal })
	for i, o := range finished[0].Outputs {
		cv.Outputs = append(cv.Outputs, OutputAverages{o.Target,
			averages(finished, func(r FoldRun) any { return r.Outputs[i].Test }),
			averages(finished, func(r FoldRun) any { return r.Outputs[i].Raw }),
			averages(finished, func(r FoldRun) any { return r.Outputs[i].Conformal })})
	}
	isCut := func(r FoldRun) bool { return r.ResultScores != nil && r.Cut != nil } // a time limit has cut the test
	if cv.Complete && !cv.OwnFolds && cv.Outputs == nil && !slices.ContainsFunc(finished, isCut) {
		cv.Pooled = cv.pool(finished)
	}
}

// averages returns the averages of the scores that all folds have.
func averages(runs []FoldRun, scores func(FoldRun) any) map[string]Average {
	values := map[string][]float64{}
	for _, run := range runs {
		for key, v := range fitted.ScoresByName(scores(run)) {
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

// meanOf returns the Average of v. Its mean is exact if all values are equal, as levels of intervals are.
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
		a.SE = new(math.Sqrt(sum / (n - 1) / n))
	}
	return a
}

// weight returns Σ w of the test rows of a fold.
func (r FoldRun) weight() float64 { return cmp.Or(r.Weight, float64(r.NTest)) }

// pool weighs the scores of folds by their rows.
func (cv *CV) pool(finished []FoldRun) *Pooled {
	p := &Pooled{Scores: map[string]float64{}}
	total := 0.0
	for _, run := range finished {
		p.Rows += run.NTest
		total += run.weight()
	}
	scores := func(run FoldRun) any { return run.Raw }
	if cv.Task == data.Classification {
		scores = func(run FoldRun) any { return run.TestScores }
	}
	var classes [][]metrics.ClassScore
	for _, run := range finished {
		share := run.weight() / total
		for key, v := range fitted.ScoresByName(scores(run)) {
			switch key {
			case "ece", "auc":
			case "rmse":
				p.Scores[key] += share * v * v
			default:
				p.Scores[key] += share * v
			}
		}
		if c := run.TestScores.Classification; c != nil {
			classes = append(classes, c.Classes)
		}
	}
	if v, ok := p.Scores["rmse"]; ok {
		p.Scores["rmse"] = math.Sqrt(v)
	}
	p.Classes = metrics.MergeClassScores(classes)
	return p
}
