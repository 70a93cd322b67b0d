package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// wants reports the texts that a page lacks, or has though it must not.
func wants(t *testing.T, page string, has, lacks []string) {
	t.Helper()
	joined := strings.Join(strings.Fields(page), " ")
	for _, text := range has {
		if !strings.Contains(joined, text) {
			t.Errorf("the page lacks %s", text)
		}
	}
	for _, text := range lacks {
		if strings.Contains(joined, text) {
			t.Errorf("the page has %s", text)
		}
	}
	if t.Failed() {
		t.Log(page)
	}
}

// A win, a loss and a failure, on records that lack most cells: there are no ranks, nor claims. Then the others are
// filled in.
func TestEvidenceOfSome(t *testing.T) {
	all := suiteRecords{}
	all.put("yacht", numbers, "gpdrf", map[string]float64{"coverage90": .9, "rmse": .2}, .1, .3)
	all.put("yacht", numbers, "svgp", map[string]float64{"rmse": .1}, .5, .7)
	all.put("autos", numbers, "gpdrf", map[string]float64{"coverage90": .8, "rmse": .2}, 1, 1.2)
	all.put("autos", numbers, "svgp", map[string]float64{"rmse": .1}, .2, .6)
	all.put("solar", numbers, "gpdrf", map[string]float64{"coverage90": .7, "rmse": .2}, .5)
	all.put("solar", numbers, "svgp", map[string]float64{"rmse": .3}, .1)
	all.put("iris", classes, "gpdrf", nil, .4)
	failed := &suiteRecord{Set: "iris", Fold: 1, Method: "lightgbm", Error: "no tree", Limit: 60}
	all[failed.key()] = failed
	for _, r := range all {
		r.Took, r.Memory = 50, 2e8
	}
	page := evidencePage{suite: newSuitePage(all)}
	cells, recorded := page.firstFoldCells()
	if recorded != 8 {
		t.Errorf("%d cells of fold 1 are recorded", recorded)
	}
	wants(t, page.String(), []string{
		fmt.Sprintf("So far 8 of %d cells of fold 1 have a record, which is too few for a summary.", len(cells)),
		"1 failed", "There are no ranks before all cells",
		"| POWERPLANT | 3 folds | RMSE | not run | not run | | 0.194 |",
	}, []string{"rank |", "Where it", "rival", "NaN", "the first of"})
	for _, kind := range kindsOfSets {
		all.whole(kind)
	}
	page.suite = newSuitePage(all)
	wants(t, page.String(), []string{
		"hold 88.2 ± 1.3 % of the test rows, a mean over 17 tables.",
		"| autos | 1000 | NLPD | +0.7000 ± 0.1000, 2 folds | SVGP |",
		"| solar | 1000 | NLPD | +0.4000, one fold | SVGP |",
	}, []string{"NaN", "too few"})
}

// A method is farthest ahead where ours failed, too, if another of them failed before it.
func TestHardOfFailures(t *testing.T) {
	all := suiteRecords{}
	for _, name := range []string{"gpdrf", "svgp"} {
		r := &suiteRecord{Set: "yacht", Fold: 1, Method: name, Error: "no factor"}
		all[r.key()] = r
	}
	all.put("yacht", numbers, "lightgbm", nil, .5)
	hard := evidencePage{suite: newSuitePage(all)}.hard(numbers)
	if len(hard) != 1 || hard[0].other.name != "lightgbm" || hard[0].result != 2 {
		t.Errorf("%+v", hard)
	}
}

// With all cells of fold 1 there are ranks, and the page of everything stays short.
func TestEvidenceOfAll(t *testing.T) {
	all := suiteRecords{}
	for _, c := range suiteCells(suiteSets(), func(suiteMethod) bool { return true }, 1) {
		score := .5
		switch {
		case c.method.name == "gpdrf" && c.set.name != "pol":
			score = .2
		case c.method.name == "lightgbm" && c.set.name == "pol":
			score = .1
		}
		all.put(c.set.name, c.set.predictionKind(), c.method.name, map[string]float64{"coverage90": .9}, score)
		all[c.key()].Took, all[c.key()].Memory = 60, 2e8
	}
	page := evidencePage{suite: newSuitePage(all), runs: recordsByName{}, reach: reachRecords{}}
	for _, s := range paperSets() {
		for i, r := range append(s.rowsOf(defaultLabel), s.rowsOf("gpdrf")...) {
			page.runs[r.name()] = &record{Test: map[string]any{s.scores[0].key: .1 + float64(i)/100}}
		}
	}
	for _, s := range setsOf(numbers)[:maxReached] {
		for repeat := 1; repeat <= reachRepeats; repeat++ {
			for _, method := range append(reachPeers, "gpdrf") {
				page.reach[reachRow(s.name, method, 1, repeat).line()] = &record{Test: map[string]any{"nlpd": .3,
					"wall_seconds": float64(repeat), "cpu_seconds": 4.}}
			}
		}
	}
	d := &board{says: "a board", ours: "gpdrf", score: "NLPD", command: "python board.py"}
	for _, line := range []string{`{"set": "kin", "model": "gpdrf", "split": 0, "nlpd": 0.5}`,
		`{"set": "kin", "model": "gp", "split": 0, "nlpd": 0.1}`,
		`{"set": "kin", "model": "gp", "split": 1, "nlpd": 0.1}`,
		`{"set": "kin", "model": "gpdrf", "split": 1, "nlpd": 0.7}`, `{"set": "naval", "model": "gp", "nlpd": 1}`} {
		must.OK(t, d.read([]byte(line)))
	}
	page.boards = []*board{d}
	text, n := page.String(), len(setsOf(numbers))
	wants(t, text, []string{
		"| rank |", fmt.Sprintf("Ranks for numbers are averages over %d sets.", n), "| **GP-DRF** | | | 1.",
		"30 s below 5000 training rows, else 60 s",
		fmt.Sprintf("better than every other program: on %d of %d tables.", n-1, n),
		"| pol | 1000 | NLPD | +0.4000, one fold | LightGBM |",
		fmt.Sprintf("| LightGBM | %d, 0, 1 |", n-1), "200 MB |", "and at most 200 MB.",
		"| yacht | SVGP | 3.0 (1.0 to 5.0), 4 | 3.0 (1.0 to 5.0), 4 |",
		"A board, NLPD beside gp: better on 0, equal on 0 and worse on 1. The largest loss is on kin: " +
			"+0.5000 ± 0.1000, 2",
		"| POWERPLANT | 3 folds | RMSE | 0.1100 ± 0.0058 | 0.1400 ± 0.0058 | −0.0300 ± 0.0000 | 0.194 |",
	}, []string{"no ranks", "So far", "not fair", "not run", "NaN", "\\n"})
	words := 0
	for word := range strings.FieldsSeq(text) {
		if strings.ContainsFunc(word, unicode.IsLetter) {
			words++
		}
	}
	if words > 900 {
		t.Errorf("the page has %d words", words)
	}
}

// docs/evidence.md, docs/best.md and the README agree with the records.
func TestEvidenceIsCurrent(t *testing.T) {
	t.Chdir("..")
	page := must.Get(readEvidence())(t)
	text, err := os.ReadFile(evidenceFile)
	must.OK(t, err)
	if string(text) != page.String() {
		t.Errorf("%s is not what the records say: go -C bench run . evidence", evidenceFile)
	}
	suite := string(must.Get(os.ReadFile("docs/suite.md"))(t))
	met := regexp.MustCompile(`\d+ of \d+ targets are met`).FindString(suite)
	must.Contain(t, string(must.Get(os.ReadFile("README.md"))(t)),
		strings.Replace(met, "targets", "[targets](docs/suite.md#targets)", 1))
	for path, says := range map[string]string{"README.md": page.rivals(), "docs/best.md": page.bestSummary()} {
		if text, err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
		want := strings.Join(strings.Fields(says), " ")
		if !strings.Contains(strings.Join(strings.Fields(string(text)), " "), want) {
			t.Errorf("%s lacks %s", path, want)
		}
	}
}
