package main

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/bench/parts"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// Two processes do not run the same cells: the second leaves them to the first.
func TestReachAlone(t *testing.T) {
	t.Chdir(t.TempDir())
	must.OK(t, os.MkdirAll(recordsFolder, 0o777))
	release := must.Get(parts.Claim(filepath.Join(recordsFolder, "reach.lock")))(t)
	must.OK(t, reach())
	must.OK(t, release())
	if reach() == nil {
		t.Error("there are no sets here, and it ran")
	}
}

// Runs follow each other until ours reaches the better peer; a race counts whole, by its medians.
func TestReach(t *testing.T) {
	runs := reachRecords{}
	for repeat := 1; repeat <= reachRepeats; repeat++ {
		for method, limit := runs.next("bike", repeat); method != ""; method, limit = runs.next("bike", repeat) {
			nlpd := map[string]float64{"svgp": .5, "lightgbm": .1, "gpdrf": .7 - .2*min(float64(limit), 3)}[method]
			if method == "gpdrf" && repeat > 2 { // LightGBM's stays out of reach
				nlpd = max(nlpd, .2)
			}
			runs[reachRow("bike", method, limit, repeat).line()] = &record{Test: map[string]any{"nlpd": nlpd,
				"wall_seconds": float64(limit) + float64(repeat)/10}}
		}
	}
	if n := len(runs); n != 2*(2+3)+3*(2+7) {
		t.Errorf("%d runs", n)
	}
	races := runs.races()
	if len(races) != 2 || races[0].peer != "svgp" {
		t.Fatalf("%+v", races)
	}
	ours, theirs := medianFigure(races[0].ours, "wall_seconds"), medianFigure(races[0].theirs, "wall_seconds")
	if ours != 1.3 ||
		theirs != .3 {
		t.Errorf("SVGP: %g beside %g", ours, theirs)
	}
	if ours := medianFigure(races[1].ours, "wall_seconds"); !math.IsInf(ours, 1) {
		t.Errorf("LightGBM was reached in %g s", ours)
	}
	delete(runs, "bike-gpdrf-2s-5")
	if races = runs.races(); len(races) != 0 {
		t.Errorf("a race without all of its runs: %+v", races)
	}
}
