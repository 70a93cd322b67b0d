package main

import (
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	prettytext "github.com/jedib0t/go-pretty/v6/text"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/train/options"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// paperFigures are those of the paper's table "Dataset Statistics and Benchmark Results": RMSE of a
// standardised target, or the error rate.
var paperFigures = map[string]map[string]float64{
	"powerplant": {"gp": 0.207, "drf": 0.201, "gpdrf": 0.194},
	"protein":    {"gp": 0.737, "drf": 0.613, "gpdrf": 0.652},
	"spam":       {"gp": 0.043, "drf": 0.029, "gpdrf": 0.001},
	"eeg":        {"gp": 0.114, "drf": 0.106, "gpdrf": 0.016},
	"mnist":      {"gp": 0.059, "drf": 0.045, "gpdrf": 0.033},
}

// split says which rows were tested on: fold of folds, or of those that a named set has where folds
// is 0; the zero split is any other rows.
type split struct{ fold, folds int }

func splitOf(c *options.Config) split { return split{c.Fold, c.Folds} }

// of is the split for a title, "" where there is only one.
func (s split) of(set string) string {
	switch {
	case s.folds > 0:
		return fmt.Sprintf(", fold %d of %d", s.fold, s.folds)
	case s.fold > 0 && data.Folds(set) > 1:
		return fmt.Sprintf(", fold %d", s.fold)
	}
	return ""
}

// own says whether it is a fold of a named set.
func (s split) own() bool { return s.fold > 0 && s.folds == 0 }

// printResult prints what a run or an evaluation came to.
func (p *program) printResult(r *rundir.Result, rows split) {
	p.note("")
	fmt.Fprintln(p.out, scoreTable(r, rows))
	if r.TaskNote != "" {
		fmt.Fprintf(p.out, "\n%s\n", r.TaskNote)
	}
	if r.KLWeight != 1 {
		fmt.Fprintf(p.out, "\nobjective: %s\n", r.Objective)
	}
}

// scoreTable is the small table of scores, those of a named set beside the paper's.
func scoreTable(r *rundir.Result, rows split) string {
	title, paper := fmt.Sprintf("%s on %s%s", r.Model, r.Data, rows.of(r.Data)), ""
	if figure, ok := paperFigures[r.Data][r.Model]; ok && rows.own() {
		paper = fmt.Sprintf("%.3f", figure)
	}
	if r.NTest == 0 {
		return title + ": no test rows, so no scores"
	}
	rest := ""
	if r.Cut != nil {
		rest = fmt.Sprintf("%d of ", r.Cut.Rows)
	}
	title += fmt.Sprintf(": %s%d test rows", rest, r.NTest)
	if r.NTest == 1 {
		title = strings.TrimSuffix(title, "s")
	}

	t := plainTable(0)
	decimals := func(v float64) string { return fmt.Sprintf("%.4f", v) }
	percent := func(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) }
	if s := r.Test.Regression; s != nil {
		header := table.Row{"", "training-sd units"}
		if r.Raw != nil {
			header = append(header, "own units")
		}
		add := func(name, value string, raw func() float64, paper string) {
			row := table.Row{name, value}
			if r.Raw != nil {
				own := ""
				if raw != nil {
					own = fmt.Sprintf("%.4g", raw())
				}
				row = append(row, own)
			}
			t.AppendRow(append(row, paper))
		}
		if paper != "" {
			header = append(header, "paper ("+r.Model+")")
		} else {
			header = append(header, "")
		}
		t.AppendHeader(header)
		add("RMSE", decimals(s.RMSE), func() float64 { return r.Raw.RMSE }, paper)
		add("NLPD", decimals(s.NLPD), func() float64 { return r.Raw.NLPD }, "")
		add("90 % coverage", percent(s.Coverage90), nil, "")
		if r.Outputs != nil {
			t.ResetHeaders()
			t.ResetRows()
			t.AppendHeader(table.Row{"", "RMSE", "own units", "NLPD", "own units", "90 % coverage"})
			for _, o := range r.Outputs {
				t.AppendRow(table.Row{o.Target, decimals(o.Test.RMSE), fmt.Sprintf("%.4g", o.Raw.RMSE),
					decimals(o.Test.NLPD), fmt.Sprintf("%.4g", o.Raw.NLPD), percent(o.Test.Coverage90)})
			}
			t.AppendRow(table.Row{"mean", decimals(s.RMSE), "", decimals(s.NLPD), "", percent(s.Coverage90)})
		}
	} else if s := r.Test.Classification; s != nil {
		header := table.Row{"", "test rows", ""}
		if paper != "" {
			header[2] = "paper (" + r.Model + ")"
		}
		t.AppendHeader(header)
		t.AppendRow(table.Row{"error", decimals(s.Error), paper})
		t.AppendRow(table.Row{"NLL", decimals(s.NLL)})
		t.AppendRow(table.Row{"ECE", decimals(s.ECE)})
		if s.AUC != nil {
			t.AppendRow(table.Row{"AUC", decimals(*s.AUC)})
		}
	}
	text := title + "\n" + indented(t)
	if s := r.Test.Classification; s != nil && s.Classes != nil {
		text += "\n\n" + classTables(s.Classes)
	}
	return text
}

func plainStyle() table.Style {
	s := table.StyleDefault
	s.Options = table.OptionsNoBordersAndSeparators
	s.Box.PaddingLeft, s.Box.PaddingRight = "", "  "
	s.Format.Header = prettytext.FormatDefault
	return s
}
