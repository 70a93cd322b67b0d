package main

import (
	"os"
	"strings"
	"testing"
)

// put adds a record for each value of the score that methods are ranked by, fold by fold.
func (all suiteRecords) put(set, kind, method string, others map[string]float64, values ...float64) {
	for i, v := range values {
		scores := map[string]float64{rankedBy(kind): v}
		for key, other := range others {
			scores[key] = other
		}
		r := &suiteRecord{Set: set, Fold: i + 1, Method: method,
			Command: "run data/" + set + "/1 " + method, Seed: 1, Date: "2026-01-01",
			stamp: stamp{Commit: "abc", Processor: "P", Threads: 2}, Limit: 60, NTrain: 400, NTest: 600, Scores: scores}
		all[r.key()] = r
	}
}

// The page's sums, on records whose figures are known.
func TestSuitePage(t *testing.T) {
	all := suiteRecords{}
	good, bad := map[string]float64{"rmse": .5, "coverage90": .9}, map[string]float64{"rmse": .6, "coverage90": .7}
	all.put("yacht", numbers, "gpdrf", good, .1, .3)
	all.put("yacht", numbers, "gp", good, .5, .7)
	all.put("yacht", numbers, "svgp", good, .2)
	all.put("gap", numbers, "gpdrf", bad, 1, 1)
	all.put("gap", numbers, "gp", good, .2, .2)
	all.put("gap", numbers, "svgp", good, .8, .8)
	all.put("iris", classes, "gpdrf", map[string]float64{"error": .1, "ece": .09}, .4)
	failed := &suiteRecord{Set: "iris", Fold: 1, Method: "gp", Error: "no factor",
		Command: "run data/iris/1 gp", Date: "2026-02-01", Limit: 60}
	all[failed.key()] = failed
	page := newSuitePage(all)
	text := page.String()
	for _, want := range []string{
		"13 of ", " 1 of them a failure",
		"| 90 % coverage of GP-DRF within 0.80 to 0.98 | 1 of 2 | **fail** | gap 0.700 (2) |",
		"| NLPD of GP-DRF at most that of GP + 0.05 + 2 standard errors over the folds | 1 of 2 | " +
			"**fail** | gap +0.8000 ± 0.0000 (2) |",
		"| ECE of GP-DRF at most 0.08, of folds with 500 test rows or more | 0 of 1 | **fail** | iris 0.090 (1) |",
		"| average NLPD rank of GP-DRF before that of SVGP | 0 of 1 | **fail** | 2.00 beside 2.00 |",
		"| average NLPD rank of GP-DRF before that of deep GP | 0 of 0 | – |  |",
		// On fold 1 of yacht gpdrf, svgp, gp; on gap gp, svgp, gpdrf.
		"Over 2 sets, means of 1 to 2 folds; the critical difference is 2.34.",
		"| **GP-DRF** | 2.00 | 2.50 |\n",
		"| regression | **GP-DRF** | **GP** | NLPD | 1 | 0 | 1 | 2 |",
		"| regression | **GP-DRF** | SVGP | NLPD | 1 | 0 | 1 | 1 to 2 |",
		"| classification | **GP-DRF** | **GP** | NLL | 1 | 0 | 0 | 1 |",
		"| regression | **GP-DRF** | NLPD | 0.800 | gap | GP | 2 |  |",
		"| classification | **GP** | NLL | – |  |  |  | iris |",
		"| yacht | 1000 | 2 | **0.200** | 0.600 |  |  | 0.200 (1) |",
		"| iris | 1000 | 1 | **0.400** | failed |  |",
		"| autos |  |  |  |",
		"- iris, fold 1, GP: no factor",
		"- 12 cells, 2026-01-01: commit abc, 60 s of training, seed 1,\n  P, 2 threads.\n  GP-DRF, GP, SVGP.\n",
		"    run data/SET/FOLD svgp",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
}

// What is said of best, on records whose figures are known.
func TestSuiteOfBest(t *testing.T) {
	all := suiteRecords{}
	for method, values := range map[string][2]float64{
		"gpdrf": {.1, .4}, "best": {.2, .3}, "forest": {.15, .8}, "lightgbm": {.5, .5},
	} {
		all.put("yacht", numbers, method, nil, values[0])
		all.put("gap", numbers, method, nil, values[1])
	}
	all.put("gap", numbers, "ngboost", nil, .305) // within the margin of a tie
	all[cellKey{"gap", 1, "best"}].Chosen = "gp: 0.75; gpdrf, matern32: 0.25"
	text := newSuitePage(all).String()
	for _, want := range []string{
		"| NLPD or NLL of best not worse than that of GP-DRF (as counted below) | 1 of 2 | **fail** |",
		"| average NLPD rank of best before all others | 1 of 1 | pass |",
		"| NLPD of best not worse than that of LightGBM | 2 of 2 | pass |",
		"| NLPD of best not worse than that of NGBoost | 1 of 1 | pass |",
		"| NLPD of best not worse than that of forest | 1 of 2 | **fail** | yacht",
		"| regression | **best** | forest | NLPD | 1 | 0 | 1 | 1 |",
		"| gap | 1 | gp: 0.75; gpdrf, matern32: 0.25 |",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}

// docs/suite.md agrees with the records, and has a picture where there are ranks.
func TestSuiteIsCurrent(t *testing.T) {
	t.Chdir("..")
	all, err := readSuite(suiteFolder, suiteSets())
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(suiteFile)
	if err != nil {
		t.Fatal(err)
	}
	if string(text) != newSuitePage(all).String() {
		t.Errorf("%s is not what the records say: go -C bench run . suite -report", suiteFile)
	}
}
