package report

import "fmt"

// The numbers of worst rows, and of inputs of each row, that are shown.
const (
	listedRows   = 15
	listedInputs = 4
)

// worst shows the rows with the lowest log density.
func worst(runs []*Run) section {
	s := section{
		ID: "worst", Title: "Worst rows",
		Lead: "The test rows with the lowest log density: wrong entries, rare cases, or what the model has not " +
			"learnt. Rows have their numbers in the file, from 1, without the rows that were left out.",
	}
	s.each(runs, func(r *Run) []panel {
		if r.Rows == nil {
			return nil
		}
		density := r.Rows.density()
		t := newTable("Rows with the lowest log density", "row", "log density")
		if r.Rows.Classes != nil {
			t.Head = append(t.Head, "true", "predicted", "with probability")
		}
		for _, x := range r.shownTargets(runs) {
			t.Head = append(t.Head, "true "+x.Name, "predicted", "off, in sd")
		}
		inputs := r.Rows.Inputs[:min(len(r.Rows.Inputs), listedInputs)]
		for _, in := range inputs {
			t.Head = append(t.Head, in.Name)
		}
		for _, i := range argSort(density)[:min(len(density), listedRows)] {
			row := []string{r.Rows.name(i)[len("row "):], digits(density[i])}
			if c := r.Rows.Classes; c != nil {
				row = append(row, c.True[i], c.Predicted[i], percent(c.Probability[i]))
			}
			for _, x := range r.shownTargets(runs) {
				row = append(row, digits(x.True[i]), fmt.Sprintf("%s ± %s", digits(x.Mean[i]), digits(x.SD[i])),
					signed((x.True[i]-x.Mean[i])/x.SD[i]))
			}
			for _, in := range inputs {
				row = append(row, digits(in.Values[i]))
			}
			t.add(row...)
		}
		return []panel{{Title: "Lowest log density", Table: t, Span: fullSpan}}
	})
	return s
}
