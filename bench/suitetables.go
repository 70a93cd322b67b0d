package main

import (
	"fmt"
	"math"
	"strings"
)

// tieMargin is the least difference between two methods that counts.
const tieMargin = 0.01

// wins writes the comparison of GP-DRF, and of best, with each other method, set by set.
func (p suitePage) wins(b *strings.Builder) {
	fmt.Fprintf(b, `
## GP-DRF and best beside each method

The number of sets where GP-DRF, or best, is better, equal and worse by the score in brackets, paired
over the folds that both have. A mean difference of at most %.2f, or of at most one standard error
over the folds, counts as equal.

| sets | beside | GP-DRF | best |
|---|---|---|---|
`, tieMargin)
	for _, kind := range kindsOfSets {
		for _, other := range methodsOf(kind) {
			fmt.Fprintf(b, "| %s (%s) | %s | %s | %s |\n", kind, scoreName(rankedBy(kind)), other.emphasisedTitle(),
				p.countWins(kind, methodOf("gpdrf"), other), p.countWins(kind, methodOf("best"), other))
		}
	}
}

// countWins counts the sets on which a is better than b, equal to it, and worse.
func (p suitePage) countWins(kind string, a, b suiteMethod) string {
	var count [3]int
	key := rankedBy(kind)
	for _, s := range setsOf(kind) {
		if common := p.records.common(s, []suiteMethod{a, b}); len(common) > 0 {
			count[verdict(p.records.scores(s, a, common, key), p.records.scores(s, b, common, key))]++
		}
	}
	if a.name == b.name || count == [3]int{} {
		return none
	}
	return fmt.Sprintf("%d, %d, %d", count[0], count[1], count[2])
}

// verdict returns 0 if a is better, that is less, 1 if the two are equal, and 2 if b is better. Failures are +Inf.
func verdict(a, b []float64) int {
	d, margin := paired(a, b), tieMargin
	if d.se > margin { // the standard error is NaN for a single fold
		margin = d.se
	}
	switch {
	case math.IsInf(meanOf(a).value, 1) && math.IsInf(meanOf(b).value, 1):
		return 1
	case d.value < -margin || math.IsInf(d.value, -1):
		return 0
	case d.value > margin || math.IsInf(d.value, 1):
		return 2
	}
	return 1
}

// worst writes the set on which each method is farthest behind the best one.
func (p suitePage) worst(b *strings.Builder) {
	b.WriteString("\n## The worst case of each method\n\nThe largest difference to the best method " +
		"on any set, by the mean over the method's folds.\n\n" +
		"| sets | method | score | difference | on | the best there | folds | failed on " +
		"|\n|---|---|---|---|---|---|---|---|\n")
	for _, kind := range kindsOfSets {
		for _, m := range methodsOf(kind) {
			w, ok := p.worstOf(kind, m)
			if ok {
				fmt.Fprintf(b, "| %s | %s | %s | %s |\n", kind, m.emphasisedTitle(), scoreName(rankedBy(kind)), w)
			}
		}
	}
}

// worstOf returns the last cells of the line of a method; ok is false if it has no record.
func (p suitePage) worstOf(kind string, m suiteMethod) (cells string, ok bool) {
	key := rankedBy(kind)
	gap := math.Inf(-1)
	on, best := "", ""
	folds := 0
	var failed []string
	for _, s := range setsOf(kind) {
		own := p.records.common(s, []suiteMethod{m})
		if len(own) == 0 {
			continue
		}
		ok = true
		v := p.records.mean(s, m, own, key)
		if math.IsInf(v, 1) {
			failed = append(failed, s.name)
			continue
		}
		for _, other := range methodsOf(kind) {
			if len(p.records.common(s, []suiteMethod{m, other})) < len(own) {
				continue
			}
			if d := v - p.records.mean(s, other, own, key); d > gap {
				gap, on, best, folds = d, s.name, other.title, len(own)
			}
		}
	}
	if on == "" {
		return none + " |  |  |  | " + strings.Join(failed, ", "), ok
	}
	if gap == 0 { // the method is the best on all sets
		on, best = none, none
	}
	return fmt.Sprintf("%s | %s | %s | %d | %s", scoreText(gap), on, best, folds, strings.Join(failed, ", ")), ok
}

// tables writes the tables of means by set.
func (p suitePage) tables(b *strings.Builder, kind string) {
	fmt.Fprintf(b, "\n## %s, set by set\n\nMeans over the folds. A cell with fewer folds than its "+
		"row shows their number. The best is bold.\n", capital(kind))
	for _, key := range keysOf(kind) {
		methods := methodsOf(kind)
		fmt.Fprintf(b, "\n### %s of %s\n\n| set | rows | folds |", scoreName(key), kind)
		for _, m := range methods {
			fmt.Fprintf(b, " %s |", m.title)
		}
		fmt.Fprintf(b, "\n|---|---|---|%s\n", strings.Repeat("---|", len(methods)))
		for _, s := range setsOf(kind) {
			p.line(b, s, key, methods)
		}
	}
}

// line writes the line of a set in a table.
func (p suitePage) line(b *strings.Builder, s suiteSet, key string, methods []suiteMethod) {
	best := math.Inf(1)
	most := 0
	values, folds := make([]float64, len(methods)), make([]int, len(methods))
	for i, m := range methods {
		own := p.records.common(s, []suiteMethod{m})
		folds[i] = len(own)
		most = max(most, len(own))
		values[i] = p.records.mean(s, m, own, key)
	}
	for i, v := range values {
		if folds[i] == most && most > 0 {
			best = min(best, v)
		}
	}
	fmt.Fprintf(b, "| %s | %s | %s |", s.name, blankZero(p.records.rows(s)), blankZero(most))
	for i := range methods {
		text := ""
		if folds[i] > 0 {
			text = scoreText(values[i])
			if values[i] == best && folds[i] == most &&
				key != "coverage90" && !math.IsInf(best, 1) {
				text = "**" + text + "**"
			}
			if folds[i] < most {
				text += fmt.Sprintf(" (%d)", folds[i])
			}
		}
		fmt.Fprintf(b, " %s |", text)
	}
	b.WriteString("\n")
}

func blankZero(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

// choices writes the models that best has stacked.
func (p suitePage) choices(b *strings.Builder) {
	b.WriteString("\n## What best chose\n\nThe models that `--preset best` stacked, with their weights. " +
		"On each other set, it took the default alone.\n\n" +
		"| set | fold | models |\n|---|---|---|\n")
	for _, r := range p.recordsInOrder() {
		if r.Chosen != "" && r.Chosen != defaultAlone {
			fmt.Fprintf(b, "| %s | %d | %s |\n", r.Set, r.Fold, r.Chosen)
		}
	}
}
