package main

import (
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// cvColumn is a score of a cross-validation: its place in result.json, and how it is written.
type cvColumn struct {
	heading, key string
	raw          bool // of test_raw
	percent      bool
}

func cvColumns(cv *rundir.CV) (columns []cvColumn) {
	if cv.Task == data.Classification {
		columns = []cvColumn{{heading: "error", key: "error"}, {heading: "NLL", key: "nll"},
			{heading: "ECE", key: "ece"}}
		if _, two := cv.Test["auc"]; two {
			columns = append(columns, cvColumn{heading: "AUC", key: "auc"})
		}
	} else {
		columns = []cvColumn{{heading: "RMSE", key: "rmse"}, {heading: "NLPD", key: "nlpd"},
			{heading: "90 % coverage", key: "coverage90", percent: true}}
		if cv.Raw != nil {
			columns = append(columns, cvColumn{heading: "RMSE, own units", key: "rmse", raw: true},
				cvColumn{heading: "NLPD, own units", key: "nlpd", raw: true})
		}
	}
	return columns
}

func (c cvColumn) text(v float64) string {
	switch {
	case c.percent:
		return fmt.Sprintf("%.1f %%", 100*v)
	case c.raw:
		return fmt.Sprintf("%.4g", v)
	}
	return fmt.Sprintf("%.4f", v)
}

// of is the score's mean over folds and its standard error, and whether there is one.
func (c cvColumn) of(cv *rundir.CV) (a rundir.Average, is bool) {
	if c.raw {
		a, is = cv.Raw[c.key]
	} else {
		a, is = cv.Test[c.key]
	}
	return a, is
}

// cvTable is a line for each fold, the means and their standard errors, and what all rows come to
// together.
func cvTable(cv *rundir.CV) string {
	columns := cvColumns(cv)
	t := plainTable(len(columns) + 2)
	header := table.Row{"fold", "test rows"}
	mean, se := table.Row{"mean", ""}, table.Row{"standard error", ""}
	for _, c := range columns {
		header = append(header, c.heading)
		a, is := c.of(cv)
		m, s := "", ""
		if is {
			m = c.text(a.Mean)
		}
		if is && a.SE != nil {
			s = c.text(*a.SE)
		}
		mean, se = append(mean, m), append(se, s)
	}
	t.AppendHeader(header)
	for _, run := range cv.Runs {
		row := table.Row{run.Fold, ""}
		if run.Standing != rundir.FoldFinished {
			t.AppendRow(append(row, run.Standing))
			continue
		}
		row[1] = run.NTest
		test, raw := run.Scored.Numbers()
		for _, c := range columns {
			from := test
			if c.raw {
				from = raw
			}
			if v, is := from[c.key]; is {
				row = append(row, c.text(v))
			} else {
				row = append(row, "")
			}
		}
		t.AppendRow(row)
	}
	if cv.Finished > 0 {
		t.AppendRow(mean)
		t.AppendRow(se)
	}
	text := fmt.Sprintf("%s on %s, %d folds", cv.Model, cv.Data, cv.Folds)
	if !cv.Complete {
		text += fmt.Sprintf(", of which %d are finished", cv.Finished)
	}
	text += "\n" + indented(t)
	if p := cv.Pooled; p != nil && cv.Task == data.Regression {
		text += fmt.Sprintf("\n\nall %d rows together, own units: RMSE %.4g, NLPD %.4g", p.Rows,
			p.Scores["rmse"], p.Scores["nlpd"])
	} else if p != nil {
		text += fmt.Sprintf("\n\nall %d rows together\n", p.Rows) + classTables(p.Classes)
	}
	return strings.TrimRight(text, "\n")
}
