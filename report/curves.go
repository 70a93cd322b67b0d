package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/internal/charts"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// quantity is a number of a Reading that is drawn over the steps.
type quantity struct {
	title string
	value func(rundir.Reading) float64
	noisy bool // a reading is an estimate on one batch, so that the mean over several is drawn, too
}

// curves shows the course of training, with all runs in one chart for each quantity.
func curves(runs []*Run) section {
	s := section{
		ID: "training", Title: "Learning curves", Legend: runs,
		Lead: "A reading is an estimate on one batch, for the whole training set: pale. The strong line is its " +
			"mean over twenty readings. The axis leaves out values that only the first fifth of the steps has.",
	}
	for _, q := range []quantity{
		{objectives(runs), func(r rundir.Reading) float64 { return r.ELBO }, true},
		{"Expected log likelihood, nats", func(r rundir.Reading) float64 { return r.ELL }, true},
		{"KL divergence, nats", func(r rundir.Reading) float64 { return r.KL }, false},
		{"Validation NLPD, nats a row", func(r rundir.Reading) float64 { return orNaN(r.NLPD) }, false},
		{"Validation RMSE, training-sd units", func(r rundir.Reading) float64 { return orNaN(r.RMSE) }, false},
		{"Validation NLL, nats a row", func(r rundir.Reading) float64 { return orNaN(r.NLL) }, false},
		{"Validation error", func(r rundir.Reading) float64 { return orNaN(r.Error) }, false},
	} {
		if p, ok := q.panel(runs); ok {
			s.Panels = append(s.Panels, p)
		}
	}
	return s
}

// objectives returns the title of the chart of the objective.
func objectives(runs []*Run) string {
	for _, r := range runs {
		if !strings.HasPrefix(r.Result.Objective, "ELBO") {
			return "Objective (no bound), nats"
		}
	}
	return "ELBO, nats"
}

// The share of steps that the axes leave out, the readings of a mean, and those of a table.
const (
	axisStart      = 0.2
	meanOver       = 20
	listedReadings = 25
)

// readings returns the values of the quantity in a run, and their steps.
func (q quantity) readings(r *Run) (steps, values []float64) {
	for _, reading := range r.Curve {
		if v := q.value(reading); !math.IsNaN(v) {
			steps, values = append(steps, float64(reading.Step)), append(values, v)
		}
	}
	return steps, values
}

// panel draws the quantity of all runs that have it.
func (q quantity) panel(runs []*Run) (p panel, ok bool) {
	chart := &charts.Chart{X: charts.Axis{Label: "step"}, Y: charts.Axis{Label: q.title}}
	numbers := newTable(q.title, "step", "value")
	if len(runs) > 1 { // each run has its own rows, since the steps differ
		numbers = newTable(q.title, "run", "step", "value")
	}
	low, high := math.Inf(1), math.Inf(-1)
	last := 0.0
	var marks []charts.Mark
	for i, r := range runs {
		steps, values := q.readings(r)
		if len(values) == 0 {
			continue
		}
		shown := values
		if q.noisy {
			shown = runningMean(values)
		}
		if q.noisy && len(runs) == 1 {
			at := thinned(len(values), 400)
			chart.Marks = append(chart.Marks, charts.Mark{Kind: charts.Line, Series: series(i), Light: true,
				X: gather(steps, at), Y: gather(values, at)})
		}
		at := thinned(len(shown), 400)
		marks = append(marks, charts.Mark{Kind: charts.Line, Series: series(i),
			X: gather(steps, at), Y: gather(shown, at)})
		readings := thinned(len(shown), listedReadings)
		var tips []string
		for _, k := range readings {
			step := fmt.Sprintf("%.0f", steps[k])
			value := digits(shown[k])
			tips = append(tips, labelPrefix(runs, r)+"step "+step+": "+value)
			row := texts(step, value)
			if len(runs) > 1 {
				row = append(texts(r.Label), row...)
			}
			numbers.Rows = append(numbers.Rows, row)
		}
		marks = append(marks, charts.Mark{Kind: charts.Points, X: gather(steps, readings), Y: gather(shown, readings),
			Tips: tips, Series: series(i), Light: true})
		for k, v := range shown {
			if steps[k] >= axisStart*steps[len(steps)-1] || len(shown) < 2*meanOver {
				low, high = math.Min(low, v), math.Max(high, v)
			}
		}
		last = math.Max(last, steps[len(steps)-1])
	}
	if marks == nil {
		return panel{}, false
	}
	chart.Marks = append(chart.Marks, marks...)
	chart.X.Low, chart.X.High = 0, last
	if room := 0.08 * (high - low); room > 0 {
		chart.Y.Low, chart.Y.High = low-room, high+room
	}
	chart.Label = q.title + " over the steps of training"
	return panel{Title: q.title, Chart: chart, Numbers: numbers}, true
}

// labelPrefix returns the label of a run for the beginning of a tip; "" if there is one run.
func labelPrefix(runs []*Run, r *Run) string {
	if len(runs) == 1 {
		return ""
	}
	return r.Label + ", "
}

// runningMean returns the mean of each value and of those just before it.
func runningMean(values []float64) []float64 {
	out := make([]float64, len(values))
	sum := 0.0
	for i, v := range values {
		sum += v
		if i >= meanOver {
			sum -= values[i-meanOver]
		}
		out[i] = sum / float64(min(i+1, meanOver))
	}
	return out
}
