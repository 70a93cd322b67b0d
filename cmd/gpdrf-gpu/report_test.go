package main

import (
	"math"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/gpdrf/gpdrf-gpu/report"
)

// headCommand: head FILE TEXT expects the file to begin with the text.
func headCommand(ts *testscript.TestScript, neg bool, args []string) {
	if text := ts.ReadFile(args[0]); strings.HasPrefix(text, args[1]) == neg {
		line, _, _ := strings.Cut(text, "\n")
		ts.Fatalf("%s begins with %s", args[0], line)
	}
}

// elsewhere matches references of a page to other files.
var elsewhere = regexp.MustCompile(`(?i)(src|href)="?(https?:|//|[a-z0-9./]+\.(css|js|png))|` +
	`@import|url\(|fetch\(|XMLHttpRequest|<(iframe|object|embed)`)

// selfContainedCommand: selfcontained FILE expects a page without references to other files, below 3 MB.
func selfContainedCommand(ts *testscript.TestScript, neg bool, args []string) {
	text := ts.ReadFile(args[0])
	if found := elsewhere.FindString(text); found != "" || len(text) > 3e6 ||
		!strings.Contains(text, "default-src 'none'") {
		ts.Fatalf("%s: %d bytes, %q", args[0], len(text), found)
	}
	if bad := regexp.MustCompile(`>\s*(NaN|[-+]?Inf|%!\w)`).FindString(text); bad != "" {
		ts.Fatalf("%s shows %q", args[0], bad)
	}
}

// agreesCommand: agrees RUN compares the scores of result.json with those of the predictions in the run folder.
func agreesCommand(ts *testscript.TestScript, neg bool, args []string) {
	r, err := report.Open(ts.MkAbs(args[0]))
	ts.Check(err)
	n := float64(len(r.Rows.Number))
	mean := func(of func(i int) float64) (sum float64) {
		for i := range r.Rows.Number {
			sum += of(i) / n
		}
		return sum
	}
	is := func(name string, got, want float64) {
		if !(math.Abs(got-want) <= 1e-9*math.Max(1, math.Abs(want))) {
			ts.Fatalf("%s: %s is %.12g of the predictions, %.12g in result.json",
				filepath.Base(args[0]), name, got, want)
		}
	}
	one := map[bool]float64{true: 1}
	if c := r.Rows.Classes; c != nil {
		want := r.Result.TestScores.Classification
		is("error", mean(func(i int) float64 { return one[c.True[i] != c.Predicted[i]] }), want.Error)
		is("NLL", mean(func(i int) float64 { return -c.LogDensity[i] }), want.NLL)
		return
	}
	t := r.Rows.Targets[0]
	want := r.Result.Raw
	is("RMSE", math.Sqrt(mean(func(i int) float64 { d := t.True[i] - t.Mean[i]; return d * d })), want.RMSE)
	is("NLPD", mean(func(i int) float64 { return -t.LogDensity[i] }), want.NLPD)
	is("coverage", mean(func(i int) float64 {
		return one[t.True[i] >= t.Q05[i] && t.True[i] <= t.Q95[i]]
	}), want.Coverage90)
	is("coverage by position",
		mean(func(i int) float64 { return one[math.Abs(t.PIT[i]-0.5) <= 0.45] }), want.Coverage90)
}
