package gpdrf_test

import (
	"strings"
	"testing"

	gpdrf "github.com/gpdrf/gpdrf-gpu"
)

// Errors and notes name the fields of this package, and no flags but those of the command alone.
func TestWords(t *testing.T) {
	rows := gpdrf.Rows{Columns: []string{"a"}, Inputs: [][]float64{{1}, {2}, {3}, {4}, {5}, {6}}}
	numbers, classes := rows, rows
	numbers.Values = []float64{1, 3, 2, 5, 4, 6}
	classes.Classes = []string{"low", "high", "low", "high", "low", "high"}
	small := map[string]string{"eval-samples": "10"}
	for want, c := range map[string]struct {
		rows gpdrf.Rows
		o    gpdrf.Options
	}{
		"is of the levels of Options.Likelihood ordinal": {classes,
			gpdrf.Options{Set: map[string]string{"order": "low,high"}}},
		`with Options.Set["order"] = "LOW,…,HIGH"`: {classes, gpdrf.Options{Likelihood: "ordinal"}},
		"weight its rows with Rows.Weights": {numbers,
			gpdrf.Options{Set: map[string]string{"class-weights": "balanced"}}},
		"gpdrf.Options: level: is that of conformal intervals: give Options.Conformal, too": {numbers,
			gpdrf.Options{Set: map[string]string{"level": "0.9"}}},
		"give Options.Validation 0.1": {numbers, gpdrf.Options{Set: map[string]string{"early-stop": "3"}}},
	} {
		_, err := gpdrf.Train(t.Context(), c.rows, c.o)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "--") {
			t.Errorf("%v, want %s", err, want)
		}
	}
	train := func(rows gpdrf.Rows) *gpdrf.Model {
		m, err := gpdrf.Train(t.Context(), rows, gpdrf.Options{Kind: gpdrf.GP, Steps: 2, Set: small,
			Note: func(line string) {
				if strings.Contains(line, "--") {
					t.Errorf("note %q", line)
				}
			}})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	m := train(classes)
	for want, s := range map[string]gpdrf.Search{"Search.How ei: is for numbers": {How: "ei"},
		"Search.Minimize: is for": {Minimize: true}, "at least as many as Search.Batch 10": {}} {
		if _, err := m.Suggest(t.Context(), rows, s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	p, err := m.Predict(t.Context(), rows)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Set(0, 0.9); err == nil || !strings.Contains(err.Error(), "train it with Options.Conformal") {
		t.Error(err)
	}
}

// A row that a prediction does not have is an error, of intervals and of sets.
func TestNoSuchRow(t *testing.T) {
	var numbers, classes gpdrf.Rows
	for i := range 40 {
		numbers.Inputs = append(numbers.Inputs, []float64{float64(i)})
		numbers.Values = append(numbers.Values, float64(i*7%11))
		classes.Classes = append(classes.Classes, []string{"low", "high"}[i/3%2])
	}
	classes.Inputs = numbers.Inputs
	for _, rows := range []gpdrf.Rows{numbers, classes} {
		m, err := gpdrf.Train(t.Context(), rows, gpdrf.Options{Kind: gpdrf.GP, Steps: 2, Conformal: true,
			Set: map[string]string{"eval-samples": "10", "level": "0.5"}})
		if err != nil {
			t.Fatal(err)
		}
		p, err := m.Predict(t.Context(), gpdrf.Rows{Inputs: rows.Inputs[:3]})
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range []int{-1, 3} {
			if rows.Classes != nil {
				_, err = p.Set(i, 0.5)
			} else {
				_, _, err = p.Interval(i, 0.5)
			}
			if err == nil || !strings.Contains(err.Error(), "of a prediction of 3 rows: they count from 0") {
				t.Errorf("row %d: %v", i, err)
			}
		}
	}
}
