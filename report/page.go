// Package report makes a page of HTML from run folders. A page is one file without references to other files. Its
// charts are SVG that this program draws, since libraries for charts have megabytes of scripts, or fixed colours.
package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/internal/version"
)

//go:embed page.html
var pageHTML string

//go:embed style.css
var style string

//go:embed script.js
var script string

// sections returns the parts of the page, in their order. A section without panels is left out.
func sections(runs []*Run) (all []section) {
	for _, part := range []func([]*Run) section{
		comparison, curves, calibration, predicted, confusion, residuals, inputs, separation, worst, about,
	} {
		if s := part(runs); len(s.Panels) > 0 {
			s.Lead = strings.ReplaceAll(s.Lead, " %", "\u00a0%")
			all = append(all, s)
		}
	}
	return all
}

// page is the data of page.html.
type page struct {
	Title, Lead string
	Scores      []score
	Notes       []string
	Sections    []section
	Version     string
	Style       template.CSS
	Script      template.JS
}

// Page returns the page of one or several runs.
func Page(runs []*Run) ([]byte, error) {
	distinguish(runs)
	words := template.FuncMap{"short": truncate, "series": series}
	parsed := template.Must(template.New("page").Funcs(words).Parse(pageHTML))
	p := page{
		Sections: sections(runs), Version: version.Number, Style: template.CSS(style), Script: template.JS(script),
	}
	first := runs[0].Result
	if len(runs) == 1 {
		p.Title = fmt.Sprintf("%s on %s", first.Model, first.Data)
		p.Scores = runs[0].scores()
		p.Lead = fmt.Sprintf("%s, %d training rows, %d test rows, %d steps, %s in all, on %s", first.Task,
			first.NTrain, first.NTest, first.Steps, duration(first.Seconds), first.Device)
	} else {
		p.Title = fmt.Sprintf("%d runs", len(runs))
		var sets []string
		for _, r := range runs {
			if !slices.Contains(sets, r.Result.Data) {
				sets = append(sets, r.Result.Data)
			}
		}
		p.Lead = "on " + strings.Join(sets, ", ")
	}
	for _, r := range runs {
		p.Notes = append(p.Notes, r.notes(runs)...)
	}
	var text bytes.Buffer
	err := parsed.Execute(&text, p)
	return text.Bytes(), err
}

// distinguish labels runs by their paths if their folders have one name, such as folds of two cross-validations.
func distinguish(runs []*Run) {
	count := map[string]int{}
	for _, r := range runs {
		count[r.Label]++
	}
	for _, r := range runs {
		if count[r.Label] > 1 {
			r.Label = r.Path
		}
	}
}

// notes returns the sentences about a run that stand above its numbers.
func (r *Run) notes(runs []*Run) (all []string) {
	add := func(format string, args ...any) { all = append(all, labelPrefix(runs, r)+fmt.Sprintf(format, args...)) }
	result := r.Result
	switch {
	case result.Unfinished:
		add("This run is not finished: the page shows it at step %d.", result.Steps)
	case result.Interrupted:
		add("This run was interrupted at step %d.", result.Steps)
	}
	if result.Failure != "" {
		add("There are no scores: %s.", result.Failure)
	}
	if warning := result.Generalisation.Warning(r.Config); warning != "" {
		add("Warning: %s.", warning)
	}
	if result.TaskNote != "" {
		add("%s", result.TaskNote)
	}
	scored := r.scored()
	if result.Cut != nil {
		add("The time limit left time to score %d of %d test rows.", scored, result.NTest)
	}
	if test := result.TestScores; r.Rows == nil && (test.Regression != nil || test.Classification != nil) {
		add("The folder holds no predictions of test rows, so the parts of the page that need them are left out.")
	} else if r.Rows != nil && len(r.Rows.Number) < scored {
		add("The charts show %d of %d test rows, spread evenly. The scores are of all.", len(r.Rows.Number), scored)
	}
	if r.Rows != nil && len(r.shownTargets(runs)) < len(r.Rows.Targets) {
		add("The charts show the first %d of %d targets.", len(r.shownTargets(runs)), len(r.Rows.Targets))
	}
	return all
}
