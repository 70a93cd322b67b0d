package serve

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/predict"
)

// Rows as plain JSON: {"instances": [row, …]} asks, {"predictions": [object, …]} answers. A row is
// an object by column, a list in the order of the columns, or, of sequences alone, a string. Its
// answer is the line that predict --out FILE.jsonl writes.

// parseRows reads the rows of a request, at most so many.
func parseRows(s data.Schema, body []byte, most int) (data.Given, error) {
	var wire struct {
		Instances []json.RawMessage `json:"instances"`
	}
	g := data.Given{Texts: map[string][]string{}}
	if err := json.Unmarshal(body, &wire); err != nil {
		return g, badf("the request is not JSON of rows: %v", err)
	}
	if g.N = len(wire.Instances); g.N > most {
		return g, &Error{tooLarge, "too many rows: send fewer at a time"}
	} else if g.N == 0 {
		return g, badf(`the request has no rows: write {"instances": [{"COLUMN": 1, …}, …]}`)
	}
	numbers, columns := s.NumberColumns(), s.InputColumns()
	for i, row := range wire.Instances {
		cells, err := cellsOf(row, columns)
		if err != nil {
			return g, badf("row %d: %v", i+1, err)
		}
		for _, name := range columns {
			cell, ok := cells[name]
			switch {
			case !ok:
				return g, badf("row %d lacks column %s: the model reads %q", i+1, quote(name), columns)
			case slices.Contains(numbers, name):
				v, err := numberOf(cell)
				if err != nil {
					return g, badf("row %d, column %s: %v", i+1, quote(name), err)
				}
				g.Numbers = append(g.Numbers, v)
			case name == s.SequenceColumn():
				g.Sequences = append(g.Sequences, textOf(cell))
			default:
				g.Texts[name] = append(g.Texts[name], textOf(cell))
			}
		}
	}
	return g, nil
}

// cellsOf are the cells of a row by column.
func cellsOf(row json.RawMessage, columns []string) (cells map[string]json.RawMessage, err error) {
	switch row[0] {
	case '{':
		err = json.Unmarshal(row, &cells)
		return cells, err
	case '[':
		var list []json.RawMessage
		if err := json.Unmarshal(row, &list); err != nil {
			return nil, err
		}
		if len(list) != len(columns) {
			return nil, badf("a list of %d cells, and the model reads the %d columns %q", len(list),
				len(columns), columns)
		}
		cells = make(map[string]json.RawMessage, len(list))
		for i, name := range columns {
			cells[name] = list[i]
		}
		return cells, nil
	case '"':
		if len(columns) == 1 {
			return map[string]json.RawMessage{columns[0]: row}, nil
		}
	}
	return nil, badf("found %s: a row is an object or a list of cells", quote(string(row)))
}

// textOf is a cell as it would stand in a file.
func textOf(cell json.RawMessage) string {
	var text string
	if json.Unmarshal(cell, &text) == nil { // null is "", a missing cell
		return text
	}
	return string(cell)
}

// numberOf is the number of a cell; null and words for missing values are NaN.
func numberOf(cell json.RawMessage) (float64, error) { return data.ParseNumber(textOf(cell)) }

// writeRows is the answer.
func (p *prediction) writeRows() ([]byte, error) {
	out := []byte(`{"predictions":[`)
	at := 0
	for _, part := range p.parts {
		var distances []float64
		if p.distances != nil {
			distances = p.distances[at : at+part.N]
		}
		var lines bytes.Buffer
		if err := predict.NewTable(p.trained, p.rows, part, distances, 0, 0).Write(&lines, predict.JSONL); err != nil {
			return nil, badf("%v", err)
		}
		out, at = append(out, bytes.ReplaceAll(lines.Bytes(), []byte("\n"), []byte(","))...), at+part.N
	}
	return append(bytes.TrimSuffix(out, []byte(",")), "]}\n"...), nil
}
