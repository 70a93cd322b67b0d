package main

import (
	"fmt"
	"slices"
)

// suiteMethod is a method of this project, or a peer.
type suiteMethod struct {
	name, title string
	kinds       []string
	python      string // the environment of a peer, a folder of build/suite; "": one of ours
}

// suiteMethods lists the methods in the order of the tables. Peers have their names in bench/peers/suite.py.
func suiteMethods() []suiteMethod {
	tables, all := []string{numbers, classes}, []string{numbers, classes, sequences, graphs}
	return []suiteMethod{
		{"gpdrf", "GP-DRF", all, ""},
		{"gp", "GP", all, ""},
		{"drf", "DRF", all, ""},
		{"best", "best", all, ""},
		{"svgp", "SVGP", tables, "python"},
		{"dgp", "deep GP", tables[:1], "python"},
		{"exact", "exact GP", tables[:1], "python"},
		{"gpboost", "GPBoost", tables[:1], "python"},
		{"lightgbm", "LightGBM", tables, "python"},
		{"catboost", "CatBoost", tables, "python"},
		{"ngboost", "NGBoost", tables[:1], "python"},
		{"forest", "forest", tables, "python"},
		{"xrfm", "xRFM", tables, "python"},
		{"realmlp", "RealMLP", tables, "python"},
		{"tabm", "TabM", tables, "python"},
		{"treeffuser", "Treeffuser", tables[:1], "treeffuser"},
		{"logistic", "logistic", tables[1:], "python"},
		{"words", "words", all[2:3], "python"},
		{"wl", "WL counts", all[3:], "python"},
	}
}

// ours reports whether a method is a model of this project.
func (m suiteMethod) ours() bool { return m.python == "" }

// methodsOf returns the methods for one kind of sets.
func methodsOf(kind string) []suiteMethod {
	return slices.DeleteFunc(suiteMethods(), func(m suiteMethod) bool { return !slices.Contains(m.kinds, kind) })
}

// titleOf returns the name of a method in the tables.
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

// cellKey identifies a cell.
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
	suiteScript = "bench/peers/suite.py"
)

// interpreter returns the path of the Python of a peer.
func (m suiteMethod) interpreter() string { return "build/suite/" + m.python + "/bin/python" }

// out returns the path of the results of a run: the run folder of ours, or the predictions of a peer.
func (c suiteCell) out() string {
	out := fmt.Sprintf("build/suite/runs/%s/%d/%s", c.set.name, c.fold, c.method.name)
	if !c.method.ours() {
		out += ".csv"
	}
	return out
}

// Every cell of a fold has the same time in seconds for training and prediction: shortTime if the fold has fewer than
// manyRows training rows, and longTime otherwise.
const (
	shortTime = 30
	longTime  = 60
	manyRows  = 5000
)

func timeFor(rows int) int {
	if rows < manyRows {
		return shortTime
	}
	return longTime
}

// command returns the shell command of the cell, with a number of seconds as its limit.
func (c suiteCell) command(seconds int) string {
	folder := c.set.folder(c.fold)
	kind := c.set.predictionKind()
	if !c.method.ours() {
		return fmt.Sprintf("%s %s %s %s %s %d %s", c.method.interpreter(), suiteScript, c.method.name, kind,
			folder, seconds, c.out())
	}
	rows := fmt.Sprintf("--data %s/train.csv --test %s/test.csv --target target --task %s", folder, folder, kind)
	if c.set.args != "" {
		rows = c.set.args
	}
	if c.set.kind == graphs {
		rows += fmt.Sprintf(" --fold %d", c.fold)
	}
	choice := "--model " + c.method.name
	if c.method.name == "best" {
		choice = "--preset best"
	}
	return fmt.Sprintf("%s train %s %s --time-limit %ds --out %s --json", suiteBinary, rows, choice, seconds, c.out())
}

// suiteCells returns the cells of some sets and methods, in the order in which they are run: the first fold of all
// sets, then the next, up to a largest number of folds.
func suiteCells(sets []suiteSet, methods func(suiteMethod) bool, folds int) (all []suiteCell) {
	for fold := 1; fold <= folds; fold++ {
		for _, s := range sets {
			for _, m := range methodsOf(s.kind) {
				if fold <= s.folds && methods(m) {
					all = append(all, suiteCell{s, fold, m})
				}
			}
		}
	}
	return all
}
