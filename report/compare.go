package report

import (
	"fmt"
	"math"

	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/internal/stats"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// Comparison lists the differences between two runs.
type Comparison struct {
	A        string             `json:"a"`        // folder of the first run
	B        string             `json:"b"`        // folder of the second run
	Settings []OptionPair       `json:"settings"` // options that differ
	Scores   []ScorePair        `json:"scores"`
	Cut      string             `json:"cut,omitempty"`      // numbers of scored test rows of a test that was cut
	Paired   *PairedDifferences `json:"paired,omitempty"`   // comparison over rows that both have predicted
	Unpaired string             `json:"unpaired,omitempty"` // reason why Paired is nil
}

// OptionPair is an option with its values in the two runs.
type OptionPair struct {
	Key string `json:"key"`
	A   string `json:"a"`
	B   string `json:"b"`

	Settled bool `json:"settled,omitempty"` // both runs settled it: the user gave it to neither
}

// ScorePair is a score with its values in the two runs.
type ScorePair struct {
	Name string  `json:"name"`
	A    float64 `json:"a"`
	B    float64 `json:"b"`
}

// PairedDifferences compares predictions row by row. A difference is B's less A's, averaged over the rows, with its
// standard error.
type PairedDifferences struct {
	Rows int `json:"rows"` // number of rows
	// LogDensity is in nats a row, for targets in their own units. If it is above 0, B is better.
	LogDensity Difference `json:"log_density"`
	// Absolute is the mean absolute error of a regression, in own units. If it is below 0, B is better.
	Absolute *Difference `json:"absolute_error,omitempty"`
	// OnlyA and OnlyB are the numbers of rows that only A, or only B, has right in a classification.
	OnlyA *int `json:"only_a_right,omitempty"`
	OnlyB *int `json:"only_b_right,omitempty"`
}

// Difference is a mean with its standard error.
type Difference struct {
	Mean float64 `json:"mean"`
	SE   float64 `json:"se"`
}

// String formats the difference, such as +0.0123 ± 0.0045.
func (d Difference) String() string {
	if d.SE == math.MaxFloat64 { // it is the difference of a single row
		return fmt.Sprintf("%+.4f ± unknown", d.Mean)
	}
	return fmt.Sprintf("%+.4f ± %.4f", d.Mean, d.SE)
}

// Compare lists the differences of two runs in options and scores. If both have predictions of the same rows, it also
// compares these row by row.
func Compare(a, b *Run) *Comparison {
	c := &Comparison{A: a.Path, B: b.Path}
	for _, o := range options.Options() {
		if x, y := a.option(o), b.option(o); x != y {
			settled := isSettled(a.History, o.Key) && isSettled(b.History, o.Key)
			c.Settings = append(c.Settings, OptionPair{o.Key, x, y, settled})
		}
	}
	values := map[string]float64{}
	for _, s := range b.scores() {
		values[s.Name] = s.value
	}
	for _, s := range a.scores() {
		if v, ok := values[s.Name]; ok {
			c.Scores = append(c.Scores, ScorePair{s.Name, s.value, v})
		}
	}
	if a.Result.Cut != nil || b.Result.Cut != nil {
		c.Cut = fmt.Sprintf("a time limit cut a test: the scores are of %d of %d test rows in A, and of %d of %d in "+
			"B; only rows of both are a fair comparison", a.scored(), a.Result.NTest, b.scored(), b.Result.NTest)
	}
	switch {
	case a.Result.Task != b.Result.Task:
		c.Unpaired = "one is a regression, the other a classification"
	case a.Result.Fingerprint.Test != b.Result.Fingerprint.Test:
		c.Unpaired = "they were not tested on the same rows"
	case a.Rows == nil:
		c.Unpaired = a.Path + " holds no predictions"
	case b.Rows == nil:
		c.Unpaired = b.Path + " holds no predictions"
	default:
		if x, y := common(a, b); len(x) > 0 {
			c.Paired = paired(a.Rows, b.Rows, x, y)
		} else {
			c.Unpaired = "their tests were cut, and no row is known to be in both"
		}
	}
	return c
}

// scored returns the number of test rows that were scored.
func (r *Run) scored() int { return r.Result.Scored(r.Result.NTest) }

// option returns the value of an option; none if the model does not have it.
func (r *Run) option(o options.Option) string {
	if !o.Applies(r.Config.Model) {
		return none
	}
	return r.Config.Text(o.Key)
}

// common returns the indices in a and in b of the rows that both have. Whole tests have the same rows in one order; a
// test that was cut has fewer. Rows have their numbers in the file, those of folds in older runs, too.
func common(a, b *Run) (x, y []int) {
	n := len(a.Rows.Number)
	if a.Result.Cut == nil && b.Result.Cut == nil && len(b.Rows.Number) == n {
		x = thinned(n, n)
		return x, x
	}
	if (a.Result.Folds > 0) != (b.Result.Folds > 0) {
		return nil, nil
	}
	place := make(map[int]int, len(b.Rows.Number))
	for i, number := range b.Rows.Number {
		place[number] = i
	}
	for i, number := range a.Rows.Number {
		if k, both := place[number]; both {
			x, y = append(x, i), append(y, k)
		}
	}
	return x, y
}

// paired compares the rows x of a with the rows y of b, which are the same rows of a test set.
func paired(a, b *TestRows, x, y []int) *PairedDifferences {
	density := gather(b.density(), y)
	for i, v := range gather(a.density(), x) {
		density[i] -= v
	}
	p := &PairedDifferences{Rows: len(x), LogDensity: difference(density)}
	if a.Classes != nil {
		p.OnlyA, p.OnlyB = new(int), new(int)
		for i := range x {
			label := a.Classes.True[x[i]]
			switch byA, byB := a.Classes.Predicted[x[i]] == label, b.Classes.Predicted[y[i]] == label; {
			case byA && !byB:
				*p.OnlyA++
			case byB && !byA:
				*p.OnlyB++
			}
		}
	} else if len(a.Targets) == 1 {
		off := make([]float64, len(x))
		for i := range off {
			truth := a.Targets[0].True[x[i]]
			off[i] = math.Abs(b.Targets[0].Mean[y[i]]-truth) - math.Abs(a.Targets[0].Mean[x[i]]-truth)
		}
		p.Absolute = new(difference(off))
	}
	return p
}

func difference(of []float64) Difference {
	mean, se := metrics.MeanStdErr(of)
	if !stats.IsFinite(se) {
		se = math.MaxFloat64 // one row has no standard error, and JSON has no NaN
	}
	return Difference{mean, se}
}
