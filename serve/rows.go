package serve

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/predict"
)

// Rows as plain JSON: {"instances": [row, …]} asks, {"predictions": [object, …]} answers. A row is an object by column,
// a list in the order of the columns, or, of sequences alone, a string. Its answer is the line that predict --out
// FILE.jsonl writes. "warnings" holds those that predict prints.

// parseRows decodes the rows of a request, and fails above maxRows.
func parseRows(s data.Schema, body []byte, maxRows int) (data.Request, error) {
	const what = "rows"
	var wire struct {
		Instances uniqueKey       `json:"instances"`
		Signature json.RawMessage `json:"signature_name"` // a model has one, and clients of TensorFlow name it
	}
	g := data.Request{Texts: map[string][]string{}}
	const form = `write {"instances": [{"COLUMN": 1, …}, …]}`
	if err := decodeKnown(body, &wire, what); err != nil {
		return g, invalidf("%v: %s", err, form)
	}
	in := newRowReader(s)
	isNumber := map[string]bool{}
	isBoolean := map[string]bool{}
	for _, name := range s.RequestNumbers() {
		isNumber[name] = true
	}
	for _, name := range s.Booleans {
		isBoolean[name] = true
	}
	notations := map[string]*data.Notation{}
	for k := range s.Notations {
		notations[s.Notations[k].Column] = &s.Notations[k]
	}
	err := each(wire.Instances, maxRows, what, func(i int, row json.RawMessage) error {
		g.N++
		cells, err := in.cells(row)
		if err != nil {
			return invalidf("row %d%v", i+1, err)
		}
		for c, name := range in.columns {
			switch {
			case isNumber[name]:
				v, err := data.ParseCell(textOf(cells[c]), isBoolean[name])
				if err != nil {
					return invalidf("row %d, column %s: %v", i+1, quote(name), err)
				}
				g.Numbers = append(g.Numbers, v)
			case name == s.SequenceColumn():
				g.Sequences = append(g.Sequences, textOf(cells[c]))
			default:
				text := textOf(cells[c])
				if cells[c][0] != '"' { // a plain number, if the column is one of numbers
					text = notations[name].Written(text)
				}
				g.Texts[name] = append(g.Texts[name], text)
			}
		}
		return nil
	})
	if err != nil {
		return g, err
	}
	if wire.Instances == nil || wire.Instances[0] != '[' {
		return g, invalidf("the request has no rows: %s", form)
	}
	return g, nil
}

// rowReader splits rows into cells.
type rowReader struct {
	schema  data.Schema
	columns []string        // columns that the model reads
	placeOf map[string]int  // places of the columns
	spare   map[string]bool // other names, and whether the training file had them
}

func newRowReader(s data.Schema) *rowReader {
	r := &rowReader{s, s.InputColumns(), map[string]int{}, map[string]bool{}}
	for c, name := range r.columns {
		r.placeOf[name] = c
	}
	return r
}

// cells returns the cells of a row, in the order of the columns.
func (r *rowReader) cells(row json.RawMessage) (cells []json.RawMessage, err error) {
	if row[0] == '{' {
		cells, err = r.objectCells(row)
	} else {
		cells, err = r.listCells(row)
	}
	if err != nil {
		return nil, err
	}
	for c, cell := range cells {
		if r.columns[c] == r.schema.SequenceColumn() && cell[0] == '{' {
			return nil, invalidf(", column %s: found an object: a graph goes as a text that holds its JSON, such as "+
				"%s", quote(r.columns[c]), `"{\"nodes\": 2, \"edges\": [[0, 1]]}"`)
		}
		if cell[0] == '{' || cell[0] == '[' {
			return nil, invalidf(", column %s: found %s: a cell is a number, a text, true, false or null",
				quote(r.columns[c]), quote(string(cell)))
		}
	}
	return cells, nil
}

// objectCells returns the cells of an object. It may also have the unread columns of the training file.
func (r *rowReader) objectCells(row json.RawMessage) ([]json.RawMessage, error) {
	cells := make([]json.RawMessage, len(r.columns))
	err := members(row, func(name string, cell json.RawMessage) error {
		switch c, ok := r.placeOf[name]; {
		case !ok && !r.isSpare(name):
			return invalidf("the training data have no column %s: the model reads %q", quote(name), r.columns)
		case ok && cells[c] != nil:
			return invalidf("column %s is given twice", quote(name))
		case ok:
			cells[c] = cell
		}
		return nil
	})
	if err != nil {
		return nil, invalidf(": %v", err)
	}
	if c := slices.IndexFunc(cells, func(cell json.RawMessage) bool { return cell == nil }); c >= 0 {
		return nil, invalidf(" lacks column %s: the model reads %q", quote(r.columns[c]), r.columns)
	}
	return cells, nil
}

// isSpare reports whether the training file had a column with this name.
func (r *rowReader) isSpare(name string) bool {
	had, seen := r.spare[name]
	if !seen {
		had = r.schema.HasColumn(name)
		r.spare[name] = had
	}
	return had
}

// listCells returns the cells of a list, or of a row of one cell.
func (r *rowReader) listCells(row json.RawMessage) (cells []json.RawMessage, err error) {
	columns := r.columns
	switch row[0] {
	case '[':
		err := each(row, len(columns), "rows", func(_ int, cell json.RawMessage) error {
			cells = append(cells, cell)
			return nil
		})
		switch {
		case err != nil:
			return nil, invalidf(": a list of more cells than the %d columns %q that the model reads", len(columns),
				columns)
		case len(cells) < len(columns):
			return nil, invalidf(": a list of %d cells, and the model reads the %d columns %q", len(cells),
				len(columns), columns)
		}
		return cells, nil
	case '"':
		if len(columns) == 1 {
			return []json.RawMessage{row}, nil
		}
	}
	what := "an object or a list of cells"
	if len(columns) == 1 {
		what = "an object, a list of a cell or a text"
	}
	return nil, invalidf(": found %s: a row is %s", quote(string(row)), what)
}

// textOf returns a cell as text, as in a file.
func textOf(cell json.RawMessage) string {
	var text string
	if json.Unmarshal(cell, &text) == nil { // null is "", a missing cell
		return text
	}
	return string(cell)
}

// writeRows encodes the answer as JSON.
func (p *prediction) writeRows() ([]byte, error) {
	out := []byte(`{"predictions":[`)
	if p.pass != nil {
		var lines bytes.Buffer
		table := predict.NewTable(p.trained, p.rows, p.pass, p.distances, 0, 0)
		if err := table.Write(&lines, predict.JSONL); err != nil {
			return nil, invalidf("%v", err)
		}
		out = append(out, bytes.ReplaceAll(lines.Bytes(), []byte("\n"), []byte(","))...)
	}
	out = append(bytes.TrimSuffix(out, []byte(",")), ']')
	if p.warnings != nil {
		warnings, err := json.Marshal(p.warnings)
		if err != nil {
			return nil, err
		}
		out = append(append(out, `,"warnings":`...), warnings...)
	}
	return append(out, "}\n"...), nil
}
