package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// cvTable is the table of scores: a line for each fold, the means, their standard errors, and the scores of all rows
// together.
func cvTable(cv *rundir.CV) string {
	mean, se := means(cv.Test, false), means(cv.Test, true)
	ownMean, ownSE := means(cv.Raw, false), means(cv.Raw, true)
	header := []any{"fold", "test rows"}
	for _, s := range scoresOf(cv.Task) {
		if _, ok := cv.Test["auc"]; s.key != "auc" || ok {
			header = append(header, s.name)
		}
	}
	counts := slices.ContainsFunc(cv.Runs, func(r rundir.FoldRun) bool {
		return r.Standing == rundir.FoldFinished && r.Measure == fitted.CountingMeasure
	})
	hasOwn := cv.Raw != nil && cv.Task == data.Regression && !counts // Counts have one unit only.
	if hasOwn {
		header = append(header, "RMSE, own units", "NLPD, own units")
	}
	t := newNumberTable(header...)
	row := func(name, rows any, test, own map[string]float64) {
		cells := []any{name, rows}
		for _, s := range scoresOf(cv.Task) {
			cells = append(cells, s.text(test))
		}
		for _, s := range scoresOf(cv.Task) {
			if s.own && hasOwn {
				cells = append(cells, s.ownText(own))
			}
		}
		t.add(cells[:len(header)]...)
	}
	for _, run := range cv.Runs {
		if run.Standing == rundir.FoldFinished {
			test, own := run.ResultScores.Numbers()
			row(run.Fold, testedRows(run), test, own)
		} else {
			t.add(run.Fold, "", run.Standing)
		}
	}
	if cv.Finished > 0 {
		row("mean", "", mean, ownMean)
		row("standard error", "", se, ownSE)
	}
	text := fmt.Sprintf("%s on %s, %d folds", cv.Model, cv.Data, cv.Folds)
	if !cv.Complete {
		text += fmt.Sprintf(", of which %d are finished", cv.Finished)
	}
	text += "\n" + t.indented()
	if p := cv.Pooled; p != nil && cv.Task == data.Regression {
		text += fmt.Sprintf("\n\nall %d rows together, own units: RMSE %.4g, NLPD %.4g", p.Rows,
			p.Scores["rmse"], p.Scores["nlpd"])
	} else if p != nil {
		text += fmt.Sprintf("\n\nall %d rows together\n", p.Rows) + classTables(p.Classes)
	}
	text = strings.TrimRight(text, "\n") + coverageText("", cv.Conformal)
	for _, o := range cv.Outputs {
		text += coverageText(" of "+o.Target, o.Conformal)
	}
	return text
}

// testedRows is the number of scored test rows of a fold, and of all its test rows if a time limit has cut the test.
func testedRows(run rundir.FoldRun) string {
	if run.Cut != nil {
		return fmt.Sprintf("%d of %d", run.Cut.Rows, run.NTest)
	}
	return fmt.Sprint(run.NTest)
}

// coverageText is the line about the intervals or sets of a target; "" without them.
func coverageText(of string, c map[string]rundir.Average) string {
	if c == nil {
		return ""
	}
	return fmt.Sprintf("\n\nconformal%s, level %g: %.1f %% of the rows inside", of, c["level"].Mean,
		100*c["coverage"].Mean)
}

// means returns the means over folds, or their standard errors.
func means(of map[string]rundir.Average, errors bool) map[string]float64 {
	values := map[string]float64{}
	for key, a := range of {
		if !errors {
			values[key] = a.Mean
		} else if a.SE != nil {
			values[key] = *a.SE
		}
	}
	return values
}
