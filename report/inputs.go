package report

import (
	"fmt"
	"math"
	"slices"
)

// inputs says what the model looks at.
func inputs(runs []*Run) section {
	s := section{ID: "inputs", Title: "Which inputs matter", Columns: beside(runs)}
	for _, r := range runs {
		lengths := lengthScales(r.Trained)
		if r.Importance != nil && len(r.Importance.Inputs) > 0 {
			s.Lead = "The drop is how much log density a test row loses when the values of one " +
				"input are exchanged among the " +
				"rows, with its standard error. It says what the model uses, and not what causes what."
			s.Panels = append(s.Panels, shuffled(runs, r, lengths))
		} else if lengths != nil {
			s.Panels = append(s.Panels, lengthscales(runs, r, lengths))
		}
		if maps := r.Trained.MapKernels(); maps != nil {
			t := &table{Caption: "Feature maps of sequences", Head: []string{"map", "weight α, mean", "width σ, mean"}}
			for _, m := range maps {
				sigma := none
				if m.Sigma != nil {
					sigma = digits(mean(m.Sigma))
				}
				t.add(m.Map, digits(mean(m.Alpha)), sigma)
			}
			s.Panels = append(s.Panels, panel{Run: label(runs, r), Title: "Feature maps of sequences", Table: t,
				Note: "The larger the weight of a map, the more the kernel between sequences is its own."})
		}
	}
	return s
}

// shuffled shows an Importance, beside the length-scales.
func shuffled(runs []*Run, r *Run, lengths []float64) panel {
	head := []string{"input", "drop, nats a row", "± s.e."}
	if lengths != nil {
		head = append(head, "length-scale")
	}
	t := &table{Caption: "Importance of inputs", Head: head}
	most := 0.0
	for _, in := range r.Importance.Inputs {
		most = math.Max(most, in.Drop)
	}
	all := r.Trained.Schema.Inputs()
	for _, in := range r.Importance.Inputs {
		row := texts(in.Name, decimals(in.Drop), decimals(in.SE))
		row[1].Bar = math.Max(0, in.Drop/math.Max(most, 1e-300))
		if lengths != nil {
			length := nan
			for _, known := range all {
				if known.Name == in.Name && known.Columns != nil {
					length = shortest(known, lengths)
				}
			}
			row = append(row, cell{Text: digits(length)})
		}
		t.Rows = append(t.Rows, row)
	}
	note := fmt.Sprintf("Measured on %d test rows, with %d samples.", r.Importance.Rows, r.Importance.Samples)
	if r.Importance.Left > 0 {
		note += fmt.Sprintf(" The other %d inputs with longer length-scales were left out.", r.Importance.Left)
	}
	if lengths != nil {
		note += " Along an input with a short length-scale, in training-sd units, the function changes fast."
	}
	return panel{Run: label(runs, r), Title: "Importance of inputs", Table: t, Note: note, Span: spanOf(runs, 2)}
}

// lengthscales shows them alone, the shortest first.
func lengthscales(runs []*Run, r *Run, lengths []float64) panel {
	t := &table{Caption: "Length-scales of inputs", Head: []string{"input", "length-scale"}}
	all := r.Trained.Schema.Columns
	for _, d := range ordered(lengths)[:min(len(lengths), mostInputs)] {
		if math.IsInf(lengths[d], 1) {
			break // a projection leaves it out
		}
		row := texts(all[d], digits(lengths[d]))
		row[1].Bar = slices.Min(lengths) / lengths[d]
		t.Rows = append(t.Rows, row)
	}
	return panel{Run: label(runs, r), Title: "Length-scales", Table: t,
		Note: "In training-sd units; a long bar is a short length-scale."}
}

// mean is that of values, with every digit where they are equal.
func mean(values []float64) (m float64) {
	for i, v := range values {
		m += (v - m) / float64(i+1)
	}
	return m
}
