package main

import (
	"errors"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// Every row is a command that train understands, under a different name.
func TestRowsAreCommands(t *testing.T) {
	names := map[string]bool{}
	for _, r := range rows() {
		if names[r.name()] {
			t.Errorf("two rows have the name %s", r.name())
		}
		names[r.name()] = true
		words := strings.Fields(r.command())
		if len(words) < 2 || words[0] != "gpdrf-gpu" || words[1] != "train" {
			t.Fatalf("%s: %s", r.name(), r.command())
		}
		var settings []options.Setting
		for i := 2; i < len(words); i++ {
			key, value, ok := strings.Cut(strings.TrimPrefix(words[i], "--"), "=")
			switch {
			case ok:
			case i+1 < len(words) && !strings.HasPrefix(words[i+1], "--"):
				i++
				value = words[i]
			default:
				value = "true"
			}
			settings = append(settings, options.Setting{Key: key, Text: value, From: r.name()})
		}
		if _, err := options.Resolve(nil, settings); err != nil {
			t.Errorf("%s: %v", r.command(), err)
		}
	}
}

// A row that fails is named, and those after it run and are kept; a record of other settings does not count.
func TestRecords(t *testing.T) {
	folder := t.TempDir()
	some := sets()[0].rowsOf("gp")
	failed := runAll(some, folder, false, stamp{}, func(r row) (*record, error) {
		if r.number == 2 {
			return nil, errors.New("no memory")
		}
		return &record{Test: map[string]any{"rmse": 0.5}}, nil
	})
	if want := []string{"powerplant/gp-2: no memory"}; !slices.Equal(failed, want) {
		t.Errorf("failed: %q, expected %q", failed, want)
	}
	all, err := readRecords(folder, some)
	if err != nil || len(all) != 2 || all["powerplant/gp-1"] == nil || all["powerplant/gp-3"] == nil {
		t.Fatalf("%v, %v", all, err)
	}
	if _, ok := all.complete(some); ok {
		t.Error("a missing row counts as run")
	}
	other := sets()[0]
	other.args += " --seed 2"
	if all, err = readRecords(folder, other.rowsOf("gp")); err != nil || len(all) != 0 {
		t.Errorf("records of other settings count: %v, %v", all, err)
	}
	again := &record{Command: some[0].command(), Date: "2026-01-02"}
	must.OK(t, again.write(folder, some[0]))
	if all, err = readRecords(folder, some); err != nil || len(all) != 2 ||
		all["powerplant/gp-1"].Date != "2026-01-02" {
		t.Errorf("a row that was run again: %v, %v", all, err)
	}
	file := groupFile(folder, "powerplant")
	text, err := os.ReadFile(file)
	if err != nil || strings.Count(string(text), "\n") != 2 {
		t.Errorf("%q, %v", text, err)
	}
	must.OK(t, os.WriteFile(file, append(text, '{'), 0o666))
	if _, err := readRecords(folder, some); err == nil || !strings.Contains(err.Error(), "powerplant.jsonl:3: ") {
		t.Errorf("a damaged record: %v", err)
	}
}

// recorded adds a record for each fold of a model, with these values of rmse and nlpd.
func recorded(all recordsByName, s set, model string, rmse, nlpd []float64) {
	for i, r := range s.rowsOf(model) {
		all[r.name()] = &record{Command: r.command(), Date: "2026-01-01", Seconds: float64(10 * i), NTest: 99,
			Test: map[string]any{"rmse": rmse[i], "nlpd": nlpd[i], "coverage90": 0.9}}
	}
}

// The report's sums, on figures whose means and errors are known.
func TestReport(t *testing.T) {
	s := sets()[0]
	all := recordsByName{}
	recorded(all, s, "gp", []float64{.3, .2, .1}, []float64{1, 2, 3})
	recorded(all, s, "drf", []float64{.4, .4, .4}, []float64{0, 0, 0})
	recorded(all, s, "gpdrf", []float64{.31, .19, .1}, []float64{-.5, -.25, 0})
	text := joined(report(all, notes{}))
	for _, want := range []string{
		// mean .2, and √(((.11)² + (.01)² + (.1)²)/2/3)
		"| **GP-DRF** | mean | **0.2000** ± 0.0608 | **−0.2500** ± 0.1443 | **0.9000** ± 0.0000 | | | 10 |",
		"| [POWERPLANT](results/powerplant.md) | 3 folds | RMSE | 0.207 | 0.201 | 0.194 | – | 0.2000 | " +
			"0.4000 | **0.2000** | ≤ 0.21 | yes |",
		"| [POWERPLANT](results/powerplant.md) | 3 folds | NLPD |  |  |  | – | 2.0000 | 0.0000 | " +
			"**−0.2500** | ≤ −0.1 | yes |",
		// +.01, −.01, 0 over the folds
		"| POWERPLANT | RMSE | GP | 0.2000 | 0.2000 | +0.0000 ± 0.0058 | equal |",
		"| POWERPLANT | NLPD | DRF | 0.0000 | −0.2500 | −0.2500 ± 0.1443 | **better** |",
		"| PROTEIN | RMSE | – | – | – | – | not run yet |",
		"| GP | 1, 2, 3 | not run yet | | | | | |",
		"for k in 1 2 3; do gpdrf-gpu train --data powerplant --fold $k --model gpdrf --steps 20000 " +
			"--kernel matern32 --set features-kernel=matern32 --set natgrad=0.1 --set skip=true --spectra " +
			"var-fixed --features 200; done",
		"Not run yet:",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %s", want)
		}
	}
	delete(all, s.rowsOf("gpdrf")[1].name())
	text = joined(report(all, notes{}))
	for _, want := range []string{"| GP-DRF | 2 | not run yet |",
		"| 0.2000 | 0.4000 | – | ≤ 0.21 |  |",
		"for k in 1 3; do gpdrf-gpu train --data powerplant --fold $k --model gpdrf"} {
		if !strings.Contains(text, want) {
			t.Errorf("with a fold missing, the report lacks %s", want)
		}
	}
}

func TestVerdict(t *testing.T) {
	between := target{key: "coverage90", from: .87, to: .93}
	for _, c := range []struct {
		t    target
		v    float64
		want string
	}{
		{atMost("rmse", .21, .195), .22, "no"}, {atMost("rmse", .21, .195), .2, "yes"},
		{atMost("rmse", .21, .195), .19, "yes, and ≤ 0.195"},
		{between, .86, "no"}, {between, .9, "yes"}, {between, .94, "no"}, {atMost("rmse", .21, 0), math.NaN(), "no"},
	} {
		if got := c.t.verdict(c.v); got != c.want {
			t.Errorf("%v of %v: %s, expected %s", c.v, c.t, got, c.want)
		}
	}
}

// joined returns the texts of all pages.
func joined(pages map[string]string) string {
	return strings.Join(slices.Sorted(maps.Values(pages)), "")
}

// docs/results.md and its pages agree with the records and the notes, and there are no others.
func TestResultsAreCurrent(t *testing.T) {
	t.Chdir("..")
	all := must.Get(readRecords(recordsFolder, allRows()))(t)
	words := must.Get(readNotes(notesFile))(t)
	pages := report(all, words)
	for path, want := range pages {
		if text, err := os.ReadFile(path); err != nil || string(text) != want {
			t.Errorf("%s is not what the rows, their records and the notes say: make results ROWS='^$' (%v)", path, err)
		}
	}
	files := must.Get(filepath.Glob(pageFile("*")))(t)
	for _, file := range files {
		if _, ok := pages[file]; !ok {
			t.Errorf("no page is written to %s", file)
		}
	}
	text := joined(pages)
	for heading, part := range words {
		if part == "" || !strings.Contains(text, part) {
			t.Errorf("%s: no page has the part %q", notesFile, heading)
		}
	}
}

func TestReadNotes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "notes.md")
	write := func(text string) {
		must.OK(t, os.WriteFile(file, []byte(text), 0o666))
	}
	write("# Title\n\nNot a part.\n\n## MUSIC\n\nOne.\n\nTwo.\n\n## Folds\n\nThree.\n")
	words, err := readNotes(file)
	if err != nil || len(words) != 2 || words["MUSIC"] != "One.\n\nTwo." ||
		words.of(set{name: "music", split: true}) != "One.\n\nTwo.\n\nThree." {
		t.Errorf("%q, %v", words, err)
	}
	write("## A\n\n1\n\n## B\n\n## B\n")
	if _, err := readNotes(file); err == nil {
		t.Error("two parts with one heading are not refused")
	}
}

// The two halves have the steps of GP-DRF, except for DRF of sequences, as the page says.
func TestStepsOfHalves(t *testing.T) {
	for _, s := range sets() {
		if s.models != nil {
			continue
		}
		steps := map[string]string{}
		for _, model := range models() {
			_, after, _ := strings.Cut(s.row(model, 1).template, "--steps ")
			steps[model], _, _ = strings.Cut(after, " ")
		}
		want := steps["gpdrf"]
		if s.kernel != "" {
			want = "2000"
		}
		if steps["gp"] != steps["gpdrf"] || steps["drf"] != want || s.kernel != "" && steps["gp"] != "300" {
			t.Errorf("%s: %v steps", s.name, steps)
		}
	}
}
