package report

import (
	"fmt"
	"math"

	"github.com/gpdrf/gpdrf-gpu/internal/charts"
)

// calibration shows whether predictions are right as often as they claim.
func calibration(runs []*Run) section {
	s := section{ID: "calibration", Title: "Calibration", Columns: columnsFor(runs)}
	for _, draw := range []func(Target) panel{pitHistogram, coverage} {
		s.eachTarget(runs, func(_ *Run, t Target) []panel {
			s.Lead = "The predictive distribution function at the true values is uniform where predictions are " +
				"calibrated, and central intervals then hold as many rows as they should. Grey is where 95 % of " +
				"calibrated models fall."
			return []panel{draw(t)}
		})
	}
	for _, draw := range []func(*Classes) panel{reliability, confidence} {
		s.eachClassifier(runs, func(c *Classes) []panel {
			s.Lead = "Of the rows that are predicted with a probability of 80 %, 80 % should be right. " +
				"Upright lines are 95 % intervals."
			return []panel{draw(c)}
		})
	}
	return s
}

// pitHistogram draws the histogram of the predictive CDF at the true values (PIT).
func pitHistogram(t Target) panel {
	bins := 10
	if len(t.PIT) >= 1000 {
		bins = 20
	}
	edges, counts := histogram(t.PIT, 0, 1, bins)
	expected := float64(len(t.PIT)) / float64(bins)
	numbers := newTable("Positions of the true values", "from", "to", "rows", "expected")
	var tips []string
	heights := make([]float64, bins)
	for i, c := range counts {
		heights[i] = c / expected
		tips = append(tips, fmt.Sprintf("%.2f to %.2f: %.0f rows, %.1f expected", edges[i], edges[i+1], c, expected))
		numbers.add(fmt.Sprintf("%.2f", edges[i]), fmt.Sprintf("%.2f", edges[i+1]),
			fmt.Sprintf("%.0f", c), fmt.Sprintf("%.1f", expected))
	}
	width := 1.96 * math.Sqrt((1-1/float64(bins))/expected)
	low, high := math.Max(0, 1-width), 1+width
	return panel{Title: "Probability integral transform", Numbers: numbers, Chart: &charts.Chart{
		Label: "Histogram of the predictive distribution function at the true values",
		X:     charts.Axis{Label: "predictive distribution function at the true value", Low: 0, High: 1},
		Y:     charts.Axis{Label: "rows, of those expected"},
		Marks: []charts.Mark{
			{Kind: charts.Band, X: []float64{0, 1}, Y: []float64{low, low}, High: []float64{high, high}, Series: grey},
			{Kind: charts.Bars, X: edges, Y: heights, Tips: tips},
			{Kind: charts.Rule, X: []float64{0, 1}, Y: []float64{1, 1}},
		},
	}}
}

// diagonal returns the line on which both axes have the same value.
func diagonal(low, high float64) charts.Mark {
	ends := []float64{low, high}
	return charts.Mark{Kind: charts.Rule, X: ends, Y: ends}
}

// grey is the series of reference lines.
const grey = 9

// coverage draws the share of rows inside central intervals, over their probability.
func coverage(t Target) panel {
	const levels = 20
	n := float64(len(t.PIT))
	var nominal, actual, low, high []float64
	var tips []string
	numbers := newTable("Coverage of central intervals", "probability", "rows inside", "difference")
	for i := range levels + 1 {
		p := float64(i) / levels
		inside := 0.0
		for _, v := range t.PIT {
			if 2*math.Abs(v-0.5) <= p {
				inside++
			}
		}
		inside /= n
		se := 1.96 * math.Sqrt(p*(1-p)/n)
		nominal, actual = append(nominal, p), append(actual, inside)
		low, high = append(low, p-se), append(high, p+se)
		tips = append(tips, fmt.Sprintf("%.0f %% interval: %s of the rows", 100*p, percent(inside)))
		if i > 0 && i < levels {
			numbers.add(percent(p), percent(inside), fmt.Sprintf("%+.1f %%", 100*(inside-p)))
		}
	}
	return panel{Title: "Coverage", Numbers: numbers, Chart: &charts.Chart{
		Label: "Share of rows inside central intervals over their probability",
		X:     charts.Axis{Label: "probability of the interval", Low: 0, High: 1},
		Y:     charts.Axis{Label: "share of rows inside", Low: 0, High: 1},
		Marks: []charts.Mark{
			{Kind: charts.Band, X: nominal, Y: low, High: high, Series: grey},
			diagonal(0, 1),
			{Kind: charts.Line, X: nominal, Y: actual},
			{Kind: charts.Points, X: nominal, Y: actual, Tips: tips},
		},
	}}
}

// confidenceBins is the number of bins, the same as for the score ECE.
const confidenceBins = 15

// reliability draws the share of right rows over the probability of their predicted class.
func reliability(c *Classes) panel {
	var count, confidence, accuracy [confidenceBins]float64
	for i, p := range c.Probability {
		if math.IsNaN(p) {
			continue
		}
		b := bin(p, confidenceBins)
		count[b]++
		confidence[b] += p
		if c.Predicted[i] == c.True[i] {
			accuracy[b]++
		}
	}
	var x, y, low, high []float64
	var tips []string
	numbers := newTable("Reliability", "mean probability", "rows right", "rows")
	for b, n := range count {
		if n == 0 {
			continue
		}
		p, mean := accuracy[b]/n, confidence[b]/n
		// This is Wilson's interval, which stays between 0 and 1.
		const z = 1.96
		centre, half := (p+z*z/(2*n))/(1+z*z/n), z/(1+z*z/n)*math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
		x, y = append(x, mean), append(y, p)
		low, high = append(low, centre-half), append(high, centre+half)
		tips = append(tips, fmt.Sprintf("mean probability %s: %s of %.0f rows right",
			percent(mean), percent(p), n))
		numbers.add(percent(mean), percent(p), fmt.Sprintf("%.0f", n))
	}
	return panel{Title: "Reliability", Numbers: numbers, Chart: &charts.Chart{
		Label: "Share of right rows over the probability of the predicted class",
		X:     charts.Axis{Label: "probability of the predicted class", Low: 0, High: 1},
		Y:     charts.Axis{Label: "share of rows right", Low: 0, High: 1},
		Marks: []charts.Mark{
			diagonal(0, 1),
			{Kind: charts.Intervals, X: x, Y: low, High: high},
			{Kind: charts.Line, X: x, Y: y},
			{Kind: charts.Points, X: x, Y: y, Tips: tips},
		},
	}}
}

// confidence draws the histogram of the probabilities of predicted classes.
func confidence(c *Classes) panel {
	edges, counts := histogram(c.Probability, 0, 1, confidenceBins)
	numbers := newTable("Probabilities of the predicted class", "from", "to", "rows")
	var tips []string
	for b, n := range counts {
		tips = append(tips, fmt.Sprintf("%s to %s: %.0f rows", percent(edges[b]), percent(edges[b+1]), n))
		if n > 0 {
			numbers.add(percent(edges[b]), percent(edges[b+1]), fmt.Sprintf("%.0f", n))
		}
	}
	return panel{Title: "How sure the predictions are", Numbers: numbers, Chart: &charts.Chart{
		Label: "How many rows are predicted with which probability",
		X:     charts.Axis{Label: "probability of the predicted class", Low: 0, High: 1},
		Y:     charts.Axis{Label: "rows"},
		Marks: []charts.Mark{{Kind: charts.Bars, X: edges, Y: counts, Tips: tips}},
	}}
}
