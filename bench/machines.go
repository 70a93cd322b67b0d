package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// machines compares GP-DRF with the support vector machines on the same features and rows.
func machines(b *strings.Builder, all found) {
	b.WriteString(`
## Beside a support vector machine

Of scikit-learn, on the features of GP-DRF's kernel and the same rows; its kernel, linear or RBF, and its constants are chosen by cross-validation
on the training rows. It has an error but no probabilities. ± is one standard error, over the folds or, of the errors of a single split, by the number of its
test rows; the difference, GP-DRF minus the SVM, is paired over the folds. The last column says whether GP-DRF is at most one such error worse.

| set | mean of | score | SVM | chosen | GP-DRF | difference | at most 1 s.e. worse |
|---|---|---|---|---|---|---|---|
`)
	for _, s := range sets() {
		if s.svm != "" {
			beside(b, s, all)
		}
	}
}

func beside(b *strings.Builder, s set, all found) {
	sc := s.scores[0]
	theirs, ok := all.complete(machineOf(s))
	ours, trained := all.complete(s.rowsOf("gpdrf"))
	if !ok || !trained {
		fmt.Fprintf(b, "| %s | %s | %s | %s | | %s | not run yet | |\n", s.title(), s.over(), sc.name, none, none)
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
	cell, says := number(m.value), none
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
	fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s | %s | %s |\n", s.title(), s.over(), sc.name, cell, strings.Join(slices.Compact(chosen), "; "),
		number(meanOf(y).value), signed(d), says)
}
