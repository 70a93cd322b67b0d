package predict

import (
	"slices"

	"github.com/gpdrf/gpdrf-gpu/data"
)

// Table returns the table of suggestions among the rows ds, the best first: rank and row from 1, the name of
// the row, the value by Search.How, the prediction, and the probability that the row is feasible.
func (s *Search) Table(ds *data.Dataset, suggestions []Suggestion) *Table {
	classes := s.Trained.Schema.Task == data.Classification
	names := map[string]string{EI: "gain", UCB: "bound", Thompson: "draw", Variance: "variance", BALD: "information"}
	value, predicted := names[s.How], []string{"mean", "sd"}
	if classes {
		predicted = []string{"label", "p"}
		if s.How == Variance {
			value = "entropy"
		}
	}
	out := &Table{Columns: []string{"rank", "row"}, Words: []string{"label"}, Rows: len(suggestions)}
	ids := ds.IDs()
	if ids != nil {
		name := ds.ID()
		if slices.Contains(append(predicted, "rank", "row", "feasible", value), name) {
			name = "id"
		}
		out.Columns, out.Words = append(out.Columns, name), append(out.Words, name)
	}
	out.Columns = append(append(out.Columns, value), predicted...)
	if s.Feasible != nil {
		out.Columns = append(out.Columns, "feasible")
	}
	out.Row = func(i int, into []Cell) {
		one := suggestions[i]
		cells := []Cell{{Value: float64(i + 1)}, {Value: float64(one.Row + 1)}}
		if ids != nil {
			cells = append(cells, Cell{Class: ids[one.Row], None: ids[one.Row] == ""})
		}
		cells = append(cells, Cell{Value: one.Value})
		if classes {
			cells = append(cells, Cell{Class: one.Class}, Cell{Value: one.Probability})
		} else {
			cells = append(cells, Cell{Value: one.Mean}, Cell{Value: one.SD})
		}
		copy(into, append(cells, Cell{Value: one.Feasible})[:len(out.Columns)])
	}
	return out
}
