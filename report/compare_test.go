package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// Runs are compared on the rows that both have: a time limit may have cut the test of one.
func TestPairedRowsAreTheSame(t *testing.T) {
	run := func(density []float64, numbers ...int) *Run {
		r := made(t, data.Regression, 1, 1, func(int, int) float64 { return 0 })
		r.Rows = &TestRows{Number: numbers, Targets: []Target{{True: density, Mean: density, LogDensity: density}}}
		return r
	}
	a, b := run([]float64{1, 2, 3, 4}, 1, 3, 5, 7), run([]float64{9, 2.5, 3.5}, 2, 3, 5)
	for k, runs := range [][2]*Run{{a, b}, {b, a}} {
		p := Compare(runs[0], runs[1]).Paired
		want := []float64{0.5, -0.5}[k]
		if p == nil || p.Rows != 2 || p.LogDensity.Mean != want {
			t.Errorf("%+v, expected 2 rows and %g", p, want)
		}
	}
	if c := Compare(a, run([]float64{1}, 4)); c.Paired != nil || c.Unpaired == "" {
		t.Errorf("no row in common: %+v", c)
	}
}

// Rows of a fold have other numbers than the same rows in a file of their own.
func TestPairedRowsOfAFold(t *testing.T) {
	run := func(folds int, density []float64, numbers ...int) *Run {
		r := made(t, data.Regression, 1, 1, func(int, int) float64 { return 0 })
		r.Result.Folds = folds
		r.Result.NTest = 3
		r.Rows = &TestRows{Number: numbers, Targets: []Target{{True: density, Mean: density, LogDensity: density}}}
		return r
	}
	fold, file := run(5, []float64{1, 2, 3}, 2, 3, 9), run(0, []float64{1.5, 2.5, 3.5}, 1, 2, 3)
	for k, runs := range [][2]*Run{{fold, file}, {file, fold}} {
		p := Compare(runs[0], runs[1]).Paired
		want := []float64{0.5, -0.5}[k]
		if p == nil || p.Rows != 3 || p.LogDensity.Mean != want || p.LogDensity.SE != 0 {
			t.Errorf("%+v, expected 3 rows and %g", p, want)
		}
	}
	short := run(0, []float64{1.5, 3.5}, 1, 3)
	short.Result.Cut = &fitted.Cut{Rows: 2}
	c := Compare(fold, short)
	if c.Paired != nil || c.Unpaired == "" || !strings.Contains(c.Cut, "3 of 3 test rows in A, and of 2 of 3 in B") {
		t.Errorf("a test that was cut: %+v", c)
	}
}

// Whole tests are paired in their order: one more training row changes the numbers of the rows after it.
func TestPairedRowsOfALongerFile(t *testing.T) {
	run := func(density []float64, numbers ...int) *Run {
		r := made(t, data.Regression, 1, 1, func(int, int) float64 { return 0 })
		r.Result.Folds = 5
		r.Rows = &TestRows{Number: numbers, Targets: []Target{{True: density, Mean: density, LogDensity: density}}}
		return r
	}
	a, b := run([]float64{1, 2, 3}, 2, 3, 4), run([]float64{1.5, 2.5, 3.5}, 3, 4, 5)
	if p := Compare(a, b).Paired; p == nil || p.Rows != 3 || p.LogDensity.Mean != 0.5 {
		t.Errorf("%+v, expected 3 rows and 0.5", p)
	}
}

// One row has no standard error.
func TestDifferenceOfOneRow(t *testing.T) {
	if got := difference([]float64{0.25}).String(); got != "+0.2500 ± unknown" {
		t.Errorf("got %s", got)
	}
}

// Scores of counts are compared with those in own units, and not with those in training-sd units.
func TestCountsBesideNumbers(t *testing.T) {
	run := func(measure string, test, raw metrics.Regression) *Run {
		r := made(t, data.Regression, 2, 1, func(_, row int) float64 { return float64(row) })
		r.Result.Measure, r.Result.TestScores.Regression, r.Result.Raw = measure, &test, &raw
		return r
	}
	counts := metrics.Regression{RMSE: 3, NLPD: 2}
	a := run(fitted.CountingMeasure, counts, counts)
	b := run("", metrics.Regression{RMSE: 0.5, NLPD: 0.9}, metrics.Regression{RMSE: 4, NLPD: 3})
	want := []ScorePair{{"RMSE, own units", 3, 4}, {"NLPD, own units", 2, 3}, {"90 % coverage", 0, 0}}
	if got := Compare(a, b).Scores; !slices.Equal(got, want) {
		t.Errorf("%v, expected %v", got, want)
	}
}

// A file without folds has no option about them.
func TestOptionListsWithoutFolds(t *testing.T) {
	c := must.Get(options.Resolve(nil, []options.Setting{{Key: "fold", Text: "0"}}))(t)
	for _, list := range OptionLists(c, nil) {
		for _, o := range list.Options {
			if o.Key == "fold" {
				t.Errorf("%s: fold %s", list.Title, o.Text)
			}
		}
	}
}
