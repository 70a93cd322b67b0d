package report

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/options"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// patterns are values of rows that every part of the page must be able to show.
var patterns = [][]float64{
	{3.7}, {0}, {1e-300}, {1e300}, {-1e300, 1e300}, {math.MaxFloat64, -math.MaxFloat64}, {0, 5e-324}, {1, 1, 1, 2},
	{3.7, math.Nextafter(3.7, 4)}, {1e16, 1e16 + 2}, {math.NaN(), 1}, {math.NaN()}, {math.Inf(1), math.Inf(-1), 0.5},
	{-1, 0.2, 0.4, 2}, {0.25, 0.5, 1},
}

// made returns a run whose rows have the values of patterns, one after the other.
func made(t testing.TB, task data.Task, n, targets int, value func(column, row int) float64) *Run {
	t.Helper()
	c := must.Get(options.Resolve(nil, nil))(t)
	column := 0
	values := func() []float64 {
		column++
		all := make([]float64, n)
		for i := range all {
			all[i] = value(column-1, i)
		}
		return all
	}
	inputs := []Column{{"a", values()}, {strings.Repeat("long", 1<<14), values()}}
	rows := &TestRows{Number: make([]int, n), Inputs: inputs}
	r := &Run{Label: "run", Rows: rows, Importance: &Importance{Rows: n, Samples: 1}, Run: &rundir.Run{
		Path: "run", Config: c, Trained: &fitted.Model{Config: model.Config{Inputs: 2}},
		Result: &rundir.Result{Task: task, NTest: n, ELBO: value(0, 0), Seconds: 1},
	}}
	schema := &r.Trained.Schema
	for i, v := range values()[:min(n, 20)] {
		r.Importance.Inputs = append(r.Importance.Inputs, Input{fmt.Sprint(i), v, v})
		score := value(1, i)
		r.Curve = append(r.Curve, rundir.Reading{Step: i, ELBO: v, ELL: score, KL: v, NLPD: &v, NLL: &score})
	}
	if task == data.Classification {
		c := &Classes{Probability: values(), LogDensity: values(), Distance: values()}
		for i := range n {
			c.True, c.Predicted = append(c.True, fmt.Sprint(i%3)), append(c.Predicted, fmt.Sprint(i%2))
		}
		rows.Classes = c
		scores := metrics.ScoreClassification([]float64{1, 2, 3, 4}, 1, 2, 2, []int32{0, 1}, nil)
		r.Result.TestScores.Classification = &scores
		return r
	}
	for k := range targets {
		name := fmt.Sprint("target ", k)
		schema.Targets = append(schema.Targets, name)
		rows.Targets = append(rows.Targets,
			Target{name, values(), values(), values(), values(), values(), values(), values()})
	}
	r.Result.TestScores.Regression = &metrics.Regression{RMSE: value(0, 0), NLPD: value(1, 0)}
	return r
}

var (
	embedded = regexp.MustCompile(`(?s)<(style|script)>.*?</(style|script)>`)
	noNumber = regexp.MustCompile(`\b(NaN|Inf|%!)`)
)

func checkPage(t *testing.T, runs ...*Run) {
	t.Helper()
	page, err := Page(runs)
	must.OK(t, err)
	text := embedded.ReplaceAllString(string(page), "")
	if at := noNumber.FindStringIndex(text); at != nil {
		t.Fatalf("the page shows …%s…", text[max(0, at[0]-200):min(len(text), at[1]+50)])
	}
	if most := 3_000_000; len(text) > most {
		t.Fatalf("%d bytes", len(text))
	}
}

// The page of any rows is complete and small, and shows values that are not numbers as none.
func TestDegenerateRows(t *testing.T) {
	for _, task := range []data.Task{data.Regression, data.Classification} {
		for _, n := range []int{1, 2, 12} {
			var all []*Run
			for p := range patterns {
				for _, same := range []bool{true, false} {
					r := made(t, task, n, 1, func(column, row int) float64 {
						if !same { // every column has its own pattern
							column += p
						} else {
							column = p
						}
						list := patterns[column%len(patterns)]
						return list[row%len(list)]
					})
					checkPage(t, r)
					all = append(all, r)
				}
			}
			checkPage(t, all[:20]...)
		}
	}
}

// A page has a bounded size, whatever the number of rows, targets, readings and letters.
func TestPageSize(t *testing.T) {
	wild := func(column, row int) float64 { return math.Sin(float64(7*column + row*row)) }
	r := made(t, data.Regression, 5000, 300, wild)
	for i := range 100_000 {
		r.Curve = append(r.Curve, rundir.Reading{Step: i, ELBO: wild(1, i)})
	}
	r.History = make([]rundir.Session, 5000)
	r.Rows.Name = slices.Repeat([]string{strings.Repeat("name", 1<<10)}, 5000)
	checkPage(t, r)
	checkPage(t, slices.Repeat([]*Run{made(t, data.Regression, 5000, 3, wild)}, 20)...)
}

// Folders with the same name have different labels.
func TestLabelsDiffer(t *testing.T) {
	var runs []*Run
	for _, path := range []string{"a/fold-1", "b/fold-1", "b/fold-2"} {
		r := made(t, data.Regression, 2, 1, func(_, row int) float64 { return float64(row) })
		r.Path, r.Label = path, path[2:]
		runs = append(runs, r)
	}
	checkPage(t, runs...)
	for i, want := range []string{"a/fold-1", "b/fold-1", "fold-2"} {
		if runs[i].Label != want {
			t.Errorf("%s is called %s", runs[i].Path, runs[i].Label)
		}
	}
}

// FuzzPage draws the page of rows with any values.
func FuzzPage(f *testing.F) {
	for _, p := range patterns {
		f.Add(p[0], p[len(p)-1], p[len(p)/2], 12, true)
		f.Add(p[0], p[len(p)-1], p[len(p)/2], 3, false)
	}
	f.Fuzz(func(t *testing.T, a, b, c float64, n int, regression bool) {
		values := []float64{a, b, c, a + b, a - c, a / b, b * c, math.Nextafter(a, b)}
		task := data.Classification
		if regression {
			task = data.Regression
		}
		n = min(max(n, 1), 40)
		checkPage(t, made(t, task, n, 2, func(column, row int) float64 {
			return values[(row%(column+1)+column)%len(values)]
		}))
	})
}

// Equal values have their own mean.
func TestMean(t *testing.T) {
	for _, v := range []float64{3.7, 0.1, 1e-300, 1e300, -7.3, math.MaxFloat64, 5e-324} {
		for _, n := range []int{1, 9, 90, 5000} {
			if m := mean(slices.Repeat([]float64{v}, n)); m != v {
				t.Errorf("%v for %d times %v", m, n, v)
			}
		}
	}
}

// If a time limit has cut the test, the page does not say that the scores are of all test rows.
func TestNoteOfACutTest(t *testing.T) {
	r := made(t, data.Regression, 12, 1, func(_, row int) float64 { return float64(row) })
	r.Result.NTest = 90
	r.Result.Cut = &fitted.Cut{Rows: 12, Samples: 1}
	notes := strings.Join(r.notes([]*Run{r}), "\n")
	must.Contain(t, notes, "score 12 of 90 test rows")
	must.Lack(t, notes, "of all")
}
