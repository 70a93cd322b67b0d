package main

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train"
)

// predictions are a table as it is written: named columns of numbers or of class names.
type predictions struct {
	columns []string
	row     func(i int, into []cell)
	rows    int
}

// cell is a number, a class by its name, or nothing where no number is defined.
type cell struct {
	value float64
	class string
	none  bool
}

// predictionsOf is the table of a prediction; distances are nil where the model does not know them.
func predictionsOf(t *train.Trained, ds *data.Dataset, p *model.Prediction, distances []float64, draws int, seed uint64) *predictions {
	var out *predictions
	if t.Schema.Task == data.Regression {
		out = regressionTable(t, p, draws, seed)
	} else {
		out = classTable(t, p)
	}
	if distances != nil {
		predicted, at := out.row, len(out.columns)
		out.columns = append(out.columns, "distance")
		out.row = func(i int, into []cell) {
			predicted(i, into)
			into[at] = cell{value: distances[i]}
		}
	}
	if ids := ds.IDs(); ids != nil {
		predicted, name := out.row, ds.ID()
		if slices.Contains(out.columns, name) {
			name = "id" // which no other column is called
		}
		out.columns = append([]string{name}, out.columns...)
		out.row = func(i int, into []cell) {
			into[0] = cell{class: ids[i], none: ids[i] == ""}
			predicted(i, into[1:])
		}
	}
	if ds.HasTarget() {
		names := ds.Outputs()
		for _, name := range names {
			out.columns = append(out.columns, prefix(name, names)+"target")
		}
		predicted, first := out.row, len(out.columns)-len(names)
		out.row = func(i int, into []cell) {
			predicted(i, into)
			if ds.Labels != nil {
				into[first] = cell{class: ds.Classes[ds.Labels[i]]}
				return
			}
			for c := range names {
				into[first+c] = cell{value: ds.Y[i*len(names)+c]}
			}
		}
	}
	return out
}

// prefix is what the columns of a target begin with: nothing where there is one target.
func prefix(name string, names []string) string {
	if len(names) == 1 {
		return ""
	}
	return name + "_"
}

// regressionTable is in each target's own units.
func regressionTable(t *train.Trained, p *model.Prediction, draws int, seed uint64) *predictions {
	names := t.Schema.Outputs()
	out := &predictions{rows: p.N}
	var parts []func(i int, into []cell)
	width := 0
	for c, name := range names {
		columns, row := outputColumns(t, p, c, draws, seed)
		for _, column := range columns {
			out.columns = append(out.columns, prefix(name, names)+column)
		}
		width, parts = len(columns), append(parts, row)
	}
	out.row = func(i int, into []cell) {
		for c, row := range parts {
			row(i, into[c*width:])
		}
	}
	return out
}

// outputColumns are those of target c.
func outputColumns(t *train.Trained, p *model.Prediction, c, draws int, seed uint64) (columns []string, row func(i int, into []cell)) {
	m := train.Mixture(p, c)
	var drawn metrics.Mixture
	if draws > 0 {
		drawn = train.Draws(m, c, draws, seed)
	}
	quantiles := []float64{0.05, 0.25, 0.5, 0.75, 0.95}
	centre, sd := t.Targets[c].Mean, t.Targets[c].SD
	return []string{"mean", "sd", "var_aleatoric", "var_epistemic", "q05", "q25", "q50", "q75", "q95"}, func(i int, into []cell) {
		mean, total := m.Moments(i)
		noise := train.Noise(p, m, c, i)
		epistemic := max(0, total-noise)
		if draws > 0 {
			mean, total = drawn.Mean[i], drawn.Var[i]
		}
		for k, v := range []float64{centre + sd*mean, sd * math.Sqrt(total), sd * sd * noise, sd * sd * epistemic} {
			into[k].value = v
		}
		for k, q := range quantiles {
			into[4+k].value = centre + sd*m.Quantile(i, q)
		}
	}
}

func classTable(t *train.Trained, p *model.Prediction) *predictions {
	probability, distance := metrics.Probabilities(p.H, p.S, p.N, p.C), metrics.Distances(p.H, p.S, p.N, p.C)
	out := &predictions{columns: []string{"label"}, rows: p.N}
	for _, c := range t.Schema.Classes {
		out.columns = append(out.columns, "p_"+c)
	}
	out.columns = append(out.columns, "entropy", "bhattacharyya")
	out.row = func(i int, into []cell) {
		best, entropy := 0, 0.0
		row := probability[i*p.C : (i+1)*p.C]
		for k, v := range row {
			into[1+k].value = v
			if v > row[best] {
				best = k
			}
			if v > 0 {
				entropy -= v * math.Log(v)
			}
		}
		into[0].class = t.Schema.Classes[best]
		into[1+p.C].value = entropy
		if d := distance[i]; math.IsNaN(d) {
			into[2+p.C] = cell{none: true}
		} else {
			into[2+p.C] = cell{value: d}
		}
	}
	return out
}

// write writes the rows in order. A number that is not finite is an error: no format of
// the two has a word for it.
func (t *predictions) write(w io.Writer, format string) error {
	b := bufio.NewWriter(w)
	var write func([]cell) error
	if format == "jsonl" {
		write = t.jsonRows(b)
	} else {
		write = t.csvRows(b)
	}
	cells := make([]cell, len(t.columns))
	for i := range t.rows {
		t.row(i, cells)
		for _, c := range cells {
			if math.IsNaN(c.value) || math.IsInf(c.value, 0) {
				return errNotFinite
			}
		}
		if err := write(cells); err != nil {
			return err
		}
	}
	return b.Flush()
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func (t *predictions) csvRows(w io.Writer) func([]cell) error {
	out := csv.NewWriter(w)
	record := append([]string(nil), t.columns...)
	out.Write(record) // an error stays until Flush
	return func(cells []cell) error {
		for i, c := range cells {
			if record[i] = c.class; c.class == "" && !c.none {
				record[i] = number(c.value)
			}
		}
		if err := out.Write(record); err != nil {
			return err
		}
		out.Flush()
		return out.Error()
	}
}

func (t *predictions) jsonRows(w io.Writer) func([]cell) error {
	var line []byte
	names := make([][]byte, len(t.columns))
	for i, name := range t.columns {
		names[i], _ = json.Marshal(name) // a string always has a form
	}
	return func(cells []cell) error {
		line = append(line[:0], '{')
		for i, c := range cells {
			if i > 0 {
				line = append(line, ',')
			}
			line = append(line, names[i]...)
			line = append(line, ':')
			var v any = c.value
			if c.none {
				v = nil
			} else if c.class != "" {
				v = c.class
			}
			value, err := json.Marshal(v)
			if err != nil {
				return err
			}
			line = append(line, value...)
		}
		_, err := w.Write(append(line, '}', '\n'))
		return err
	}
}
