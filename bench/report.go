package main

import (
	"fmt"
	"io"
	"sort"
	"strings"
)

// report writes docs/results.md: a table for each data set, then the commands.
func report(w io.Writer, all []row, found []measured) error {
	var b strings.Builder
	b.WriteString(`# Results

Written by ` + "`make results`" + `; do not edit. Every row is one command, listed below, with seed 1 and figures from the last step,
never the best one. Regression is in units of the training targets' standard deviation: RMSE, NLPD (negative log predictive
density), and the share of test targets inside the central 90 % interval. Classification: error rate, NLL, and the expected calibration
error (ECE). "paper" is the figure of the paper's table for that model, which is of one fold. Seconds are those of the training loop.

`)
	for _, group := range groups(all) {
		first := found[group[0]]
		regression := first.Test.RMSE != nil
		fmt.Fprintf(&b, "## %s\n\n", strings.ToUpper(all[group[0]].set))
		if regression {
			b.WriteString("| fold | model | RMSE | paper | NLPD | 90 % coverage | test rows | steps | seconds |\n|---|---|---|---|---|---|---|---|---|\n")
		} else {
			b.WriteString("| fold | model | error | paper | NLL | ECE | test rows | steps | seconds |\n|---|---|---|---|---|---|---|---|---|\n")
		}
		for _, i := range group {
			r, m := all[i], found[i]
			a, n, c := m.scores()
			fmt.Fprintf(&b, "| %d | %s | %.4f | %s | %.3f | %.3f | %d | %d | %.0f |\n", r.fold, r.model, a, r.paper, n, c, m.NTest, m.Steps, m.Seconds)
		}
		means(&b, all, found, group)
		b.WriteString("\n")
	}
	commands(&b, all, found)
	b.WriteString("\nThe commands need `GPDRF_DATA` for every set but POWERPLANT.\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// commands lists the command of each row under the source and the machine that made it.
func commands(b *strings.Builder, all []row, found []measured) {
	b.WriteString("## Commands\n")
	made := ""
	for i, r := range all {
		m := found[i]
		if by := fmt.Sprintf("Commit %s, %s, %s, %s:", m.stamp.Commit, m.Device, m.stamp.Machine, m.stamp.Date); by != made {
			made = by
			fmt.Fprintf(b, "\n%s\n\n", by)
		}
		fmt.Fprintf(b, "    %s\n", r.command())
	}
}

// scores are a row's three figures.
func (m measured) scores() (first, density, calibration float64) {
	t := m.Test
	if t.RMSE != nil {
		return *t.RMSE, *t.NLPD, *t.Coverage90
	}
	return *t.Error, *t.NLL, *t.ECE
}

// groups are the indices of the rows of each data set, sets in order of appearance, a set's rows by
// model and fold.
func groups(all []row) (out [][]int) {
	place := map[string]int{}
	for i, r := range all {
		g, ok := place[r.set]
		if !ok {
			g = len(out)
			place[r.set] = g
			out = append(out, nil)
		}
		out[g] = append(out[g], i)
	}
	for _, g := range out {
		sort.SliceStable(g, func(i, j int) bool { return all[g[i]].model > all[g[j]].model })
	}
	return out
}

// means adds the mean over folds for each model that has several.
func means(b *strings.Builder, all []row, found []measured, group []int) {
	var order []string
	sum := map[string][4]float64{}
	for _, i := range group {
		name := all[i].model
		if _, ok := sum[name]; !ok {
			order = append(order, name)
		}
		first, density, calibration := found[i].scores()
		s := sum[name]
		sum[name] = [4]float64{s[0] + first, s[1] + density, s[2] + calibration, s[3] + 1}
	}
	for _, name := range order {
		if s := sum[name]; s[3] > 1 {
			fmt.Fprintf(b, "| mean of %.0f | %s | **%.4f** | | **%.3f** | %.3f | | | |\n", s[3], name, s[0]/s[3], s[1]/s[3], s[2]/s[3])
		}
	}
}
