package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// machines names the sets of sequences and graphs on which a support vector machine is ahead.
func (p evidencePage) machines(b *strings.Builder) {
	n, lost, worst, on := 0, 0, mean{}, ""
	for _, s := range sets() {
		theirs, ok := p.runs.complete(s.svmRows())
		ours, trained := p.runs.complete(s.rowsOf("gpdrf"))
		if s.folds < 2 || !s.svm || s.scores[0].key != "error" || !ok || !trained {
			continue
		}
		x, _ := values(theirs, "error")
		y, _ := values(ours, "error")
		n++
		if d := paired(y, x); d.value > d.se {
			lost++
			if d.value > worst.value {
				worst, on = d, s.title()
			}
		}
	}
	if lost > 0 {
		fmt.Fprintf(b, "\nOn %d of %d sets of sequences and graphs, a support vector machine errs less by more than "+
			"one standard error over the folds. The largest loss is on %s: %s.\n\n    make svm\n", lost, n, on,
			signed(worst))
	}
}

// sizes are groups of tables by their number of rows.
var sizes = []struct {
	says         string
	least, below int
}{{"fewer than 1,000", 0, 1000}, {"1,000 to 4,999", 1000, 5000}, {"5,000 or more", 5000, math.MaxInt}}

// elsewhere names the methods that are better on most tables of a size, at a number, or in time.
func (p evidencePage) elsewhere(b *strings.Builder) {
	b.WriteString("\n## When to use something else\n\nEach method here comes with the tables where it is better, or " +
		"with its time:\n\n")
	before := b.Len()
	for _, kind := range kindsOfSets[:2] {
		for _, size := range sizes {
			if names := p.often(kind, rankedBy(kind), 2, size.least, size.below, .5); names != "" {
				fmt.Fprintf(b, "- %s, with %s rows: %s.\n", capital(tablesOf(kind)), size.says, names)
			}
		}
		key := keysOf(kind)[1]
		if names := p.often(kind, key, 2, 0, math.MaxInt, 1./3); names != "" {
			fmt.Fprintf(b, "- %s without a distribution, by %s: %s.\n", capital(tablesOf(kind)), scoreName(key), names)
		}
	}
	ours, _ := p.spent(methodOf("gpdrf"))
	var quick []string
	for _, m := range suiteMethods() {
		if took, _ := p.spent(m); !m.ours() && len(took) > 0 && len(ours) > 0 && 4*median(took) < median(ours) {
			quick = append(quick, m.title+" "+seconds(median(took))+" s")
		}
	}
	if len(quick) > 0 {
		fmt.Fprintf(b, "- A quarter of the time of GP-DRF, which takes %.0f s, or less: %s.\n", median(ours),
			strings.Join(quick, ", "))
	}
	if b.Len() == before {
		b.WriteString("- There is none.\n")
	}
	b.WriteString("\n      make suite FOLDS=1\n")
}

// spent returns the seconds of a method's cells of fold 1, and their peaks of memory in bytes.
func (p evidencePage) spent(m suiteMethod) (seconds, bytes []float64) {
	for _, s := range append(setsOf(numbers), setsOf(classes)...) {
		if r := p.suite.records[cellKey{s.name, 1, m.name}]; r != nil && r.Error == "" {
			seconds, bytes = append(seconds, r.Took), append(bytes, r.Memory)
		}
	}
	return seconds, bytes
}

// seconds formats a time, with a decimal if it is short.
func seconds(v float64) string {
	if v < 10 {
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}

// costs writes the time and memory of a cell of GP-DRF.
func (p evidencePage) costs(b *strings.Builder) {
	took, bytes := p.spent(methodOf("gpdrf"))
	if len(took) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## What it costs\n\nOn two threads, GP-DRF takes a median of %.0f s and at most %.0f s, over %d "+
		"tables.", median(took), slices.Max(took), len(took))
	fmt.Fprintf(b, " Its memory at the peak is %.0f MB in the median, and at most %.0f MB.", median(bytes)/1e6,
		slices.Max(bytes)/1e6)
	b.WriteString(" A flag stops it earlier:\n\n    gpdrf-gpu train --data TABLE --time-limit 10s\n")
}

// races writes the time that a whole run of ours takes to predict as well as a peer.
func (p evidencePage) races(b *strings.Builder) {
	races := p.reach.races()
	if len(races) == 0 {
		return
	}
	fmt.Fprintf(b, `
## Seconds to the same NLPD

Whole runs on fold 1 of the %d tables of numbers with most rows: medians of five, with their range.
A peer has the suite's time limit. SVGP trains to its end, and may have been as good before.
LightGBM stops early, but also trains on up to five folds for its variance. GP-DRF has
the shortest time limit that is enough, of %s; the search for it is not counted.

| table | NLPD of | its seconds, CPU-seconds | GP-DRF's seconds, CPU-seconds |
|---|---|---|---|
`, maxReached, spread(reachLimits))
	for _, r := range races {
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", r.set, titleOf(r.peer), medianRange(r.theirs), medianRange(r.ours))
	}
	b.WriteString("\n![Seconds of each](images/reach.png)\n\n    make reach\n")
}

// medianRange formats the median of runs, with the least and the largest value.
func medianRange(runs []*record) string {
	const key = "wall_seconds"
	if math.IsInf(medianFigure(runs, key), 1) {
		return fmt.Sprintf("not within %d s", slices.Max(reachLimits))
	}
	var all []float64
	for _, m := range runs {
		all = append(all, figure(m, key))
	}
	most := fmt.Sprintf("%.1f", slices.Max(all))
	if math.IsInf(slices.Max(all), 1) {
		most = "never"
	}
	return fmt.Sprintf("%.1f (%.1f to %s), %.0f", medianFigure(runs, key), slices.Min(all), most,
		medianFigure(runs, "cpu_seconds"))
}

// paperSets returns the sets with figures in the paper, without sets that were split into folds.
func paperSets() []set {
	return slices.DeleteFunc(sets(), func(s set) bool { return s.paper == nil || s.split })
}

// paper writes the table of the paper's sets.
func (p evidencePage) paper(b *strings.Builder) {
	b.WriteString(`
## The paper's sets, today's defaults

The table has GP-DRF without any option, GP-DRF with options tuned for each set, and the paper's figures
for one fold. ± is a standard error over the folds. Test rows of POWERPLANT, of PROTEIN, and of a
table with the rows of SPAM helped to choose the defaults: [defaults.md](defaults.md).

| set | mean of | score | defaults | tuned | defaults − tuned | paper |
|---|---|---|---|---|---|---|
`)
	for _, s := range paperSets() {
		key := s.scores[0].key
		cells, scores := []string{}, [][]float64{}
		for _, rows := range [][]row{s.rowsOf(defaultLabel), s.rowsOf("gpdrf")} {
			cell := "not run"
			if records, ok := p.runs.complete(rows); ok {
				x, _ := values(records, key)
				m := meanOf(x)
				cell = number(m.value)
				if s.folds > 1 {
					cell += " ± " + number(m.se)
				}
				scores = append(scores, x)
			}
			cells = append(cells, cell)
		}
		difference := ""
		if len(scores) == 2 {
			difference = signed(paired(scores[0], scores[1]))
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s | %.3f |\n", s.title(), s.splitsText(), s.scores[0].name,
			cells[0], cells[1],
			difference, s.paper["gpdrf"])
	}
	b.WriteString("\n    make results\n")
}
