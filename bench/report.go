package main

import (
	"fmt"
	"math"
	"strings"
)

const none = "–"

// report returns docs/results.md and the pages below it, by their files. They have the figures of the records, the rows
// without a record, and the notes.
func report(all recordsByName, words notes) map[string]string {
	pages := map[string]string{
		resultsFile:           overview(all, words),
		pageFile("distances"): distancesPage(all, words),
	}
	for i, s := range sets() {
		if i == 0 || s.page() != sets()[i-1].page() {
			pages[pageFile(s.page())] = setPage(s.page(), all, words)
		}
	}
	return pages
}

func pageFile(name string) string { return "docs/results/" + name + ".md" }

// title begins a page.
func title(b *strings.Builder, heading string) {
	fmt.Fprintf(b, "# %s\n\nWritten by `make results` from bench/results and bench/results-notes.md; "+
		"do not edit.\n\n", heading)
}

// overview returns the text of docs/results.md.
func overview(all recordsByName, words notes) string {
	var b strings.Builder
	title(&b, "Results")
	fmt.Fprintf(&b, "%s\n\n## At a glance\n\n%s\n\n", words["Introduction"], words["At a glance"])
	b.WriteString("| set | mean of | score | paper: GP | DRF | GP-DRF | today's default | tuned: GP | DRF | GP-DRF | " +
		"target | met |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, s := range sets() {
		glance(&b, s, all)
	}
	b.WriteString("\nA set's page has its folds and commands. [Bhattacharyya " +
		"distances](results/distances.md) have a page\nof their own.\n")
	fmt.Fprintf(&b, "\n## Effect of depth\n\n%s\n\n", words["Effect of depth"])
	b.WriteString("| set | score | better half | its mean | GP-DRF | difference | |\n|---|---|---|---|---|---|---|\n")
	for _, s := range sets() {
		if s.models != nil {
			continue
		}
		for _, sc := range s.scores[:2] {
			difference(&b, s, sc, all)
		}
	}
	machines(&b, all, words)
	fmt.Fprintf(&b, "\n## Named sets\n\n%s\n", words["Named sets"])
	return b.String()
}

// setPage returns the page of the sets that share it: their notes, folds and commands.
func setPage(name string, all recordsByName, words notes) string {
	var b strings.Builder
	title(&b, strings.ToUpper(name))
	b.WriteString("[All results](../results.md)\n")
	var rows []row
	for _, s := range sets() {
		if s.page() != name {
			continue
		}
		folds(&b, s, all, words)
		rows = append(rows, s.modelRows()...)
		rows = append(append(rows, s.svmRows()...), s.exactRows()...)
	}
	commands(&b, rows, all, words)
	return b.String()
}

// title returns the heading of a set.
func (s set) title() string { return strings.ToUpper(s.name) }

// splitsText describes the splits over which the means of a set are taken.
func (s set) splitsText() string {
	if s.folds <= 1 {
		return "one split"
	}
	return fmt.Sprintf("%d folds", s.folds)
}

// glance writes the lines of a set in the first table: the paper's score, and the other scores that have a target.
func glance(b *strings.Builder, s set, all recordsByName) {
	for i, sc := range s.scores {
		var goal *target
		for k := range s.targets {
			if s.targets[k].key == sc.key {
				goal = &s.targets[k]
			}
		}
		if i > 0 && goal == nil {
			continue
		}
		cells := []string{fmt.Sprintf("[%s](results/%s.md)", s.title(), s.page()), s.splitsText(), sc.name}
		for _, m := range models() {
			cell := ""
			if figure, ok := s.paper[m]; ok && i == 0 {
				cell = fmt.Sprintf("%.3f", figure)
			}
			cells = append(cells, cell)
		}
		for _, m := range append([]string{defaultLabel}, models()...) {
			cells = append(cells, meanCell(s, m, sc.key, all))
		}
		goalText, verdictText := "", ""
		if v, ok := all.meanOf(s.rowsOf("gpdrf"), sc.key); ok && goal != nil {
			verdictText = goal.verdict(v)
		}
		if goal != nil {
			goalText = goal.String()
		}
		fmt.Fprintf(b, "| %s |\n", strings.Join(append(cells, goalText, verdictText), " | "))
	}
}

// meanCell returns the cell of a model's mean of a score over the folds of a set, ours in bold. A model that was only
// run with the defaults stands in their column.
func meanCell(s set, model, key string, all recordsByName) string {
	v, ok := all.meanOf(s.rowsOf(model), key)
	switch {
	case !ok, s.defaultsOnly && model == "gpdrf":
		return none
	case model == "gpdrf", model == defaultLabel:
		return "**" + number(v) + "**"
	}
	return number(v)
}

// meanOf returns the mean of a score; ok is false if a row has no record.
func (all recordsByName) meanOf(rows []row, key string) (v float64, ok bool) {
	records, ok := all.complete(rows)
	if !ok || len(rows) == 0 {
		return 0, false
	}
	x, ok := values(records, key)
	return meanOf(x).value, ok
}

// verdict says in words whether a mean reaches the target.
func (t target) verdict(v float64) string {
	switch {
	case !(v >= t.from && v <= t.to):
		return "no"
	case t.goal > 0 && v <= t.goal:
		return fmt.Sprintf("yes, and ≤ %g", t.goal)
	}
	return "yes"
}

// difference compares GP-DRF with the better of its halves.
func difference(b *strings.Builder, s set, sc score, all recordsByName) {
	sign := 1.0
	if sc.higher {
		sign = -1
	}
	score := func(model string) []float64 {
		records, ok := all.complete(s.rowsOf(model))
		if !ok {
			return nil
		}
		x, _ := values(records, sc.key)
		return x
	}
	ours, half, other := score("gpdrf"), score("gp"), score("drf")
	if ours == nil || half == nil || other == nil {
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s | not run yet |\n", s.title(), sc.name, none, none, none, none)
		return
	}
	name := "GP"
	if sign*meanOf(other).value < sign*meanOf(half).value {
		name, half = "DRF", other
	}
	d := paired(ours, half)
	says := "equal"
	if s.folds <= 1 {
		says = "one split: no s.e."
	} else if off := math.Abs(d.value); off > 0 && !(off <= d.se) {
		says = "worse"
		if sign*d.value < 0 {
			says = "**better**"
		}
	}
	fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s | %s |\n", s.title(), sc.name, name,
		number(meanOf(half).value), number(meanOf(ours).value), signed(d), says)
}

// folds writes the table of a set, with a line for each run that has a record.
func folds(b *strings.Builder, s set, all recordsByName, words notes) {
	fmt.Fprintf(b, "\n## %s\n\n", s.title())
	if note := words.of(s); note != "" {
		fmt.Fprintf(b, "%s\n\n", note)
	}
	b.WriteString("| model | fold |")
	for _, sc := range s.scores {
		fmt.Fprintf(b, " %s |", sc.name)
	}
	fmt.Fprintf(b, " test rows | steps | seconds |\n|---|---|%s---|---|---|\n", strings.Repeat("---|", len(s.scores)))
	for _, m := range append(append([]string{defaultLabel}, models()...), svmLabel, exactLabel) {
		missing := ""
		rows := s.rowsOf(m)
		if m == defaultLabel && s.defaultsOnly {
			continue
		}
		switch m {
		case svmLabel:
			rows = s.svmRows()
		case exactLabel:
			rows = s.exactRows()
		}
		if rows == nil {
			continue
		}
		for _, r := range rows {
			rec := all[r.name()]
			if rec == nil {
				missing += fmt.Sprintf(", %d", r.number)
				continue
			}
			fmt.Fprintf(b, "| %s | %d |", modelNames[m], r.number)
			for _, sc := range s.scores {
				v, ok := value(rec.Test, sc.key)
				fmt.Fprintf(b, " %s |", orNone(v, ok))
			}
			steps := none
			if rec.Steps > 0 {
				steps = fmt.Sprint(rec.Steps)
			}
			fmt.Fprintf(b, " %d | %s | %.0f |\n", rec.NTest, steps, rec.Seconds)
		}
		if missing != "" {
			fmt.Fprintf(b, "| %s | %s | not run yet |%s | | |\n", modelNames[m], missing[2:],
				strings.Repeat(" |", len(s.scores)-1))
			continue
		}
		if records, _ := all.complete(rows); s.folds > 1 {
			means(b, s, m, records)
		}
	}
}

// means writes the line below a model's folds.
func means(b *strings.Builder, s set, model string, records []*record) {
	fmt.Fprintf(b, "| **%s** | mean |", modelNames[model])
	for _, sc := range s.scores {
		x, ok := values(records, sc.key)
		m := meanOf(x)
		fmt.Fprintf(b, " **%s** ± %s |", orNone(m.value, ok), orNone(m.se, ok))
	}
	seconds := 0.0
	for _, m := range records {
		seconds += m.Seconds / float64(len(records))
	}
	fmt.Fprintf(b, " | | %.0f |\n", seconds)
}

// number formats a number with four decimals and a typographic minus sign.
func number(v float64) string { return minus(fmt.Sprintf("%.4f", v)) }

func minus(text string) string { return strings.ReplaceAll(text, "-", "−") }

func orNone(v float64, ok bool) string {
	if !ok || math.IsNaN(v) {
		return none
	}
	return number(v)
}

// signed formats a difference with its sign and, over several folds, its standard error.
func signed(m mean) string {
	text := minus(fmt.Sprintf("%+.4f", m.value))
	if !math.IsNaN(m.se) {
		text += " ± " + number(m.se)
	}
	return text
}
