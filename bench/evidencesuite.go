package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// duel is the comparison of GP-DRF with another method on a set.
type duel struct {
	set        suiteSet
	other      suiteMethod
	difference mean // GP-DRF's score minus the other's
	folds      int
	result     int // the result of verdict
}

// match is the comparison of GP-DRF with another method on all sets of a kind that both have.
type match struct {
	other suiteMethod
	duels []duel
	count [3]int // numbers of sets on which GP-DRF is better, equal and worse
}

func (m match) sets() int { return len(m.duels) }

// match compares by a score, on the sets with a number of rows from least to below.
func (p evidencePage) match(kind string, other suiteMethod, key string, least, below int) match {
	m := match{other: other}
	gpdrf := methodOf("gpdrf")
	for _, s := range setsOf(kind) {
		folds := p.suite.records.common(s, []suiteMethod{gpdrf, other})
		if n := p.suite.records.rows(s); len(folds) == 0 || n < least || n >= below {
			continue
		}
		x, y := p.suite.records.scores(s, gpdrf, folds, key), p.suite.records.scores(s, other, folds, key)
		d := duel{s, other, paired(x, y), len(folds), verdict(x, y)}
		m.duels = append(m.duels, d)
		m.count[d.result]++
	}
	return m
}

// wholeMatch returns the match on tables of any size, by the score of the distribution.
func (p evidencePage) wholeMatch(kind string, other suiteMethod) match {
	return p.match(kind, other, rankedBy(kind), 0, math.MaxInt)
}

// medianDifference returns the median difference over the sets where neither failed. A mean would depend on few huge
// differences.
func (m match) medianDifference() string {
	var all []float64
	for _, d := range m.duels {
		if !math.IsInf(d.difference.value, 0) && !math.IsNaN(d.difference.value) {
			all = append(all, d.difference.value)
		}
	}
	if len(all) == 0 {
		return none
	}
	return signed(mean{median(all), math.NaN()})
}

// peersOf returns the methods of other projects.
func peersOf(kind string) []suiteMethod {
	return slices.DeleteFunc(methodsOf(kind), func(m suiteMethod) bool { return m.ours() })
}

// hardest returns the peer against which GP-DRF wins least and loses most often, among those with at least half of the
// sets.
func (p evidencePage) hardest(kind string) (rival match, ok bool) {
	var all []match
	most := 0
	for _, other := range peersOf(kind) {
		m := p.wholeMatch(kind, other)
		all = append(all, m)
		most = max(most, m.sets())
	}
	all = slices.DeleteFunc(all, func(m match) bool { return m.sets() == 0 || 2*m.sets() < most })
	share := func(m match) float64 { return float64(m.count[0]-m.count[2]) / float64(m.sets()) }
	slices.SortStableFunc(all, func(a, b match) int { return cmp.Compare(share(a), share(b)) })
	if len(all) == 0 {
		return rival, false
	}
	return all[0], true
}

// methodsTable writes the table of all methods.
func (p evidencePage) methodsTable(b *strings.Builder) {
	fmt.Fprintf(b, `
## GP-DRF beside each method

The counts are tables on which GP-DRF is better, equal and worse. A difference of at most %.2f, or of one
standard error over the folds, is equal. Differences (GP-DRF's score minus the other's), seconds and memory
are medians.

| beside | NLPD of numbers | difference | rank | NLL of classes | difference | rank | seconds | memory |
|---|---|---|---|---|---|---|---|---|
`, tieMargin)
	for _, m := range suiteMethods() {
		cells := m.emphasisedTitle()
		for i, kind := range kindsOfSets[:2] {
			count, difference, rank := "", "", ""
			if one := p.wholeMatch(kind, m); one.sets() > 0 && slices.Contains(m.kinds, kind) && m.name != "gpdrf" {
				count = fmt.Sprintf("%d, %d, %d", one.count[0], one.count[1], one.count[2])
				difference = one.medianDifference()
			}
			if v, ok := p.suite.rankings[i].averageOf(m.name); ok {
				rank = fmt.Sprintf("%.2f", v)
			}
			cells += " | " + count + " | " + difference + " | " + rank
		}
		if took, bytes := p.spent(m); len(took) > 0 {
			fmt.Fprintf(b, "| %s | %s | %.0f MB |\n", cells, seconds(median(took)), median(bytes)/1e6)
		}
	}
	for _, r := range p.suite.rankings[:2] {
		fmt.Fprintf(b, "\nRanks for %s are averages over %s. Nemenyi's test cannot tell two apart that differ by less "+
			"than %.2f.\n", tablesOf(r.kind), setCount(len(r.sets)), criticalDifference(len(r.methods), len(r.sets)))
	}
	b.WriteString("\n    go -C bench run . suite -report\n")
}

// often lists the peers that have more than a share of the sets in a column of the count.
func (p evidencePage) often(kind, key string, column, least, below int, share float64) string {
	var all []string
	for _, other := range peersOf(kind) {
		m := p.match(kind, other, key, least, below)
		if m.sets() > 2 && float64(m.count[column]) > share*float64(m.sets()) {
			all = append(all, fmt.Sprintf("%s %d/%d", other.title, m.count[column], m.sets()))
		}
	}
	return strings.Join(all, ", ")
}

// tablesOf returns the name of a kind in sentences.
func tablesOf(kind string) string {
	return map[string]string{numbers: "numbers", classes: "classes"}[kind]
}

// wins names the peers that GP-DRF beats on most tables.
func (p evidencePage) wins(b *strings.Builder) {
	b.WriteString("\n## Where it wins\n\n")
	for _, kind := range kindsOfSets[:2] {
		fmt.Fprintf(b, "- %s, better on more than half of the tables: %s.\n", capital(tablesOf(kind)),
			cmp.Or(p.often(kind, rankedBy(kind), 0, 0, math.MaxInt, .5), "none"))
		if hard := p.hard(kind); len(hard) > 0 {
			ahead := slices.DeleteFunc(slices.Clone(hard), func(d duel) bool { return d.result != 0 })
			fmt.Fprintf(b, "- %s, better than every other program: on %d of %d tables.\n", capital(tablesOf(kind)),
				len(ahead), len(hard))
		}
	}
	var covered []float64
	for _, s := range setsOf(numbers) {
		if r := p.suite.records[cellKey{s.name, 1, "gpdrf"}]; r != nil && r.Error == "" {
			covered = append(covered, 100*r.Scores["coverage90"])
		}
	}
	if m := meanOf(covered); len(covered) > 1 {
		fmt.Fprintf(b, "- Its 90 %% intervals hold %.1f ± %.1f %% of the test rows, a mean over %d tables.\n", m.value,
			m.se, len(covered))
	}
	b.WriteString("\n      make suite FOLDS=1\n")
}

// hard returns, for each set, the duel with the peer that is farthest ahead.
func (p evidencePage) hard(kind string) (all []duel) {
	bySet := map[string]duel{}
	for _, other := range peersOf(kind) {
		for _, d := range p.wholeMatch(kind, other).duels {
			other, ok := bySet[d.set.name]
			if !ok || d.difference.value > other.difference.value || math.IsNaN(other.difference.value) {
				bySet[d.set.name] = d
			}
		}
	}
	for _, s := range setsOf(kind) {
		if d, ok := bySet[s.name]; ok {
			all = append(all, d)
		}
	}
	return all
}

// maxLosses is the number of losses of a kind that the page lists.
const maxLosses = 4

// losses lists the tables on which a peer is farthest ahead.
func (p evidencePage) losses(b *strings.Builder) {
	b.WriteString("\n## Where it loses\n\n")
	lines := ""
	for _, kind := range kindsOfSets[:2] {
		hard := p.hard(kind)
		n := len(hard)
		lost := slices.DeleteFunc(hard, func(d duel) bool { return d.result != 2 })
		fmt.Fprintf(b, "On %d of %d tables of %s, another program is better. ", len(lost), n, tablesOf(kind))
		slices.SortStableFunc(lost, func(x, y duel) int { return cmp.Compare(y.difference.value, x.difference.value) })
		for _, d := range lost[:min(maxLosses, len(lost))] {
			lines += fmt.Sprintf("| %s | %d | %s | %s | %s |\n", d.set.name, p.suite.records.rows(d.set),
				scoreName(rankedBy(kind)), d.loss(), d.other.title)
		}
	}
	if lines != "" {
		fmt.Fprintf(b, "The largest losses, at most %d of each kind, with the method that is farthest ahead:\n\n"+
			"| table | rows | score | loss | beside |\n|---|---|---|---|---|\n%s", maxLosses, lines)
	} else {
		b.WriteString("\n")
	}
	b.WriteString("\n    make suite FOLDS=1 SETS='^NAME$'\n")
	p.machines(b)
}

// loss formats the difference, with its standard error over the folds.
func (d duel) loss() string {
	text := signed(d.difference)
	if math.IsInf(d.difference.value, 1) {
		text = "failed"
	}
	return text + ", " + foldCount(d.folds)
}
