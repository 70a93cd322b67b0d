// Package predict translates predictions for users: means, quantiles and classes in the target's own units, and the
// table that a prediction is written as.
package predict

import (
	"math"
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
)

// Table is a prediction as it is written: named columns of numbers or of class names.
type Table struct {
	Columns []string
	Words   []string                               // those of Columns that hold words
	Row     func(i int, row []Cell) (cells []Cell) // appends the cells of row i; several goroutines may call it
	Rows    int
}

// Cell is a number, a class by its name, or nothing where no number is defined.
type Cell struct {
	Value float64
	Class string
	None  bool
}

// NewTable returns the table of a prediction of the rows ds; distances are nil where the model does not know them. With
// draws, all columns but the conformal interval come from fitted.Draws.
func NewTable(t *fitted.Model, ds *data.Dataset, p *model.Prediction, distances []float64,
	draws int, seed uint64) *Table {
	var out *Table
	if t.Schema.Task == data.Regression {
		out = regressionTable(t, p, draws, seed)
	} else {
		out = classTable(t, p)
	}
	if distances != nil {
		out.Add("distance", func(i int) Cell { return Cell{Value: distances[i]} })
	}
	switch names := ds.Outputs(); {
	case !ds.HasTarget():
	case ds.Labels != nil:
		out.Words = append(out.Words, "target")
		out.Add("target", func(i int) Cell {
			if label := ds.Labels[i]; label >= 0 {
				return Cell{Class: ds.Classes[label]}
			}
			return Cell{None: true} // it is not known
		})
	default:
		for c, name := range names {
			out.Add(ColumnPrefix(name, names)+"target", func(i int) Cell {
				y := ds.Y[i*len(names)+c]
				return Cell{Value: y, None: math.IsNaN(y)}
			})
		}
	}
	out.addIDs(ds, func(i int) int { return i })
	return out
}

// addIDs puts the names of the rows first, if the rows ds have names; row returns the number of row i among them. The
// column is called id where its own name is one of the table, or reserved.
func (t *Table) addIDs(ds *data.Dataset, row func(i int) int, reserved ...string) {
	ids, name := ds.IDs(), ds.ID()
	if ids == nil {
		return
	}
	if slices.Contains(append(reserved, t.Columns...), name) {
		name = "id" // which no other column is called
	}
	t.AddFirst(name, func(i int) Cell { return Cell{Class: ids[row(i)], None: ids[row(i)] == ""} })
	t.Words = append(t.Words, name)
}

// AddFirst puts a column before the others. The names of rows, whose column may be called the same, become id.
func (t *Table) AddFirst(name string, cell func(i int) Cell) {
	for _, names := range [][]string{t.Columns, t.Words} {
		if at := slices.Index(names, name); at >= 0 {
			names[at] = "id"
		}
	}
	row := t.Row
	t.Columns = append([]string{name}, t.Columns...)
	t.Row = func(i int, cells []Cell) []Cell { return row(i, append(cells, cell(i))) }
}

// Add puts a column after the others.
func (t *Table) Add(name string, cell func(i int) Cell) {
	row := t.Row
	t.Columns = append(t.Columns, name)
	t.Row = func(i int, cells []Cell) []Cell { return append(row(i, cells), cell(i)) }
}

// ColumnPrefix returns the beginning of the names of a target's columns; "" if there is one target.
func ColumnPrefix(name string, names []string) string {
	if len(names) == 1 {
		return ""
	}
	return name + "_"
}

// regressionTable returns the table of a regression, each target in its own units.
func regressionTable(t *fitted.Model, p *model.Prediction, draws int, seed uint64) *Table {
	names := t.Schema.Outputs()
	out := &Table{Rows: p.N}
	var parts []func(i int, cells []Cell) []Cell
	for c, name := range names {
		columns, row := outputColumns(t, p, c, draws, seed)
		for _, column := range columns {
			out.Columns = append(out.Columns, ColumnPrefix(name, names)+column)
		}
		parts = append(parts, row)
	}
	out.Row = func(i int, cells []Cell) []Cell {
		for _, row := range parts {
			cells = row(i, cells)
		}
		return cells
	}
	return out
}

// outputColumns returns the columns of target c.
func outputColumns(t *fitted.Model, p *model.Prediction, c, draws int,
	seed uint64) (columns []string, row func(i int, cells []Cell) []Cell) {
	r := NewRegression(t, p, c)
	if draws > 0 {
		r = r.WithDraws(draws, seed)
	}
	levels := QuantileLevels()
	quantiles := r.quantilesAt(levels)
	q, ok := t.Conformal.DefaultQuantile(c)
	columns = append([]string{"mean", "sd", "var_aleatoric", "var_epistemic"}, QuantileColumns()...)
	if ok {
		columns = append(columns, "lower", "upper")
	}
	return columns,
		func(i int, cells []Cell) []Cell {
			mean, sd, aleatoric, epistemic := r.Moments(i)
			at := make([]float64, len(levels))
			quantiles(i, at)
			cells = appendNumbers(cells, mean, sd, aleatoric, epistemic)
			cells = appendNumbers(cells, at...)
			if ok {
				lower, upper := r.Interval(i, q)
				cells = appendNumbers(cells, lower, upper)
			}
			return cells
		}
}

func appendNumbers(cells []Cell, values ...float64) []Cell {
	for _, v := range values {
		cells = append(cells, Cell{Value: v})
	}
	return cells
}

func classTable(t *fitted.Model, p *model.Prediction) *Table {
	classes := NewClassification(t, p)
	out := &Table{Columns: []string{"label"}, Words: []string{"label"}, Rows: p.N}
	for _, c := range t.Schema.Classes {
		out.Columns = append(out.Columns, "p_"+c)
	}
	out.Columns = append(out.Columns, "entropy", "bhattacharyya")
	q, ok := t.Conformal.DefaultQuantile(0)
	if ok {
		out.Columns, out.Words = append(out.Columns, "set"), append(out.Words, "set")
	}
	distance := metrics.BhattacharyyaDistances(p.H, p.S, p.N, p.C)
	out.Row = func(i int, cells []Cell) []Cell { // it does not keep p, which fills the memory
		cells = append(cells, Cell{Class: classes.Label(i)})
		cells = appendNumbers(cells, classes.Probabilities(i)...)
		cells = append(cells, Cell{Value: classes.Entropy(i)}, Cell{Value: distance[i], None: math.IsNaN(distance[i])})
		if ok {
			cells = append(cells, Cell{Class: strings.Join(classes.PredictionSet(i, q), "|")})
		}
		return cells
	}
	return out
}

// Table returns the table of suggestions among the rows ds, the best first: rank and row from 1, the name of the row,
// the value by Suggester.Acquisition, the prediction, and the probability that the row is feasible.
func (s *Suggester) Table(ds *data.Dataset, suggestions []Suggestion) *Table {
	names := map[string]string{EI: "gain", UCB: "bound", Thompson: "draw", Variance: "variance", BALD: "information"}
	value, predicted := names[s.Acquisition], []string{"mean", "sd"}
	prediction := func(one Suggestion) []Cell { return []Cell{{Value: one.Mean}, {Value: one.SD}} }
	if s.Trained.Schema.Task == data.Classification {
		predicted = []string{"label", "p"}
		prediction = func(one Suggestion) []Cell { return []Cell{{Class: one.Class}, {Value: one.Probability}} }
		if s.Acquisition == Variance {
			value = "entropy"
		}
	}
	out := &Table{Columns: append([]string{value}, predicted...), Words: []string{"label"}, Rows: len(suggestions)}
	out.Row = func(i int, cells []Cell) []Cell {
		one := suggestions[i]
		return append(append(cells, Cell{Value: one.Value}), prediction(one)...)
	}
	if s.Feasible != nil {
		out.Add("feasible", func(i int) Cell { return Cell{Value: suggestions[i].Feasible} })
	}
	out.addIDs(ds, func(i int) int { return suggestions[i].Row }, "rank", "row", "feasible")
	out.AddFirst("row", func(i int) Cell { return Cell{Value: float64(suggestions[i].Row + 1)} })
	out.AddFirst("rank", func(i int) Cell { return Cell{Value: float64(i + 1)} })
	return out
}
