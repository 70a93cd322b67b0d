package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/report"
)

func (p *program) runsVerb() verb {
	return verb{
		name: "runs", args: "[DIR]\ncompare A B", line: "list runs and their scores, or compare two", run: p.runs,
		about: "It lists the runs in DIR and below, by default in runs. A cross-validation is one line, with the " +
			"means of its folds. The column cut has the number of test rows scored, 12 of 90, if a time limit cut " +
			"the test. compare lists differing options, and scores, paired over the same test rows if both have " +
			"predictions. Scores of numbers are in training-sd units, and those of counts in counts: sort runs of " +
			"one kind.",
		flags: []flagSpec{
			{group: "Output", name: "sort", arg: "COLUMN",
				help: "sort by a column, from the least; with a - in front from the largest"},
			jsonFlag,
		},
		examples: []example{
			{"gpdrf-gpu runs", "all runs"},
			{"gpdrf-gpu runs experiments --sort nlpd", "those of a folder, the best first"},
			{"gpdrf-gpu runs compare runs/houses-gpdrf-1 runs/houses-gp-1", "what differs, and which is better"},
		},
	}
}

// runs lists the runs of a folder, or compares two of them.
func (p *program) runs(c *call) error {
	p.newExitGuard(p.ctx, p.nothingWritten)
	args := c.args
	if len(args) > 0 && args[0] == "compare" {
		if _, given := c.text("sort"); given {
			return usagef("--sort: is for a list of runs")
		}
		return p.compareRuns(args[1:])
	}
	folder := "runs"
	if len(args) > 0 {
		folder = args[0]
		if err := c.noMore(args[1:]); err != nil {
			return err
		}
	}
	all, err := report.List(folder, func(err error) { p.warn("%v", err) })
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return usagef("%s: there are no runs in it: gpdrf-gpu train makes one, or give another folder", folder)
	}
	if by, given := c.text("sort"); given {
		if err := sortRuns(all, by); err != nil {
			return err
		}
	}
	if p.json {
		return p.printJSON(all)
	}
	fmt.Fprintln(p.out, runsTable(all))
	return nil
}

// runColumn is a column of the list of runs. number is nil in a column of text.
type runColumn struct {
	name   string
	text   func(report.Entry) string
	number func(report.Entry) *float64
}

func runColumns() []runColumn {
	score := func(name string, of func(report.Entry) *float64) runColumn {
		return runColumn{name, func(e report.Entry) string { return optional("%.4f", of(e)) }, of}
	}
	return []runColumn{
		{"run", func(e report.Entry) string { return e.Run }, nil},
		{"data", func(e report.Entry) string { return e.Data }, nil},
		{"model", func(e report.Entry) string { return e.Model }, nil},
		{"standing", func(e report.Entry) string { return e.Status }, nil},
		{"began", func(e report.Entry) string {
			if e.Began == nil {
				return ""
			}
			return e.Began.Local().Format("2006-01-02 15:04")
		}, nil},
		{"steps", func(e report.Entry) string { return strconv.Itoa(e.Steps) },
			func(e report.Entry) *float64 { v := float64(e.Steps); return &v }},
		{"seconds", func(e report.Entry) string { return fmt.Sprintf("%.1f", e.Seconds) },
			func(e report.Entry) *float64 { return &e.Seconds }},
		{"cut", func(e report.Entry) string { return e.Cut }, nil},
		score("rmse", func(e report.Entry) *float64 { return e.RMSE }),
		score("nlpd", func(e report.Entry) *float64 { return e.NLPD }),
		score("error", func(e report.Entry) *float64 { return e.Error }),
		score("nll", func(e report.Entry) *float64 { return e.NLL }),
	}
}

func valueOr(v *float64, def float64) float64 {
	if v == nil {
		return def
	}
	return *v
}

// optional formats a number; "" if v is nil.
func optional(format string, v *float64) string {
	if v == nil {
		return ""
	}
	return fmt.Sprintf(format, *v)
}

// sortRuns sorts by a column, from the least; with a - in front from the largest. Runs without a value come last.
func sortRuns(all []report.Entry, by string) error {
	name, down := strings.CutPrefix(by, "-")
	var names []string
	for _, c := range runColumns() {
		names = append(names, c.name)
		if c.name != name {
			continue
		}
		sign := 1
		if down {
			sign = -1
		}
		last := math.Inf(sign)
		slices.SortStableFunc(all, func(a, b report.Entry) int {
			if c.number == nil {
				return sign * cmp.Compare(c.text(a), c.text(b))
			}
			return sign * cmp.Compare(valueOr(c.number(a), last), valueOr(c.number(b), last))
		})
		return nil
	}
	return usagef("--sort: there is no column %q: use one of %s", name, strings.Join(names, ", "))
}

// runsTable leaves out columns that no run has.
func runsTable(all []report.Entry) string {
	t := newTable()
	t.rows = make([][]any, len(all))
	for _, c := range runColumns() {
		if !slices.ContainsFunc(all, func(e report.Entry) bool { return c.text(e) != "" }) {
			continue
		}
		if c.number != nil {
			t.right = append(t.right, len(t.header))
		}
		t.header = append(t.header, c.name)
		for i, e := range all {
			t.rows[i] = append(t.rows[i], c.text(e))
		}
	}
	return strings.Join(t.lines(""), "\n")
}

// compareRuns prints the differences of two runs.
func (p *program) compareRuns(folders []string) error {
	if len(folders) != 2 {
		return usagef("runs compare needs two run folders: gpdrf-gpu runs compare A B")
	}
	var runs [2]*report.Run
	for i, folder := range folders {
		var err error
		if runs[i], err = report.Open(folder); err != nil {
			return err
		}
	}
	return p.show(runComparison{report.Compare(runs[0], runs[1])})
}

// runComparison is a comparison of two runs with a text for people.
type runComparison struct{ *report.Comparison }

// Lines returns the text for people.
func (c runComparison) Lines() []string {
	lines := []string{"A  " + c.A, "B  " + c.B}
	if len(c.Settings) == 0 {
		lines = append(lines, "", "the options are the same")
	}
	given, settled := newTable("option", "A", "B"), newTable("settled by both runs", "A", "B")
	for _, s := range c.Settings {
		t := given
		if s.Settled {
			t = settled
		}
		t.add(s.Key, s.A, s.B)
	}
	scores := newNumberTable("score", "A", "B", "B − A")
	for _, s := range c.Scores {
		scores.add(s.Name, fmt.Sprintf("%.4f", s.A), fmt.Sprintf("%.4f", s.B), fmt.Sprintf("%+.4f", s.B-s.A))
	}
	for _, t := range []*textTable{given, settled, scores} {
		if t.rows != nil {
			lines = append(append(lines, ""), t.lines("")...)
		}
	}
	if c.Cut != "" {
		lines = append(lines, "", c.Cut)
	}
	lines = append(lines, "")
	if c.Paired == nil {
		return append(lines, "not compared row by row: "+c.Unpaired)
	}
	n := c.Paired
	lines = append(lines, fmt.Sprintf("row by row, over %d test rows (B − A, ± standard error)", n.Rows),
		fmt.Sprintf("  log density     %s nats: %s", n.LogDensity, verdict(n.LogDensity, 1)))
	if d := n.Absolute; d != nil {
		lines = append(lines, fmt.Sprintf("  absolute error  %s in own units: %s", *d, verdict(*d, -1)))
	}
	if n.OnlyA != nil {
		lines = append(lines, fmt.Sprintf("  right           %d rows only by A, %d only by B", *n.OnlyA, *n.OnlyB))
	}
	return lines
}

// verdict names the better run, if the difference is more than two standard errors. sign is 1 if more is better, and −1
// if less is.
func verdict(d report.Difference, sign float64) string {
	switch {
	case !(math.Abs(d.Mean) > 2*d.SE):
		return "no clear difference"
	case sign*d.Mean > 0:
		return "B is better"
	}
	return "A is better"
}
