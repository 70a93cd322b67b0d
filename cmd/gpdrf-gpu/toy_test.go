package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// The README's commands on the toy with a gap agree with its picture: the sd of the prediction is more than twice as
// large in the gap as along the rows, and the intervals hold in both.
func TestToyBandWidensInTheGap(t *testing.T) {
	if testing.Short() {
		t.Skip("3000 steps")
	}
	commands := slices.DeleteFunc(readmeCommands(t, "gpdrf-gpu"),
		func(c string) bool { return !strings.Contains(c, "examples/toy/") })
	if len(commands) != 2 {
		t.Fatalf("the README has %d commands on examples/toy, expected 2", len(commands))
	}
	t.Chdir(filepath.Join("..", ".."))
	run := filepath.Join(t.TempDir(), "toy")
	for _, c := range commands {
		var said bytes.Buffer
		p := &program{ctx: context.Background(), console: console{out: &said, err: &said}}
		if code := p.run(strings.Fields(strings.ReplaceAll(c, "runs/toy", run) + " --device cpu")); code != exitOK {
			t.Fatalf("%s: exit code %d\n%s", c, code, said.String())
		}
	}
	grid, band := columnsOf(t, "examples/toy/grid.csv"), columnsOf(t, filepath.Join(run, "band.csv"))
	var along, gap []float64
	for i, x := range grid["x"] {
		switch {
		case x >= -2.8 && x <= -1 || x >= 1.4 && x <= 2.8:
			along = append(along, band["sd"][i])
		case x >= -0.3 && x <= 0.7:
			gap = append(gap, band["sd"][i])
		}
	}
	if a, g := average(along), average(gap); g < 2*a || a > 0.2 {
		t.Errorf("the standard deviation is %.3f along the rows, whose noise has 0.12, and %.3f in the gap", a, g)
	}
}

func average(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// columnsOf reads the numbers of a CSV file by column.
func columnsOf(t *testing.T, path string) map[string][]float64 {
	t.Helper()
	text := must.Get(os.ReadFile(path))(t)
	records := must.Get(csv.NewReader(bytes.NewReader(text)).ReadAll())(t)
	columns := map[string][]float64{}
	for _, r := range records[1:] {
		for i, cell := range r {
			v := must.Get(strconv.ParseFloat(cell, 64))(t)
			columns[records[0][i]] = append(columns[records[0][i]], v)
		}
	}
	return columns
}
