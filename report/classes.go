package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/internal/charts"
	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/internal/stats"
)

// MaxClasses is the largest number of classes of a matrix. With more, the pairs that are confused most are listed.
const MaxClasses = 30

// confusion counts the classes predicted for each true class.
func confusion(runs []*Run) section {
	s := section{
		ID: "confusion", Title: "Confusion matrix", Columns: columnsFor(runs),
		Lead: "A row is a true class, a column the class that was predicted. The shade is the share of the true class.",
	}
	s.each(runs, func(r *Run) []panel {
		scores := r.Result.TestScores.Classification
		if scores == nil || scores.Classes == nil {
			return nil
		}
		p := panel{Title: "Rows of each class", Table: matrix(scores.Classes),
			Span: spanOf(runs, min(2, (len(scores.Classes)+6)/7))}
		if n := len(scores.Classes); n > MaxClasses {
			s.Lead = fmt.Sprintf("There are %d classes: these are the pairs that are confused most.", n)
			p = panel{Title: "Confused most", Table: confusedPairs(scores.Classes)}
		}
		t := newTable("Scores of each class", "class", "rows", "precision", "recall", "F1")
		for _, c := range scores.Classes {
			t.add(c.Class, fmt.Sprint(c.Support), decimals(orNaN(c.Precision)),
				decimals(orNaN(c.Recall)), decimals(orNaN(c.F1)))
		}
		return []panel{p, {Title: "Scores of each class", Table: t}}
	})
	return s
}

// matrix counts the rows of each class by the class that was predicted.
func matrix(classes []metrics.ClassScore) *table {
	m := &table{Caption: "Rows of each class, by predicted class", Head: []string{"true"}, Matrix: true}
	for _, c := range classes {
		m.Head = append(m.Head, c.Class)
		row := texts(c.Class)
		for _, other := range classes {
			n := c.Predicted[other.Class]
			row = append(row, cell{Text: fmt.Sprint(n), Shade: 100 * float64(n) / float64(cmp.Or(c.Support, 1))})
		}
		m.Rows = append(m.Rows, row)
	}
	return m
}

// Confusion counts the rows of a class that were taken for another class.
type Confusion struct {
	Class, Predicted string
	Rows, Of         metrics.RowCount
}

// Confusions lists the confusions of classes, the most frequent first.
func Confusions(classes []metrics.ClassScore) (all []Confusion) {
	for _, c := range classes {
		for _, other := range classes {
			if n := c.Predicted[other.Class]; n > 0 && other.Class != c.Class {
				all = append(all, Confusion{c.Class, other.Class, n, c.Support})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Confusion) int { return cmp.Compare(b.Rows, a.Rows) })
	return all
}

// confusedPairs returns the table of the pairs of classes that are confused most often.
func confusedPairs(classes []metrics.ClassScore) *table {
	t := newTable("Pairs of classes", "true", "predicted", "rows")
	all := Confusions(classes)
	for _, p := range all[:min(len(all), MaxClasses)] {
		t.add(p.Class, p.Predicted, fmt.Sprint(p.Rows))
	}
	return t
}

// separation shows the paper's histogram of the Bhattacharyya distance between the two most probable classes, for rows
// that were predicted right and wrong.
func separation(runs []*Run) section {
	s := section{
		ID: "separation", Title: "Bhattacharyya distance", Columns: columnsFor(runs),
		Lead: "The distance between the samples of the two most probable classes, as in the paper: the larger, " +
			"the surer. Wrong rows should lie to the left.",
	}
	s.eachClassifier(runs, distances)
	return s
}

func distances(c *Classes) []panel {
	low, high := math.Inf(1), math.Inf(-1)
	var logs [2][]float64 // the distances of rows that are right, and of rows that are wrong
	for i, d := range c.Distance {
		v := math.Log10(d)
		if !stats.IsFinite(v) {
			continue
		}
		k := 0
		if c.True[i] != c.Predicted[i] {
			k = 1
		}
		logs[k] = append(logs[k], v)
		low, high = math.Min(low, v), math.Max(high, v)
	}
	if low > high {
		return nil
	}
	low, high = math.Floor(low), math.Ceil(high+1e-9)
	const perTen = 4
	edges, right := histogram(logs[0], low, high, int(high-low)*perTen)
	_, wrong := histogram(logs[1], low, high, len(right))
	chart := &charts.Chart{
		Label: "Shares of right and wrong rows by Bhattacharyya distance",
		X:     charts.Axis{Label: "Bhattacharyya distance", Low: low, High: high, Powers: true},
		Y:     charts.Axis{Label: "share of the rows, %"},
	}
	end := func(i int) string { return digits(math.Pow(10, edges[i])) }
	names := []string{"right", "wrong"}
	for k, counts := range [][]float64{right, wrong} {
		bars := charts.Mark{Kind: charts.Bars, X: edges, Series: k}
		for b, n := range counts {
			bars.Y = append(bars.Y, 100*n/math.Max(1, float64(len(logs[k]))))
			bars.Tips = append(bars.Tips,
				fmt.Sprintf("%s to %s: %.0f of %d %s rows", end(b), end(b+1), n, len(logs[k]), names[k]))
		}
		chart.Marks = append(chart.Marks, bars)
	}
	numbers := newTable("Rows by distance", "from", "to", "right", "wrong")
	for b := range right {
		if right[b]+wrong[b] > 0 {
			numbers.add(end(b), end(b+1), fmt.Sprint(right[b]), fmt.Sprint(wrong[b]))
		}
	}
	return []panel{{Title: "Right and wrong rows", Chart: chart, Numbers: numbers,
		Note: fmt.Sprintf("Each colour adds up to 100 %%: %d rows were right (first colour), %d wrong (second).",
			len(logs[0]), len(logs[1]))}}
}
