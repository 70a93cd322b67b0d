package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// Every set has a different name, every cell of ours is a command that train understands, and every peer has its file.
func TestSuiteCells(t *testing.T) {
	names := map[string]bool{}
	for _, s := range suiteSets() {
		if names[s.name] {
			t.Errorf("two sets have the name %s", s.name)
		}
		names[s.name] = true
		if (s.args == "") != (s.kind == numbers || s.kind == classes) {
			t.Errorf("%s: train reads sequences and graphs as they are, and tables alone from the fold", s.name)
		}
	}
	peers := must.Get(os.ReadFile("peers/suite.py"))(t)
	for _, c := range suiteCells(suiteSets(), func(suiteMethod) bool { return true }, 1) {
		if !c.method.ours() {
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

// The folds are stratified, and have the rows of the table.
func TestWriteFold(t *testing.T) {
	folder := t.TempDir()
	var b strings.Builder
	b.WriteString("x1,x2,target\n")
	for i := range 30 {
		fmt.Fprintf(&b, "%d,0.1,%d\n", i, i%3)
	}
	file := filepath.Join(folder, "table.csv")
	must.OK(t, writeText(file, b.String()))
	seen := map[string]int{}
	for fold := 1; fold <= 5; fold++ {
		must.OK(t, writeFold(folder, data.Source{Data: file, Folds: 5, Fold: fold,
			ReadOptions: data.ReadOptions{Task: "classification"}}))
		text := must.Get(os.ReadFile(filepath.Join(folder, "test.csv")))(t)
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
