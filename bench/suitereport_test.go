package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// put adds a record for each value of the score that methods are ranked by, fold by fold.
func (all suiteRecords) put(set, kind, method string, others map[string]float64, values ...float64) {
	for i, v := range values {
		scores := map[string]float64{rankedBy(kind): v}
		for key, other := range others {
			scores[key] = other
		}
		r := &suiteRecord{Set: set, Fold: i + 1, Method: method,
			Command: "run --data " + set + ".csv --model " + method, Seed: 1, Date: "2026-01-01",
			stamp: stamp{Commit: "abc", Processor: "P", Threads: 2}, Limit: 60, NTrain: 400, NTest: 600, Scores: scores}
		all[r.key()] = r
	}
}

// whole gives each cell of the first folds of a kind without a record one: the methods in the order of the tables are
// 1, 2, … on each set.
func (all suiteRecords) whole(kind string) {
	for _, c := range all.without(firstFolds(kind)) {
		place := slices.IndexFunc(methodsOf(kind), func(m suiteMethod) bool { return m.name == c.method.name })
		all.put(c.set.name, c.set.predictionKind(), c.method.name, map[string]float64{"coverage90": .9},
			float64(place+1))
	}
}

// whole returns both pages.
func (p suitePage) whole() string { return p.String() + p.details() }

// The sums of the pages, on records whose figures are known.
func TestSuitePage(t *testing.T) {
	all := suiteRecords{}
	good, bad := map[string]float64{"rmse": .5, "coverage90": .9}, map[string]float64{"rmse": .6, "coverage90": .7}
	all.put("yacht", numbers, "gpdrf", good, .1, .3)
	all.put("yacht", numbers, "gp", good, .5, .7)
	all.put("yacht", numbers, "svgp", good, .2)
	all.put("autos", numbers, "gpdrf", bad, 1, 1)
	all.put("autos", numbers, "gp", good, .2, .2)
	all.put("autos", numbers, "svgp", good, .8, .8)
	all.put("iris", classes, "gpdrf", map[string]float64{"error": .1, "ece": .09}, .4)
	failed := &suiteRecord{Set: "iris", Fold: 1, Method: "gp", Error: "no factor",
		Command: "run data/iris/1 gp", Date: "2026-02-01", Limit: 60, runs: 2}
	all[failed.key()] = failed
	contains(t, newSuitePage(all).whole(),
		"13 of ", " 1 of them a failure",
		"These sets have earlier ones: iris.\n",
		"\n0 of 10 targets are met.",
		"| 90 % coverage of GP-DRF within 0.80 to 0.98 | 1 of 2 | **fail** | autos 0.700 (2) |",
		"| NLPD of GP-DRF at most that of GP + 0.05 + 2 standard errors over the folds | 1 of 2 | "+
			"**fail** | autos +0.8000 ± 0.0000 (2) |",
		"| ECE of GP-DRF at most 0.08, of folds with 500 test rows or more | 0 of 1 | **fail** | iris 0.090 (1) |",
		"of best before all others | 0 of 0 | – |  |",
		"6 of the first fold's 272 cells have a record. Ranks follow when all have.",
		"| regression (NLPD) | **GP** | 1, 0, 1 | – |",
		"| regression (NLPD) | SVGP | 1, 0, 1 | – |",
		"| regression (NLPD) | **GP-DRF** | – | – |",
		"| classification (NLL) | **GP** | 1, 0, 0 | – |",
		"| regression | **GP-DRF** | NLPD | 0.800 | autos | GP | 2 |  |",
		"| classification | **GP** | NLL | – |  |  |  | iris |",
		"| yacht | 1000 | 2 | **0.200** | 0.600 |  |  | 0.200 (1) |",
		"| iris | 1000 | 1 | **0.400** | failed |  |",
		"| servo |  |  |  |",
		"- iris, fold 1, GP: no factor",
		"- 12 cells, 2026-01-01: commit abc, seed 1, P, 2 threads. GP-DRF, GP, SVGP.\n",
		"    run ROWS --model METHOD",
	)
}

func contains(t *testing.T, text string, wanted ...string) {
	t.Helper()
	for _, want := range wanted {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
}

// Ranks, and what is said of best, on a first fold that is whole: a method that failed is last.
func TestSuiteRanks(t *testing.T) {
	all := suiteRecords{}
	all.whole(numbers)
	n := len(setsOf(numbers))
	all.put("yacht", numbers, "forest", nil, .5)
	failed := &suiteRecord{Set: "autos", Fold: 1, Method: "gpdrf", Error: "it took 50.0 s of 30 s"}
	all[failed.key()] = failed
	all[cellKey{"autos", 1, "best"}].Chosen = "gp: 0.75; gpdrf, matern32: 0.25"
	all[cellKey{"yacht", 1, "best"}].Chosen = "gpdrf: 1.00"
	methods := len(methodsOf(numbers))
	first := (float64(n-2) + 2 + float64(methods)) / float64(n) // second on yacht, last on autos
	contains(t, newSuitePage(all).whole(),
		fmt.Sprintf("Over %d sets, one fold of each; the critical difference is %.2f.", n,
			criticalDifference(methods, n)),
		fmt.Sprintf("| **GP-DRF** | %.2f |", first), "\n3 of 10 targets are met.",
		"| average NLPD rank of GP-DRF before those of SVGP, deep GP and forest, of best before all others | 3 of 4 | "+
			"**fail** | the first is GP-DRF |",
		"| NLPD or NLL of best not worse than that of GP-DRF (as counted below) | 1 of 17 | **fail** | "+
			"yacht +3.0000 (1, default alone); ",
		"| NLPD of best not worse than that of CatBoost | 17 of 17 | pass |",
		"| NLPD of best not worse than that of forest | 16 of 17 | **fail** | yacht",
		"| autos | 1 | gp: 0.75; gpdrf, matern32: 0.25 |",
	)
	delete(all, cellKey{"bike", 1, "tabm"})
	if r := newRanking(all, numbers, "nlpd"); len(r.sets) > 0 {
		t.Errorf("%d sets are ranked, and a cell is blank", len(r.sets))
	}
}

// A set of few rows is in none of the first four checks, and is in the checks of best.
func TestChecksOfSmallSets(t *testing.T) {
	all := suiteRecords{}
	for i, method := range []string{"gpdrf", "gp", "best"} {
		all.put("autos", numbers, method, map[string]float64{"coverage90": .5}, float64(i))
		r := all[cellKey{"autos", 1, method}]
		r.NTrain, r.NTest = 144, 15
	}
	contains(t, newSuitePage(all).whole(),
		fmt.Sprintf("The first four targets are on sets with\n%d rows or more, the others on all.", fewRows),
		"| 90 % coverage of GP-DRF within 0.80 to 0.98 | 0 of 0 | – |  |",
		"| NLPD of GP-DRF at most that of GP + 0.05 + 2 standard errors over the folds | 0 of 0 | – |  |",
		"| NLPD or NLL of best not worse than that of GP-DRF (as counted below) | 0 of 1 | **fail** | "+
			"autos +2.0000 (1) |",
	)
}

// Both pages agree with the records.
func TestSuiteIsCurrent(t *testing.T) {
	t.Chdir("..")
	all := must.Get(readSuite(suiteFolder, suiteSets()))(t)
	page := newSuitePage(all)
	for file, want := range map[string]string{suiteFile: page.String(), suiteDetails: page.details()} {
		text := must.Get(os.ReadFile(file))(t)
		if string(text) != want {
			t.Errorf("%s is not what the records say: go -C bench run . suite -report", file)
		}
	}
}
