// These tests run the commands of the README.

package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// readmeCommands returns the commands of the README that begin with a word, in order.
func readmeCommands(t *testing.T, word string) (commands []string) {
	t.Helper()
	readme := must.Get(os.ReadFile(filepath.Join("..", "..", "README.md")))(t)
	for _, line := range regexp.MustCompile(`(?m)^\$ (.*)$`).FindAllStringSubmatch(string(readme), -1) {
		for command := range strings.SplitSeq(line[1], " && ") {
			if strings.HasPrefix(command, word+" ") {
				commands = append(commands, command)
			}
		}
	}
	return commands
}

var (
	stepsGiven  = regexp.MustCompile(` --steps \d+| --time-limit \w+`)
	exampleFile = regexp.MustCompile(`examples/[\w./-]+`)
)

// Every command of the README works on the files of this repository, with fewer steps.
func TestREADME(t *testing.T) {
	if testing.Short() {
		t.Skip("ten trainings")
	}
	commands := readmeCommands(t, "gpdrf-gpu")
	if len(commands) < 8 {
		t.Fatalf("the README has %d commands: %q", len(commands), commands)
	}
	pages := must.Get(filepath.Glob(filepath.Join("..", "..", "docs", "*.md")))(t)
	named := map[string]bool{}
	for _, page := range pages {
		text := must.Get(os.ReadFile(page))(t)
		for _, file := range exampleFile.FindAllString(string(text), -1) {
			named[file] = true
		}
	}
	folder := t.TempDir()
	must.OK(t, os.CopyFS(filepath.Join(folder, "examples"), os.DirFS(filepath.Join("..", "..", "examples"))))
	t.Setenv("GPDRF_DATA", "")
	t.Chdir(folder)
	for _, command := range commands {
		for _, file := range exampleFile.FindAllString(command, -1) {
			named[file] = true
		}
		if strings.HasPrefix(command, "gpdrf-gpu train") {
			command = stepsGiven.ReplaceAllString(command, "") + " --steps 5 --device cpu"
		}
		var said bytes.Buffer
		p := &program{ctx: context.Background(), console: console{out: &said, err: &said}}
		if code := p.run(strings.Fields(command)); code != exitOK {
			t.Fatalf("%s: exit code %d\n%s", command, code, said.String())
		}
	}
	err := filepath.WalkDir("examples", func(path string, entry os.DirEntry, err error) error {
		others := []string{".yaml", ".md", ".py"} // config files are in options.txtar; scripts are not commands
		if err == nil && !entry.IsDir() && !named[filepath.ToSlash(path)] &&
			!slices.Contains(others, filepath.Ext(path)) {
			t.Errorf("neither a command of the README nor a page of docs names %s", path)
		}
		return err
	})
	must.OK(t, err)
}

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
