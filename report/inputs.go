package report

import (
	"fmt"
	"math"
	"slices"
)

// inputs shows the inputs that matter to the model.
func inputs(runs []*Run) section {
	s := section{ID: "inputs", Title: "Which inputs matter", Columns: columnsFor(runs)}
	s.each(runs, func(r *Run) (all []panel) {
		lengths := lengthScales(r.Trained)
		if r.Importance != nil && len(r.Importance.Inputs) > 0 {
			s.Lead = "The drop is how much log density a test row loses when the values of one input are exchanged " +
				"among the rows, with its standard error. It says what the model uses, and not what causes what."
			p := importancePanel(r, lengths)
			p.Span = spanOf(runs, 2)
			all = append(all, p)
		} else if lengths != nil && len(lengths) <= len(r.Trained.Schema.Columns) { // others are of a projection
			all = append(all, lengthScalePanel(r, lengths))
		}
		if maps := r.Trained.MapKernels(); maps != nil {
			t := newTable("Feature maps of sequences", "map", "weight α, mean", "width σ, mean")
			for _, m := range maps {
				sigma := none
				if m.Sigma != nil {
					sigma = digits(mean(m.Sigma))
				}
				t.add(m.Map, digits(mean(m.Alpha)), sigma)
			}
			all = append(all, panel{Title: "Feature maps of sequences", Table: t,
				Note: "The larger the weight of a map, the more the kernel between sequences is its own."})
		}
		return all
	})
	return s
}

// importancePanel shows the Importance of inputs, beside their length-scales.
func importancePanel(r *Run, lengths []float64) panel {
	t := newTable("Importance of inputs", "input", "drop, nats a row", "± s.e.")
	if lengths != nil {
		t.Head = append(t.Head, "length-scale")
	}
	most := 0.0
	for _, in := range r.Importance.Inputs {
		most = math.Max(most, in.Drop)
	}
	all := r.Trained.Schema.Inputs()
	for _, in := range r.Importance.Inputs {
		row := append(texts(in.Name), meter(decimals(in.Drop), in.Drop/math.Max(most, 1e-300)),
			cell{Text: decimals(in.SE)})
		if lengths != nil {
			length := nan
			for _, input := range all {
				if input.Name == in.Name && input.Columns != nil {
					length = shortest(input, lengths)
				}
			}
			row = append(row, cell{Text: digits(length)})
		}
		t.Rows = append(t.Rows, row)
	}
	note := fmt.Sprintf("Measured on %d test rows, with %d samples.", r.Importance.Rows, r.Importance.Samples)
	if n := r.Importance.Left; n > 0 {
		note += fmt.Sprintf(" The other %d inputs were left out.", n)
	}
	if lengths != nil {
		note += " Along an input with a short length-scale, in training-sd units, the function changes fast."
	}
	return panel{Title: "Importance of inputs", Table: t, Note: note}
}

// lengthScalePanel shows the length-scales of inputs without an Importance, the shortest first.
func lengthScalePanel(r *Run, lengths []float64) panel {
	t := newTable("Length-scales of inputs", "input", "length-scale")
	all := r.Trained.Schema.Columns
	for _, d := range argSort(lengths)[:min(len(lengths), maxInputs)] {
		if math.IsInf(lengths[d], 1) {
			break // a projection leaves this input and the following ones out
		}
		t.Rows = append(t.Rows, append(texts(all[d]), meter(digits(lengths[d]), slices.Min(lengths)/lengths[d])))
	}
	return panel{Title: "Length-scales", Table: t,
		Note: "In training-sd units; a long bar is a short length-scale."}
}

// mean returns the mean of values, with every digit where they are equal.
func mean(values []float64) (m float64) {
	for i, v := range values {
		m += (v - m) / float64(i+1)
	}
	return m
}
