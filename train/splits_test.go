package train

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// Few rows score attempts in turn, each once, until they are enough. Of many rows, and of rows in time, one part does.
func TestFoldsFor(t *testing.T) {
	inTime := table(t, 40, 1, wave)
	inTime.Times = make([]float64, 40)
	for _, c := range []struct {
		rows *data.Dataset
		want int
	}{{table(t, 30, 1, wave), 5}, {table(t, 62, 1, wave), 5}, {table(t, 63, 1, wave), 4},
		{table(t, 125, 1, wave), 2}, {table(t, 249, 1, wave), 2}, {table(t, 250, 1, wave), 1},
		{table(t, 5000, 1, wave), 1}, {inTime, 1}} {
		if got := foldsFor(c.rows); got != c.want {
			t.Errorf("%d rows: %d folds, want %d", c.rows.N(), got, c.want)
		}
	}
}

// Each row is held out once by five folds, and trains the attempts of the others.
func TestFoldsInTurn(t *testing.T) {
	rows := table(t, 43, 1, wave)
	splits := inTurn(rows, 5)
	must.Equal(t, len(splits), 5)
	heldOut := map[float64]int{}
	for _, s := range splits {
		must.Equal(t, s.train.N()+s.heldOut.N(), rows.N())
		for i := range s.heldOut.N() {
			heldOut[s.heldOut.Row(i)[0]]++
		}
	}
	must.Equal(t, len(heldOut), rows.N())
}

// Whole groups are held out. Fewer groups than folds, or a class with a single row, leave a single split.
func TestFoldsOfGroupsAndClasses(t *testing.T) {
	rows := table(t, 40, 1, wave)
	rows.Groups = make([]int32, 40)
	for i := range rows.Groups {
		rows.Groups[i] = int32(i / 4)
	}
	for _, s := range inTurn(rows, 5) {
		for _, g := range s.heldOut.Groups {
			for _, other := range s.train.Groups {
				must.Equal(t, g == other, false)
			}
		}
	}
	for i := range rows.Groups {
		rows.Groups[i] = int32(i / 10)
	}
	must.Equal(t, inTurn(rows, 5) == nil, true)
	for i := range rows.Groups { // one group has most of the rows
		rows.Groups[i] = int32(max(0, i-20) / 4)
	}
	must.Equal(t, inTurn(rows, 5) == nil, true)
	first := true
	classes := table(t, 40, 1, func(*rand.Rand, float64, float64) string {
		defer func() { first = false }()
		return strconv.FormatBool(first)
	})
	must.Equal(t, inTurn(classes, 5) == nil, true)
}

// Folds need enough steps each: fewer steps have fewer folds, and very few have one part that is held out.
func TestStepsInFolds(t *testing.T) {
	for _, c := range []struct {
		rows, steps, folds int
		limited            bool
		want               float64
	}{
		{40, 15000, 5, false, 15000}, {160, 15000, 2, false, 15000 * 256. / (2 * 160)}, {160, 15000, 2, true, 7500},
		{240, 1200, 2, false, 1200 * 256. / (2 * 240)}, {240, 600, 1, false, 600}, {100, 1200, 1, true, 1200},
		{100, 2400, 2, true, 1200},
		{250, 15000, 1, false, 15000},
	} {
		r := (&Job{Config: withSteps(config(t, fmt.Sprintf("batch=%d", c.rows)), c.steps)}).newRun()
		r.train = table(t, c.rows, 1, wave)
		ch := &objectiveChoice{run: r, columns: &representation{}}
		steps := ch.splitInTurn(c.limited)
		if folds := max(1, len(ch.columns.splits)); steps != c.want || folds != c.folds {
			t.Errorf("%+v: %g steps and %d folds", c, steps, folds)
		}
	}
}

// The seconds of a run are those of its steps and of all attempts.
func TestSecondsOfAttempts(t *testing.T) {
	var attempts []rundir.Attempt
	job := &Job{Config: config(t, "inducing=20 latents=2 features=20 batch=50 objective=auto steps=800"),
		Device: openCPU(t), Train: table(t, 120, 1, wave)}
	job.Save = func(c *rundir.Checkpoint) error {
		if c.Attempts != nil {
			attempts = c.Attempts
		}
		return nil
	}
	out, sum := must.Get(job.Run(t.Context()))(t), 0.0
	for _, a := range attempts {
		sum += a.Seconds
	}
	if sum == 0 || out.Seconds <= sum {
		t.Errorf("%g s with attempts of %g s", out.Seconds, sum)
	}
}
