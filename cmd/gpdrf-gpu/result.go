package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// paperFigures are the figures in the paper's table "Dataset Statistics and Benchmark Results": RMSE of a standardised
// target, or the error rate.
var paperFigures = map[string]map[string]float64{
	"powerplant": {"gp": 0.207, "drf": 0.201, "gpdrf": 0.194},
	"protein":    {"gp": 0.737, "drf": 0.613, "gpdrf": 0.652},
	"spam":       {"gp": 0.043, "drf": 0.029, "gpdrf": 0.001},
	"eeg":        {"gp": 0.114, "drf": 0.106, "gpdrf": 0.016},
	"mnist":      {"gp": 0.059, "drf": 0.045, "gpdrf": 0.033},
}

// foldOf names the fold of the test rows for a title; "" if there is only one.
func foldOf(r *rundir.Result) string {
	switch {
	case r.Folds > 0:
		return fmt.Sprintf(", fold %d of %d", r.Fold, r.Folds)
	case r.Fold > 0 && data.Folds(r.Data) > 1:
		return fmt.Sprintf(", fold %d", r.Fold)
	}
	return ""
}

// printResult prints the result of a run or an evaluation.
func (p *program) printResult(r *rundir.Result) {
	p.note("")
	fmt.Fprintln(p.out, scoreTable(r))
	p.printIntervals("", r.Conformal)
	for _, o := range r.Outputs {
		p.printIntervals(" of "+o.Target, o.Conformal)
	}
	if r.KLWeight != 1 || !strings.HasPrefix(r.Objective, "ELBO") {
		fmt.Fprintf(p.out, "\nobjective: %s\n", r.Objective)
	}
}

// printIntervals prints the scores of the intervals or sets of a target on the test rows.
func (p *program) printIntervals(of string, s *fitted.ConformalScores) {
	if s == nil {
		return
	}
	what, size := "intervals", fmt.Sprintf("mean width %.4g", s.Width)
	if s.Size > 0 {
		what, size = "sets", fmt.Sprintf("mean size %.3g", s.Size)
	}
	fmt.Fprintf(p.out, "\nconformal %s%s, level %g by %d rows: %.1f %% of the test rows inside, %s\n", what, of,
		s.Level, s.N, 100*s.Coverage, size)
}

// scoreTable returns the small table of scores. For a named set the paper's figure stands beside them.
func scoreTable(r *rundir.Result) string {
	title := fmt.Sprintf("%s on %s%s", r.Model, r.Data, foldOf(r))
	paper := ""
	if figure, ok := paperFigures[r.Data][r.Model]; ok && r.Fold > 0 && r.Folds == 0 { // it is a fold of the named set
		paper = fmt.Sprintf("%.3f", figure)
	}
	if r.NTest == 0 {
		return title + ": no test rows, so no scores"
	}
	rest := ""
	if r.Cut != nil {
		rest = fmt.Sprintf("%d of ", r.Cut.Rows)
	}
	text := fmt.Sprintf("%s: %s%s\n", title, rest, phrase.Plural(r.NTest, "test row"))
	if r.Outputs != nil {
		return text + outputsTable(r).indented()
	}
	t := newTable("", "test rows")
	if r.TestScores.Regression != nil {
		t = newTable("", "training-sd units")
	}
	counts := r.Measure == fitted.CountingMeasure // training-sd units and own units are both counts
	if counts {
		t = newTable("", "counts")
	}
	if r.Raw != nil && !counts {
		t.header = append(t.header, "own units")
	}
	if paper != "" {
		t.header = append(t.header, "paper ("+r.Model+")")
	}
	test, own := r.ResultScores.ByName()
	for _, s := range scoresOf(r.Task) {
		value := s.text(test)
		if value == "" {
			continue
		}
		row := []any{s.name, value}
		if r.Raw != nil && !counts {
			row = append(row, s.ownText(own))
		}
		t.add(append(row, paper)...)
		paper = "" // the paper has the first score alone
	}
	text += t.indented()
	if s := r.TestScores.Classification; s != nil && s.Classes != nil {
		text += "\n\n" + classTables(s.Classes)
	}
	return text
}

// outputsTable has a line for each of several targets.
func outputsTable(r *rundir.Result) *textTable {
	t := newTable("")
	for _, s := range scoresOf(data.Regression) {
		t.header = append(t.header, s.name)
		if s.own {
			t.header = append(t.header, "own units")
		}
	}
	row := func(name string, test, own map[string]float64) {
		cells := []any{name}
		for _, s := range scoresOf(data.Regression) {
			cells = append(cells, s.text(test))
			if s.own {
				cells = append(cells, s.ownText(own))
			}
		}
		t.add(cells...)
	}
	for _, o := range r.Outputs {
		row(o.Target, fitted.ScoresByName(o.Test), fitted.ScoresByName(o.Raw))
	}
	row("mean", fitted.ScoresByName(r.TestScores), nil)
	return t
}

// score is a score of a test: its name, and its key in result.json.
type score struct {
	name, key string
	percent   bool
	own       bool // it has a value in the target's own units, too
}

// scoresOf returns the scores of a task, in the order of tables.
func scoresOf(task data.Task) []score {
	if task == data.Classification {
		return []score{{name: "error", key: "error"}, {name: "NLL", key: "nll"}, {name: "ECE", key: "ece"},
			{name: "AUC", key: "auc"}}
	}
	return []score{{name: "RMSE", key: "rmse", own: true}, {name: "NLPD", key: "nlpd", own: true},
		{name: "90 % coverage", key: "coverage90", percent: true}}
}

// text formats the value of the score of a test; "" if it is absent.
func (s score) text(values map[string]float64) string {
	v, ok := values[s.key]
	switch {
	case !ok:
		return ""
	case s.percent:
		return fmt.Sprintf("%.1f %%", 100*v)
	}
	return fmt.Sprintf("%.4f", v)
}

// ownText formats the value of the score in own units; "" if it is absent.
func (s score) ownText(values map[string]float64) string {
	if v, ok := values[s.key]; ok && s.own {
		return fmt.Sprintf("%.4g", v)
	}
	return ""
}

// scoresInLine formats the scores of a fold in one line.
func scoresInLine(t fitted.TestScores) string {
	task := data.Classification
	if t.Regression != nil {
		task = data.Regression
	}
	var parts []string
	for _, s := range scoresOf(task) {
		if text := s.text(fitted.ScoresByName(t)); text != "" {
			parts = append(parts, s.name+" "+text)
		}
	}
	return strings.Join(parts, ", ")
}

// cvTable returns the table of scores: a line for each fold, the means, their standard errors, and the scores of all
// rows together.
func cvTable(cv *rundir.CV) string {
	mean, se := means(cv.Test, false), means(cv.Test, true)
	ownMean, ownSE := means(cv.Raw, false), means(cv.Raw, true)
	header := []any{"fold", "test rows"}
	shown := slices.DeleteFunc(scoresOf(cv.Task), func(s score) bool {
		_, ok := cv.Test["auc"]
		return s.key == "auc" && !ok
	})
	for _, s := range shown {
		header = append(header, s.name)
	}
	counts := slices.ContainsFunc(cv.Runs, func(r rundir.FoldRun) bool {
		return r.Status == rundir.FoldFinished && r.Measure == fitted.CountingMeasure
	})
	hasOwn := cv.Raw != nil && cv.Task == data.Regression && !counts // counts have one unit only
	if hasOwn {
		header = append(header, "RMSE, own units", "NLPD, own units")
	}
	t := newNumberTable(header...)
	row := func(name, rows any, test, own map[string]float64) {
		cells := []any{name, rows}
		for _, s := range shown {
			cells = append(cells, s.text(test))
		}
		for _, s := range shown {
			if s.own && hasOwn {
				cells = append(cells, s.ownText(own))
			}
		}
		t.add(cells...)
	}
	for _, run := range cv.Runs {
		if run.Status == rundir.FoldFinished {
			test, own := run.ResultScores.ByName()
			row(run.Fold, testedRows(run), test, own)
		} else {
			t.add(run.Fold, "", run.Status)
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

// testedRows counts the scored test rows of a fold, and all its test rows if a time limit has cut the test.
func testedRows(run rundir.FoldRun) string {
	if run.Cut != nil {
		return fmt.Sprintf("%d of %d", run.Cut.Rows, run.NTest)
	}
	return fmt.Sprint(run.NTest)
}

// coverageText returns the line about the intervals or sets of a target; "" without them.
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
