package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// machines compares GP-DRF with the support vector machines on the same features and rows.
func machines(b *strings.Builder, all recordsByName, words notes) {
	const heading = "Comparison with support vector machines"
	fmt.Fprintf(b, "\n## %s\n\n%s\n\n", heading, words[heading])
	b.WriteString("| set | mean of | score | SVM | chosen | GP-DRF | difference | at most 1 s.e. " +
		"worse |\n|---|---|---|---|---|---|---|---|\n")
	for _, s := range sets() {
		if s.svm {
			machineLine(b, s, all)
		}
	}
}

// machineLine writes the line of a set.
func machineLine(b *strings.Builder, s set, all recordsByName) {
	sc := s.scores[0]
	theirs, ok := all.complete(s.svmRows())
	ours, trained := all.complete(s.rowsOf("gpdrf"))
	if !ok || !trained {
		fmt.Fprintf(b, "| %s | %s | %s | %s | | %s | not run yet | |\n", s.title(), s.splitsText(), sc.name, none, none)
		return
	}
	x, _ := values(theirs, sc.key)
	y, _ := values(ours, sc.key)
	m, d := meanOf(x), paired(y, x)
	margin := d.se
	if sc.key == "error" && len(x) == 1 {
		margin = math.Sqrt(m.value * (1 - m.value) / float64(theirs[0].NTest))
		m.se = margin
	}
	cell := number(m.value)
	says := none
	if !math.IsNaN(margin) {
		cell += " ± " + number(m.se)
		says = "no"
		if worse := d.value; sc.higher && -worse <= margin || !sc.higher && worse <= margin {
			says = "yes"
		}
	}
	var chosen []string
	for _, r := range theirs {
		chosen = append(chosen, r.Chosen)
	}
	slices.Sort(chosen)
	fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s | %s | %s |\n", s.title(), s.splitsText(), sc.name, cell,
		strings.Join(slices.Compact(chosen), "; "),
		number(meanOf(y).value), signed(d), says)
}
