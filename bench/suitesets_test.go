package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// Every set has a name of its own, every cell of ours is a command that train understands, and
// every peer has its file.
func TestSuiteCells(t *testing.T) {
	names := map[string]bool{}
	for _, s := range suiteSets() {
		if names[s.name] {
			t.Errorf("two sets have the name %s", s.name)
		}
		names[s.name] = true
		if (s.write == nil) != (s.kind == sequences) {
			t.Errorf("%s: sequences alone are read as they are", s.name)
		}
	}
	peers, err := os.ReadFile("peers/suite.py")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range suiteCells(suiteSets(), func(suiteMethod) bool { return true }, 1) {
		if c.method.peer {
			if entry := fmt.Sprintf("%q: %q,", c.method.name,
				"suite_"+c.method.name); !strings.Contains(string(peers), entry) {
				t.Errorf("peers/suite.py lacks %s", entry)
			}
			if _, err := os.Stat("peers/suite_" + c.method.name + ".py"); err != nil {
				t.Error(err)
			}
			continue
		}
		words := strings.Fields(strings.TrimSuffix(c.command(60), " --json"))[2:]
		var settings []options.Setting
		for i := 0; i < len(words); i += 2 {
			if key := strings.TrimPrefix(words[i], "--"); key != "out" {
				settings = append(settings, options.Setting{Key: key, Text: words[i+1], From: c.String()})
			}
		}
		if _, err := options.Resolve(nil, settings); err != nil {
			t.Errorf("%s: %v", c.command(60), err)
		}
	}
}

// A drawn set is a function of the fold, and agrees with its description.
func TestDrawnSets(t *testing.T) {
	for _, d := range drawnSets() {
		folder := t.TempDir()
		if err := d.write(folder, 1); err != nil {
			t.Fatal(err)
		}
		train, test := d.tables(1)
		again, err := os.ReadFile(filepath.Join(folder, "train.csv"))
		if err != nil || string(again) != train {
			t.Errorf("%s: two draws of fold 1 differ, %v", d.name, err)
		}
		if other, _ := d.tables(2); other == train || train == test {
			t.Errorf("%s: two folds, or the two parts of one, are the same", d.name)
		}
		rows, err := readNumbers(filepath.Join(folder, "train.csv"), 1)
		if err != nil || len(rows) != d.train || len(rows[0]) != d.inputs+1 || strings.Count(test, "\n") != d.test+1 {
			t.Errorf("%s: %d rows, %v", d.name, len(rows), err)
		}
	}
}

func TestGap(t *testing.T) {
	folder := t.TempDir()
	for _, d := range drawnSets() {
		if d.name != "gap" {
			continue
		}
		if err := d.write(folder, 2); err != nil {
			t.Fatal(err)
		}
	}
	for part, want := range map[string]int{"train": 0, "test": 100} {
		rows, err := readNumbers(filepath.Join(folder, part+".csv"), 1)
		if err != nil {
			t.Fatal(err)
		}
		inside := 0
		for _, row := range rows {
			if x := math.Abs(row[0]); x < 0.3 {
				inside++
			} else if x > 1 {
				t.Errorf("an input of %g", row[0])
			}
		}
		if inside != want {
			t.Errorf("%s: %d rows in the gap, expected %d", part, inside, want)
		}
	}
}

// The folds are stratified, and have the rows of the table.
func TestWriteFold(t *testing.T) {
	folder := t.TempDir()
	var b strings.Builder
	b.WriteString("x1,x2,target\n")
	for i := range 30 {
		fmt.Fprintf(&b, "%d,0.1,%d\n", i, i%3)
	}
	file := filepath.Join(folder, "table.csv")
	if err := writeText(file, b.String()); err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for fold := 1; fold <= 5; fold++ {
		if err := writeFold(folder, file, 5, fold); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(folder, "test.csv"))
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		if len(lines) != 7 || lines[0] != "x1,x2,target" {
			t.Fatalf("fold %d: %q", fold, lines)
		}
		for _, line := range lines[1:] {
			seen[line]++
		}
	}
	for i := range 30 {
		if line := fmt.Sprintf("%d,0.1,%d", i, i%3); seen[line] != 1 {
			t.Errorf("%s is tested %d times", line, seen[line])
		}
	}
}
