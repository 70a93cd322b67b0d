package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/internal/charts"
)

// mostClasses is how many classes a matrix shows. Of more, the pairs that are confused most.
const mostClasses = 30

// confusion says which classes are taken for which.
func confusion(runs []*Run) section {
	s := section{
		ID: "confusion", Title: "Confusion matrix", Columns: beside(runs),
		Lead: "A row is a true class, a column the class that was predicted. The shade is the share of the true class.",
	}
	for _, r := range runs {
		scores := r.Result.Test.Classification
		if scores == nil || scores.Classes == nil {
			continue
		}
		if len(scores.Classes) <= mostClasses {
			m := &table{Caption: "Rows of each class, by predicted class", Head: []string{"true"}, Matrix: true}
			for _, c := range scores.Classes {
				m.Head = append(m.Head, c.Class)
			}
			for _, c := range scores.Classes {
				row := texts(c.Class)
				for _, other := range scores.Classes {
					n := c.Predicted[other.Class]
					row = append(row, cell{Text: fmt.Sprint(n), Shade: float64(n) / math.Max(1, float64(c.Support))})
				}
				m.Rows = append(m.Rows, row)
			}
			s.Panels = append(s.Panels, panel{Run: label(runs, r), Title: "Rows of each class", Table: m,
				Span: spanOf(runs, min(2, (len(scores.Classes)+6)/7))})
		} else {
			s.Lead = fmt.Sprintf("There are %d classes: these are the pairs that are confused most.",
				len(scores.Classes))
			s.Panels = append(s.Panels, panel{Run: label(runs, r), Title: "Confused most", Table: confused(r)})
		}
		t := &table{Caption: "Scores of each class", Head: []string{"class", "rows", "precision", "recall", "F1"}}
		for _, c := range scores.Classes {
			t.add(c.Class, fmt.Sprint(c.Support), decimals(optional(c.Precision)),
				decimals(optional(c.Recall)), decimals(optional(c.F1)))
		}
		s.Panels = append(s.Panels, panel{Run: label(runs, r), Title: "Scores of each class", Table: t})
	}
	return s
}

// confused are the pairs of classes that are taken for each other most often.
func confused(r *Run) *table {
	type pair struct {
		of, as string
		n      int
	}
	var all []pair
	for _, c := range r.Result.Test.Classification.Classes {
		for as, n := range c.Predicted {
			if as != c.Class {
				all = append(all, pair{c.Class, as, n})
			}
		}
	}
	slices.SortFunc(all, func(a, b pair) int {
		return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.of, b.of), cmp.Compare(a.as, b.as))
	})
	t := &table{Caption: "Pairs of classes", Head: []string{"true", "predicted", "rows"}}
	for _, p := range all[:min(len(all), mostClasses)] {
		t.add(p.of, p.as, fmt.Sprint(p.n))
	}
	return t
}

// separation is the paper's histogram of the Bhattacharyya distance between the two most probable
// classes, of rows that were predicted right and wrong.
func separation(runs []*Run) section {
	s := section{
		ID: "separation", Title: "Bhattacharyya distance", Columns: beside(runs),
		Lead: "The distance between the samples of the two most probable classes, as in the " +
			"paper: the larger, the surer. " +
			"Wrong rows should lie to the left.",
	}
	for _, r := range runs {
		if r.Rows == nil || r.Rows.Classes == nil {
			continue
		}
		if p, ok := distances(runs, r); ok {
			s.Panels = append(s.Panels, p)
		}
	}
	return s
}

func distances(runs []*Run, r *Run) (p panel, ok bool) {
	c := r.Rows.Classes
	low, high := math.Inf(1), math.Inf(-1)
	var of [2][]float64 // right, wrong
	for i, d := range c.Distance {
		v := math.Log10(d)
		if math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		k := 0
		if c.True[i] != c.Predicted[i] {
			k = 1
		}
		of[k] = append(of[k], v)
		low, high = math.Min(low, v), math.Max(high, v)
	}
	if low > high {
		return panel{}, false
	}
	low, high = math.Floor(low), math.Ceil(high+1e-9)
	const perTen = 4
	bins := int(high-low) * perTen
	edges := make([]float64, bins+1)
	for i := range edges {
		edges[i] = low + float64(i)/perTen
	}
	names := [2]string{"right", "wrong"}
	numbers := &table{Caption: "Rows by distance", Head: []string{"from", "to", "right", "wrong"}}
	chart := charts.Chart{
		Label: "Shares of right and wrong rows by Bhattacharyya distance",
		X:     charts.Axis{Label: "Bhattacharyya distance", Low: low, High: high, Powers: true},
		Y:     charts.Axis{Label: "share of the rows, %"},
	}
	counts := [2][]float64{make([]float64, bins), make([]float64, bins)}
	for k, values := range of {
		heights, tips := make([]float64, bins), make([]string, bins)
		for _, v := range values {
			counts[k][min(int((v-low)*perTen), bins-1)]++
		}
		for b, n := range counts[k] {
			heights[b] = 100 * n / math.Max(1, float64(len(values)))
			tips[b] = fmt.Sprintf("%s to %s: %.0f of %d %s rows", digits(math.Pow(10, edges[b])),
				digits(math.Pow(10, edges[b+1])), n, len(values), names[k])
		}
		chart.Marks = append(chart.Marks, charts.Mark{Kind: charts.Bars, X: edges, Y: heights, Tips: tips, Series: k})
	}
	for b := range bins {
		if counts[0][b]+counts[1][b] == 0 {
			continue
		}
		numbers.add(digits(math.Pow(10, edges[b])), digits(math.Pow(10, edges[b+1])),
			fmt.Sprint(counts[0][b]), fmt.Sprint(counts[1][b]))
	}
	return panel{
		Run: label(runs, r), Title: "Right and wrong rows", Chart: chart.SVG(), Numbers: numbers,
		Note: fmt.Sprintf("Each colour adds up to 100 %%: %d rows were right (first colour), %d wrong "+
			"(second).", len(of[0]), len(of[1])),
	}, true
}
