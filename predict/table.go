package predict

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
)

// Table is a prediction as it is written: named columns of numbers or of class names.
type Table struct {
	Columns []string
	Row     func(i int, into []Cell) // writes row i; several rows may be written at a time
	Rows    int
}

// Cell is a number, a class by its name, or nothing where no number is defined.
type Cell struct {
	Value float64
	Class string
	None  bool
}

// NewTable is the table of a prediction of the rows ds; distances are nil where the model does not
// know them. With draws, mean and sd are those of fitted.Draws.
func NewTable(t *fitted.Trained, ds *data.Dataset, p *model.Prediction, distances []float64,
	draws int, seed uint64) *Table {
	var out *Table
	if t.Schema.Task == data.Regression {
		out = regressionTable(t, p, draws, seed)
	} else {
		out = classTable(t, p)
	}
	if distances != nil {
		predicted, at := out.Row, len(out.Columns)
		out.Columns = append(out.Columns, "distance")
		out.Row = func(i int, into []Cell) {
			predicted(i, into)
			into[at] = Cell{Value: distances[i]}
		}
	}
	if ids := ds.IDs(); ids != nil {
		predicted, name := out.Row, ds.ID()
		if slices.Contains(out.Columns, name) {
			name = "id" // which no other column is called
		}
		out.Columns = append([]string{name}, out.Columns...)
		out.Row = func(i int, into []Cell) {
			into[0] = Cell{Class: ids[i], None: ids[i] == ""}
			predicted(i, into[1:])
		}
	}
	if ds.HasTarget() {
		names := ds.Outputs()
		for _, name := range names {
			out.Columns = append(out.Columns, prefix(name, names)+"target")
		}
		predicted, first := out.Row, len(out.Columns)-len(names)
		out.Row = func(i int, into []Cell) {
			predicted(i, into)
			if ds.Labels != nil {
				into[first] = Cell{Class: ds.Classes[ds.Labels[i]]}
				return
			}
			for c := range names {
				into[first+c] = Cell{Value: ds.Y[i*len(names)+c]}
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
func regressionTable(t *fitted.Trained, p *model.Prediction, draws int, seed uint64) *Table {
	names := t.Schema.Outputs()
	out := &Table{Rows: p.N}
	var parts []func(i int, into []Cell)
	width := 0
	for c, name := range names {
		columns, row := outputColumns(t, p, c, draws, seed)
		for _, column := range columns {
			out.Columns = append(out.Columns, prefix(name, names)+column)
		}
		width, parts = len(columns), append(parts, row)
	}
	out.Row = func(i int, into []Cell) {
		for c, row := range parts {
			row(i, into[c*width:])
		}
	}
	return out
}

// outputColumns are those of target c.
func outputColumns(t *fitted.Trained, p *model.Prediction, c, draws int,
	seed uint64) (columns []string, row func(i int, into []Cell)) {
	r := NewRegression(t, p, c)
	var drawn metrics.Mixture
	if draws > 0 {
		drawn = fitted.Draws(r.mixture, c, draws, seed)
	}
	return []string{"mean", "sd", "var_aleatoric", "var_epistemic", "q05", "q25", "q50", "q75", "q95"},
		func(i int, into []Cell) {
			mean, sd, aleatoric, epistemic := r.Moments(i)
			if draws > 0 {
				mean, sd = r.inUnits(drawn.Mean[i], drawn.Var[i])
			}
			for k, v := range []float64{mean, sd, aleatoric, epistemic} {
				into[k].Value = v
			}
			for k, q := range Levels() {
				into[4+k].Value = r.Quantile(i, q)
			}
		}
}

func classTable(t *fitted.Trained, p *model.Prediction) *Table {
	classes := NewClasses(t, p)
	out := &Table{Columns: []string{"label"}, Rows: p.N}
	for _, c := range t.Schema.Classes {
		out.Columns = append(out.Columns, "p_"+c)
	}
	out.Columns = append(out.Columns, "entropy", "bhattacharyya")
	distance := metrics.Distances(p.H, p.S, p.N, p.C)
	out.Row = func(i int, into []Cell) {
		for k, v := range classes.Probabilities(i) {
			into[1+k].Value = v
		}
		into[0].Class = classes.Label(i)
		into[1+p.C].Value = classes.Entropy(i)
		if d := distance[i]; math.IsNaN(d) {
			into[2+p.C] = Cell{None: true}
		} else {
			into[2+p.C] = Cell{Value: d}
		}
	}
	return out
}

// ErrNotFinite is a prediction that no format has a word for.
var ErrNotFinite = errors.New("the prediction is not finite: the inputs may be far outside those of training")

// The formats of Write.
const (
	CSV   = "csv"
	JSONL = "jsonl" // a JSON object on each line
)

// Write writes the rows in order, in one of the formats. A number that is not finite is
// ErrNotFinite.
func (t *Table) Write(w io.Writer, format string) error {
	b := bufio.NewWriter(w)
	var write func([]Cell) error
	if format == JSONL {
		write = t.jsonRows(b)
	} else {
		write = t.csvRows(b)
	}
	// All threads compute some rows, which take longer than writing them: then these are written.
	const together = 4096
	width := len(t.Columns)
	cells := make([]Cell, min(t.Rows, together)*width)
	for first := 0; first < t.Rows; first += together {
		rows := min(together, t.Rows-first)
		clear(cells)
		metrics.EachRow(rows, func(i int) { t.Row(first+i, cells[i*width:(i+1)*width]) })
		for i := range rows {
			row := cells[i*width : (i+1)*width]
			for _, c := range row {
				if math.IsNaN(c.Value) || math.IsInf(c.Value, 0) {
					return ErrNotFinite
				}
			}
			if err := write(row); err != nil {
				return err
			}
		}
	}
	return b.Flush()
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func (t *Table) csvRows(w io.Writer) func([]Cell) error {
	out := csv.NewWriter(w)
	record := append([]string(nil), t.Columns...)
	out.Write(record) // an error stays until Flush
	return func(cells []Cell) error {
		for i, c := range cells {
			if record[i] = c.Class; c.Class == "" && !c.None {
				record[i] = number(c.Value)
			}
		}
		if err := out.Write(record); err != nil {
			return err
		}
		out.Flush()
		return out.Error()
	}
}

func (t *Table) jsonRows(w io.Writer) func([]Cell) error {
	var line []byte
	names := make([][]byte, len(t.Columns))
	for i, name := range t.Columns {
		names[i], _ = json.Marshal(name) // a string always has a form
	}
	return func(cells []Cell) error {
		line = append(line[:0], '{')
		for i, c := range cells {
			if i > 0 {
				line = append(line, ',')
			}
			line = append(line, names[i]...)
			line = append(line, ':')
			var v any = c.Value
			if c.None {
				v = nil
			} else if c.Class != "" {
				v = c.Class
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
