package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/internal/charts"
	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
)

// The limits that keep a page small. Several runs and targets share the dots.
const (
	dots          = 1000
	residualDots  = 500
	residualPlots = 12
	maxTargets    = 12
)

// dotsPerTarget returns the number of dots of one target of a run.
func dotsPerTarget(dots int, runs []*Run, r *Run) int {
	return max(100, dots/(len(runs)*max(1, len(r.shownTargets(runs)))))
}

// shownTargets returns the targets that the page shows.
func (r *Run) shownTargets(runs []*Run) []Target {
	if r.Rows == nil {
		return nil
	}
	return r.Rows.Targets[:min(len(r.Rows.Targets), max(2, maxTargets/len(runs)))]
}

// predicted compares predictions of numbers with the true values.
func predicted(runs []*Run) section {
	s := section{
		ID: "predictions", Title: "Predicted against true", Columns: columnsFor(runs),
		Lead: "A dot is the true value of a test row, over the mean that was predicted. The pale line is the " +
			"90 % interval of the prediction. It should hold nine dots of ten.",
	}
	s.eachTarget(runs, func(r *Run, t Target) []panel {
		p := predictionPanel(r, t, dotsPerTarget(dots, runs, r))
		numbers := decileTable(t)
		if len(runs) == 1 { // there is room for the numbers
			return []panel{p, {Title: "Tenths of the rows", Table: numbers, Span: 2}}
		}
		p.Numbers = numbers
		return []panel{p}
	})
	return s
}

func predictionPanel(r *Run, t Target, dots int) panel {
	at := thinned(len(t.True), dots)
	var tips []string
	for _, i := range at {
		tips = append(tips, fmt.Sprintf("%s: true %s, predicted %s, 90 %% interval %s to %s",
			r.Rows.name(i), digits(t.True[i]), digits(t.Mean[i]), digits(t.Q05[i]), digits(t.Q95[i])))
	}
	chart := &charts.Chart{
		Label: "True values over predicted means, with intervals", Height: 330,
		X: charts.Axis{Label: "predicted " + t.Name}, Y: charts.Axis{Label: "true " + t.Name},
		Marks: []charts.Mark{
			{Kind: charts.Intervals, X: gather(t.Mean, at), Y: gather(t.Q05, at), High: gather(t.Q95, at)},
			diagonal(slices.Min(t.Mean), slices.Max(t.Mean)),
			{Kind: charts.Points, X: gather(t.Mean, at), Y: gather(t.True, at), Tips: tips},
		},
	}
	p := panel{Title: "Test rows", Chart: chart}
	if len(r.Rows.Targets) == 1 {
		p.Title = t.Name
	}
	if len(at) < len(t.True) {
		p.Note = fmt.Sprintf("%d of %d rows are shown.", len(at), len(t.True))
	}
	return p
}

// decileTable returns the table of the rows in tenths by their predicted mean.
func decileTable(t Target) *table {
	out := newTable("Tenths of the rows, by their predicted mean",
		"tenth", "rows", "mean predicted", "mean true", "mean sd", "RMSE", "in 90 % interval")
	for k, part := range deciles(t.Mean) {
		squares, inside := 0.0, 0.0
		for _, i := range part {
			squares += (t.True[i] - t.Mean[i]) * (t.True[i] - t.Mean[i])
			if t.True[i] >= t.Q05[i] && t.True[i] <= t.Q95[i] {
				inside++
			}
		}
		n := float64(len(part))
		out.add(fmt.Sprint(k+1), fmt.Sprint(len(part)), digits(mean(gather(t.Mean, part))),
			digits(mean(gather(t.True, part))), digits(mean(gather(t.SD, part))), digits(math.Sqrt(squares/n)),
			percent(inside/n))
	}
	return out
}

// argSort returns the indices of the values, from the least value to the largest.
func argSort(values []float64) []int {
	return metrics.ArgSort(len(values), func(a, b int) int { return cmp.Compare(values[a], values[b]) })
}

// deciles divides the indices of the values into ten parts, from the least value to the largest. Equal values are in
// one part, so that parts can be larger, and fewer than ten.
func deciles(values []float64) (parts [][]int) {
	order := argSort(values)
	n := len(order)
	for lo := 0; lo < n; {
		hi := lo + 1
		end := (10*hi + n - 1) / n * n / 10 // the end of the tenth of lo
		for hi < n && (hi < end || values[order[hi]] == values[order[hi-1]]) {
			hi++
		}
		parts = append(parts, order[lo:hi])
		lo = hi
	}
	return parts
}

// residuals shows the residuals against each input, whose patterns the model has missed. The panels of several runs for
// one input stand side by side.
func residuals(runs []*Run) section {
	s := section{ID: "residuals", Title: "Residuals against each input", Columns: columnsFor(runs)}
	s.each(runs, func(r *Run) (all []panel) {
		add := func(inputs []Column, y []float64, title string, standardised bool) {
			for _, in := range inputs[:min(len(inputs), max(3, (residualPlots+1)/len(runs)))] {
				all = append(all, residualPlot(in, y, title, standardised, dotsPerTarget(residualDots, runs, r)))
			}
		}
		for _, t := range r.shownTargets(runs) {
			s.Lead = "True less predicted value, in standard deviations of the prediction. Where the model fits, " +
				"the dots lie around zero all along an input, and nine of ten between the outer lines. The strong " +
				"line is their mean in tenths of the rows."
			residual := make([]float64, len(t.True))
			for i := range residual {
				residual[i] = (t.True[i] - t.Mean[i]) / t.SD[i]
			}
			add(append([]Column{{"predicted " + t.Name, t.Mean}}, r.Rows.Inputs...), residual,
				"standardised residual"+r.Rows.suffix(t), true)
		}
		if r.Rows != nil && r.Rows.Classes != nil {
			s.Lead = "How far the probability of the true class is from 1, over each input. The strong line is its " +
				"mean in tenths of the rows."
			missing := make([]float64, len(r.Rows.Classes.LogDensity))
			for i, l := range r.Rows.Classes.LogDensity {
				missing[i] = 1 - math.Exp(l)
			}
			add(r.Rows.Inputs, missing, "1 − p of the true class", false)
		}
		return all
	})
	order := map[string]int{} // position of each input
	for _, p := range s.Panels {
		if _, known := order[p.Title]; !known {
			order[p.Title] = len(order)
		}
	}
	slices.SortStableFunc(s.Panels, func(a, b panel) int { return cmp.Compare(order[a.Title], order[b.Title]) })
	return s
}

// residualPlot shows values of rows over one of their inputs.
func residualPlot(in Column, y []float64, title string, standardised bool, dots int) panel {
	at := thinned(len(y), dots)
	var meanX, meanY []float64
	numbers := newTable("Tenths of the rows, by "+in.Name, "mean "+in.Name, "rows", "mean", "sd")
	for _, part := range deciles(in.Values) {
		x := mean(gather(in.Values, part))
		m := mean(gather(y, part))
		squares := 0.0
		for _, i := range part {
			squares += (y[i] - m) * (y[i] - m)
		}
		meanX, meanY = append(meanX, x), append(meanY, m)
		numbers.add(digits(x), fmt.Sprint(len(part)), digits(m), digits(math.Sqrt(squares/float64(len(part)))))
	}
	chart := &charts.Chart{
		Label: title + " over " + in.Name, Height: 210,
		X: charts.Axis{Label: in.Name}, Y: charts.Axis{Label: title},
		Marks: []charts.Mark{{Kind: charts.Points, X: gather(in.Values, at), Y: gather(y, at), Light: true}},
	}
	if ends := []float64{slices.Min(in.Values), slices.Max(in.Values)}; standardised {
		for _, v := range []float64{-normal95, 0, normal95} {
			chart.Marks = append(chart.Marks, charts.Mark{Kind: charts.Rule, X: ends, Y: []float64{v, v}})
		}
	}
	chart.Marks = append(chart.Marks, charts.Mark{Kind: charts.Line, X: meanX, Y: meanY, Series: 1})
	return panel{Title: in.Name, Chart: chart, Numbers: numbers}
}

// normal95 is the 0.95 quantile of the standard normal distribution.
const normal95 = 1.6449

// name names a row, in a tip or a table.
func (r *TestRows) name(i int) string {
	if r.Name != nil && r.Name[i] != "" {
		return fmt.Sprintf("row %d, %s", r.Number[i], r.Name[i])
	}
	return fmt.Sprintf("row %d", r.Number[i])
}
