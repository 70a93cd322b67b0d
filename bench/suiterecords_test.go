package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// cellsOf lists all cells of a set, with a largest number of folds.
func cellsOf(name string, folds int) []suiteCell {
	for _, s := range suiteSets() {
		if s.name == name {
			return suiteCells([]suiteSet{s}, func(suiteMethod) bool { return true }, folds)
		}
	}
	panic("no set " + name)
}

// A cell with a record, be it a failure, is not run again; one that is left out is. Cells after an error are not lost.
func TestSuiteResumes(t *testing.T) {
	folder, calls := t.TempDir(), map[cellKey]int{}
	cells := cellsOf("banana", 1)
	stopAt, left := "svgp", "logistic"
	run := func(c suiteCell) (*suiteRecord, error) {
		calls[c.key()]++
		switch r := (&suiteRecord{Set: c.set.name, Fold: c.fold, Method: c.method.name}); c.method.name {
		case stopAt:
			return nil, errors.New("the power is gone")
		case left:
			return nil, fmt.Errorf("%w: no such package", errMissing)
		case "gp":
			r.Error = "not positive definite"
			return r, nil
		default:
			r.Scores = map[string]float64{"nll": .5}
			return r, nil
		}
	}
	for round := range 3 {
		records, err := readSuite(folder, suiteSets())
		must.OK(t, err)
		err = runCells(records.without(cells), folder, false, run)
		if stopped := err != nil && strings.Contains(err.Error(),
			"banana, fold 1, svgp: the power is gone"); stopped != (round == 0) {
			t.Errorf("round %d: %v", round, err)
		}
		stopAt = ""
	}
	for key, want := range map[string]int{"gpdrf": 1, "gp": 1, "drf": 1, "svgp": 2, "lightgbm": 1,
		"forest": 1, "logistic": 2} {
		if got := calls[cellKey{"banana", 1, key}]; got != want {
			t.Errorf("%s was run %d times, expected %d", key, got, want)
		}
	}
}

// Two that run the same 60 cells at once share them: each is run once, and has its record.
func TestSuiteShared(t *testing.T) {
	var cells []suiteCell
	for _, name := range []string{"banana", "iris", "wdbc", "vehicle", "yacht"} {
		cells = append(cells, cellsOf(name, 5)...)
	}
	cells = cells[:60]
	folder, calls, mutex := t.TempDir(), map[cellKey]int{}, sync.Mutex{}
	run := func(c suiteCell) (*suiteRecord, error) {
		mutex.Lock()
		calls[c.key()]++
		mutex.Unlock()
		time.Sleep(time.Millisecond)
		return &suiteRecord{Set: c.set.name, Fold: c.fold, Method: c.method.name}, nil
	}
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			if err := runCells(cells, folder, false, run); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	records, err := readSuite(folder, suiteSets())
	if err != nil || len(records) != len(cells) || len(calls) != len(cells) {
		t.Errorf("%d of %d cells were run, %d have a record: %v", len(calls), len(cells), len(records), err)
	}
	for key, n := range calls {
		if n != 1 {
			t.Errorf("%v was run %d times", key, n)
		}
	}
}

// A last line that was cut short is dropped, and the next record stands in its place. The latest record of a cell
// counts.
func TestRecordCutShort(t *testing.T) {
	folder, sets := t.TempDir(), suiteSets()
	path := recordFile(folder, "yacht")
	put := func(method string, steps int) {
		t.Helper()
		must.OK(t, (&suiteRecord{Set: "yacht", Fold: 1, Method: method, Steps: steps}).append(folder))
	}
	put("gp", 1)
	put("drf", 2)
	text := must.Get(os.ReadFile(path))(t)
	must.OK(t, os.WriteFile(path, text[:len(text)-20], 0o666))
	all, err := readSuite(folder, sets)
	if err != nil || len(all) != 1 || all[cellKey{"yacht", 1, "gp"}] == nil {
		t.Fatalf("%v, %v", all, err)
	}
	put("gpdrf", 3)
	put("gp", 4)
	all, err = readSuite(folder, sets)
	if err != nil || len(all) != 2 || all[cellKey{"yacht", 1, "gpdrf"}].Steps != 3 ||
		all[cellKey{"yacht", 1, "gp"}].Steps != 4 || all[cellKey{"yacht", 1, "gpdrf"}].runs != 1 {
		t.Errorf("%v, %v", all, err)
	}
	must.OK(t, os.WriteFile(path, []byte("{\n{}\n"), 0o666))
	if _, err := readSuite(folder, sets); err == nil || !strings.Contains(err.Error(), "yacht.jsonl:1: ") {
		t.Errorf("a damaged line: %v", err)
	}
}
