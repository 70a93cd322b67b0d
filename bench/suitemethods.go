package main

import (
	"fmt"
	"slices"
)

// suiteMethod is one of ours, or a peer.
type suiteMethod struct {
	name, title string
	kinds       []string
	peer        bool
	most        int // training rows; 0 is any number
	longer      int // times the seconds of a cell that it may take; 0 is once
}

// suiteMethods are in the order of the tables. A peer's name is its name in bench/peers/suite.py.
func suiteMethods() []suiteMethod {
	vectors := []string{numbers, classes}
	all := []string{numbers, classes, sequences}
	return []suiteMethod{
		{name: "gpdrf", title: "GP-DRF", kinds: all},
		{name: "gp", title: "GP", kinds: all},
		{name: "drf", title: "DRF", kinds: all},
		{name: "best", title: "best", kinds: all, longer: 3},
		{name: "svgp", title: "SVGP", kinds: vectors, peer: true},
		{name: "dgp", title: "deep GP", kinds: vectors[:1], peer: true},
		{name: "exact", title: "exact GP", kinds: vectors[:1], peer: true, most: 2000},
		{name: "lightgbm", title: "LightGBM", kinds: vectors, peer: true},
		{name: "ngboost", title: "NGBoost", kinds: vectors[:1], peer: true},
		{name: "forest", title: "forest", kinds: vectors, peer: true},
		{name: "logistic", title: "logistic", kinds: vectors[1:], peer: true},
	}
}

// methodsOf are those for one kind of sets.
func methodsOf(kind string) []suiteMethod {
	return slices.DeleteFunc(suiteMethods(), func(m suiteMethod) bool { return !slices.Contains(m.kinds, kind) })
}

// titleOf is how the tables name a method.
func titleOf(name string) string {
	for _, m := range suiteMethods() {
		if m.name == name {
			return m.title
		}
	}
	return name
}

// suiteCell is one training: a method on a fold of a set.
type suiteCell struct {
	set    suiteSet
	fold   int
	method suiteMethod
}

// cellKey tells cells apart.
type cellKey struct {
	set    string
	fold   int
	method string
}

func (c suiteCell) key() cellKey { return cellKey{c.set.name, c.fold, c.method.name} }

func (c suiteCell) String() string {
	return fmt.Sprintf("%s, fold %d, %s", c.set.name, c.fold, c.method.name)
}

const (
	suiteBinary = "build/suite/gpdrf-gpu"
	suitePython = "build/suite/python/bin/python"
	suiteScript = "bench/peers/suite.py"
)

// out is where a run leaves its results: the run folder of ours, the predictions of a peer.
func (c suiteCell) out() string {
	out := fmt.Sprintf("build/suite/runs/%s/%d/%s", c.set.name, c.fold, c.method.name)
	if c.method.peer {
		out += ".csv"
	}
	return out
}

// limit is the number of seconds that the cell may train where others have seconds.
func (c suiteCell) limit(seconds int) int { return seconds * max(c.method.longer, 1) }

// command is the cell's shell command, with a number of seconds for training.
func (c suiteCell) command(seconds int) string {
	folder, choice := c.set.folder(c.fold), "--model "+c.method.name
	if c.method.name == "best" {
		choice = "--preset best"
	}
	switch {
	case c.method.peer:
		return fmt.Sprintf("%s %s %s %s %s %d %s", suitePython, suiteScript, c.method.name, c.set.kind,
			folder, seconds, c.out())
	case c.set.kind == sequences:
		return fmt.Sprintf("%s train %s %s --time-limit %ds --out %s --json",
			suiteBinary, c.set.args, choice, seconds, c.out())
	}
	return fmt.Sprintf("%s train --data %s/train.csv --test %s/test.csv --target target --task %s %s"+
		" --time-limit %ds --out %s --json",
		suiteBinary, folder, folder, c.set.kind, choice, seconds, c.out())
}

// suiteCells are the cells of some sets and methods, in the order in which they are run, with a
// largest number of folds of each set.
func suiteCells(sets []suiteSet, methods func(suiteMethod) bool, folds int) (all []suiteCell) {
	for _, s := range sets {
		for fold := 1; fold <= min(folds, s.folds); fold++ {
			for _, m := range methodsOf(s.kind) {
				if methods(m) {
					all = append(all, suiteCell{s, fold, m})
				}
			}
		}
	}
	return all
}
