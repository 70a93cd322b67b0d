package main

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// predicted writes a fold with these targets and predictions, and scores them.
func predicted(t *testing.T, kind, train, test, lines string) (map[string]float64, error) {
	t.Helper()
	folder := t.TempDir()
	table := func(targets string) string {
		return "x1,target\n0," + strings.Join(strings.Fields(targets), "\n0,") + "\n"
	}
	file := filepath.Join(folder, "p.csv")
	for path, text := range map[string]string{filepath.Join(folder, "train.csv"): table(train),
		filepath.Join(folder, "test.csv"): table(test), file: lines} {
		must.OK(t, writeText(path, text))
	}
	p, err := readPredictions(folder, file, kind)
	if err != nil {
		return nil, err
	}
	return p.scores()
}

func near(t *testing.T, scores map[string]float64, key string, want float64) {
	t.Helper()
	if got, ok := scores[key]; !ok || math.Abs(got-want) > 1e-9 {
		t.Errorf("%s is %g, expected %g", key, got, want)
	}
}

// Training targets 8, 10, 12 have the mean 10 and the deviation 2.
func TestScoresOfNumbers(t *testing.T) {
	// each a deviation away
	scores, err := predicted(t, numbers, "8 10 12", "10 14", "12,2\n12,2\n")
	must.OK(t, err)
	near(t, scores, "rmse", 1)
	near(t, scores, "nlpd", 0.5*math.Log(2*math.Pi)+0.5)
	near(t, scores, "coverage90", 1)
	scores, err = predicted(t, numbers, "8 10 12", "10", "8,12,2,2\n") // two components
	must.OK(t, err)
	near(t, scores, "rmse", 0)
	near(t, scores, "nlpd", 0.5*math.Log(2*math.Pi)+0.5)
}

func TestScoresOfClasses(t *testing.T) {
	scores := must.Get(predicted(t, classes, "0 1 2", "0 1 2", "0.5,0.25,0.25\n0.25,0.5,0.25\n1,0,0\n"))(t)
	near(t, scores, "error", 1.0/3)
	near(t, scores, "nll", (2*math.Ln2-math.Log(minProbability)+math.Log1p(2*minProbability))/3)
}

func TestPredictionsThatAreNone(t *testing.T) {
	for _, c := range []struct{ kind, test, lines, want string }{
		{numbers, "1 2", "1,1\n", "1 rows are predicted, 2 are there"},
		{numbers, "1", "1,0\n", "the standard deviation of test row 1 is 0"},
		{numbers, "1", "1,1,1\n", "not means and as many"},
		{numbers, "1", "nan,1\n", "is NaN"},
		{numbers, "1 2", "1,1\n1\n", "has 1 values"},
		{numbers, "1", "a,1\n", "p.csv:1"},
		{classes, "0", "0.5,0.2\n", "add up to 0.7"},
		{classes, "2", "0.5,0.5\n", "class 2 of test row 1"},
	} {
		if _, err := predicted(t, c.kind, "0 1 2", c.test, c.lines); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, expected %s", c.lines, err, c.want)
		}
	}
}
