package main

import (
	"fmt"
	"math"
	"strings"
)

const none = "–"

// report is docs/results.md: what the records say, and which rows have none.
func report(all found) string {
	var b strings.Builder
	b.WriteString(`# Results

Written by ` + "`make results`" + `; do not edit. Each run is one command of those [below](#commands), and its record is a file in bench/results. All figures are of
the parameters after the last step, never of the best one, and settings were chosen on rows held out of training, not on the test rows, except
where a note says so. 
Where a command names ` + "`--spectra var-fixed`" + `, that was the default when its record was made; [suite.md](suite.md) has today's.
Regression is in units of the training targets' standard deviation: RMSE, NLPD (negative log predictive density), and the share
of test targets inside the central 90 % interval. Classification: error rate, NLL, and the expected calibration error (ECE).
± is one standard error over the folds. Seconds are those of training, on a machine that had other work to do at the time: they are upper bounds.

## At a glance

The paper's figures are of one fold each. Its GP and DRF are other programs'; ours are the two halves of our GP-DRF, trained with the same
number of steps and rows.

`)
	b.WriteString("| set | mean of | score | paper: GP | DRF | GP-DRF | here: GP | DRF | GP-DRF | target | met |\n|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, s := range sets() {
		glance(&b, s, all)
	}
	b.WriteString(`
## What the depth buys

GP-DRF minus the better of its halves, GP and DRF, paired over the folds; less is better, but more of an AUC. A difference within
one standard error counts as equal.

| set | score | better half | its mean | GP-DRF | difference | |
|---|---|---|---|---|---|---|
`)
	for _, s := range sets() {
		if s.models != nil {
			continue
		}
		for _, sc := range s.scores[:2] {
			difference(&b, s, sc, all)
		}
	}
	machines(&b, all)
	for _, s := range sets() {
		folds(&b, s, all)
	}
	distancesTable(&b, all)
	effects(&b, all)
	commands(&b, all)
	return b.String()
}

// title is a set as a heading.
func (s set) title() string { return strings.ToUpper(s.name) }

// over says what a set's means are over.
func (s set) over() string {
	if s.folds <= 1 {
		return "one split"
	}
	return fmt.Sprintf("%d folds", s.folds)
}

// glance writes a set's lines of the first table: the paper's score, and every other one that has a
// target.
func glance(b *strings.Builder, s set, all found) {
	for i, sc := range s.scores {
		var wanted *target
		for k := range s.wanted {
			if s.wanted[k].key == sc.key {
				wanted = &s.wanted[k]
			}
		}
		if i > 0 && wanted == nil {
			continue
		}
		cells := []string{s.title(), s.over(), sc.name}
		for _, m := range models() {
			cell := ""
			if figure, ok := s.paper[m]; ok && i == 0 {
				cell = fmt.Sprintf("%.3f", figure)
			}
			cells = append(cells, cell)
		}
		want, met := "", ""
		for _, m := range models() {
			cell := none
			if records, ok := all.complete(s.rowsOf(m)); ok {
				if x, ok := values(records, sc.key); ok {
					cell = number(meanOf(x).value)
					if m == "gpdrf" {
						cell = "**" + cell + "**"
						if wanted != nil {
							met = wanted.verdict(meanOf(x).value)
						}
					}
				}
			}
			cells = append(cells, cell)
		}
		if wanted != nil {
			want = wanted.String()
		}
		fmt.Fprintf(b, "| %s |\n", strings.Join(append(cells, want, met), " | "))
	}
}

// verdict says whether a mean reaches the target.
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
func difference(b *strings.Builder, s set, sc score, all found) {
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
	fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s | %s |\n", s.title(), sc.name, name, number(meanOf(half).value), number(meanOf(ours).value), signed(d), says)
}

// folds writes the table of a set, a line for each run that has a record.
func folds(b *strings.Builder, s set, all found) {
	fmt.Fprintf(b, "\n## %s\n\n", s.title())
	if s.note != "" {
		fmt.Fprintf(b, "%s\n\n", s.note)
	}
	b.WriteString("| model | fold |")
	for _, sc := range s.scores {
		fmt.Fprintf(b, " %s |", sc.name)
	}
	fmt.Fprintf(b, " test rows | steps | seconds |\n|---|---|%s---|---|---|\n", strings.Repeat("---|", len(s.scores)))
	for _, m := range append(models(), svmLabel) {
		missing, rows := "", s.rowsOf(m)
		if m == svmLabel {
			rows = s.svmRows()
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
			fmt.Fprintf(b, "| %s | %s | not run yet |%s | | |\n", modelNames[m], missing[2:], strings.Repeat(" |", len(s.scores)-1))
			continue
		}
		if records, _ := all.complete(rows); s.folds > 1 {
			means(b, s, m, records)
		}
	}
}

// means is the line below a model's folds.
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

// number has four decimals, with a minus sign that is as long as a plus.
func number(v float64) string { return minus(fmt.Sprintf("%.4f", v)) }

func minus(text string) string { return strings.ReplaceAll(text, "-", "−") }

func orNone(v float64, ok bool) string {
	if !ok || math.IsNaN(v) {
		return none
	}
	return number(v)
}

// signed is a difference with its sign and, over several folds, its standard error.
func signed(m mean) string {
	text := minus(fmt.Sprintf("%+.4f", m.value))
	if !math.IsNaN(m.se) {
		text += " ± " + number(m.se)
	}
	return text
}
