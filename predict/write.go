package predict

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/internal/tablefile"
)

// ErrNotFinite is a prediction that no format has a word for.
var ErrNotFinite = errors.New("the prediction is not finite: the inputs may be far outside those of training")

// The formats of a Writer.
const (
	CSV     = "csv"
	JSONL   = "jsonl" // a JSON object on each line
	Parquet = "parquet"
	Arrow   = "arrow" // Arrow IPC, also called Feather
)

// Formats are all of them.
func Formats() []string { return []string{CSV, JSONL, Parquet, Arrow} }

// Writer writes tables of the same columns, one after the other, into one file. A number that is
// not finite is ErrNotFinite.
type Writer interface {
	Write(t *Table) error
	Close() error // ends the file, which has a header even if it has no rows
}

// NewWriter writes to w in one of Formats.
func NewWriter(w io.Writer, format string) Writer {
	switch format {
	case JSONL:
		return &textWriter{to: w, begin: func(*Table) ([]byte, error) { return nil, nil }, append: appendJSON}
	case Parquet:
		return &columnWriter{begin: func(columns []tablefile.Column) (tablefile.Writer, error) {
			return tablefile.NewParquet(w, columns), nil
		}}
	case Arrow:
		return &columnWriter{begin: func(columns []tablefile.Column) (tablefile.Writer, error) {
			return tablefile.NewArrow(w, columns)
		}}
	}
	return &textWriter{to: w, begin: csvHeader, append: appendCSV}
}

// Write writes one table.
func (t *Table) Write(w io.Writer, format string) error {
	out := NewWriter(w, format)
	if err := out.Write(t); err != nil {
		return err
	}
	return out.Close()
}

// together is how many rows are computed by all threads, which takes longer than writing them: then
// these are written.
const together = 4096

// each gives the cells of all rows in order.
func (t *Table) each(write func([]Cell) error) error {
	width := len(t.Columns)
	cells := make([]Cell, min(t.Rows, together)*width)
	for first := 0; first < t.Rows; first += together {
		rows := min(together, t.Rows-first)
		clear(cells)
		metrics.EachRow(rows, func(i int) { t.Row(first+i, cells[i*width:(i+1)*width]) })
		for i := range rows {
			row := cells[i*width : (i+1)*width]
			for _, c := range row {
				if !c.None && (math.IsNaN(c.Value) || math.IsInf(c.Value, 0)) {
					return ErrNotFinite
				}
			}
			if err := write(row); err != nil {
				return err
			}
		}
	}
	return nil
}

// textWriter writes lines of text.
type textWriter struct {
	to     io.Writer
	begun  bool
	begin  func(*Table) ([]byte, error)
	append func(to []byte, t *Table, names [][]byte, cells []Cell) ([]byte, error)
}

// Write writes a header before the first table.
func (w *textWriter) Write(t *Table) error {
	out := bufio.NewWriter(w.to)
	if !w.begun {
		w.begun = true
		header, err := w.begin(t)
		if err != nil {
			return err
		}
		out.Write(header) // an error stays until Flush
	}
	names := make([][]byte, len(t.Columns))
	for c, name := range t.Columns {
		names[c], _ = json.Marshal(name) // a string always has a form
	}
	var line []byte
	err := t.each(func(cells []Cell) (err error) {
		if line, err = w.append(line[:0], t, names, cells); err == nil {
			_, err = out.Write(line)
		}
		return err
	})
	if err != nil {
		return err
	}
	return out.Flush()
}

// Close leaves the file as it is: lines need no end.
func (w *textWriter) Close() error { return nil }

func csvHeader(t *Table) ([]byte, error) { return csvLine(t.Columns) }

// csvLine is a row of words, in quotes where they need them.
func csvLine(words []string) ([]byte, error) {
	var line bytes.Buffer
	out := csv.NewWriter(&line)
	out.Write(words) // an error stays until Flush
	out.Flush()
	return line.Bytes(), out.Error()
}

func appendCSV(to []byte, _ *Table, _ [][]byte, cells []Cell) ([]byte, error) {
	for c, cell := range cells {
		if c > 0 {
			to = append(to, ',')
		}
		switch {
		case cell.None:
		case cell.Class == "":
			to = appendNumber(to, cell.Value)
		default:
			word, err := csvLine([]string{cell.Class})
			if err != nil {
				return nil, err
			}
			to = append(to, bytes.TrimSuffix(word, []byte("\n"))...)
		}
	}
	return append(to, '\n'), nil
}

func appendNumber(to []byte, v float64) []byte { return strconv.AppendFloat(to, v, 'g', -1, 64) }

func appendJSON(to []byte, _ *Table, names [][]byte, cells []Cell) ([]byte, error) {
	for c, cell := range cells {
		if c == 0 {
			to = append(to, '{')
		} else {
			to = append(to, ',')
		}
		to = append(append(to, names[c]...), ':')
		var v any = cell.Value
		if cell.None {
			v = nil
		} else if cell.Class != "" {
			v = cell.Class
		}
		value, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		to = append(to, value...)
	}
	return append(to, '}', '\n'), nil
}

// columnWriter writes numbers as doubles and classes as text, in columns with a type.
type columnWriter struct {
	begin func(columns []tablefile.Column) (tablefile.Writer, error)
	file  tablefile.Writer // nil before the first table
	text  []bool           // of the columns
}

func (w *columnWriter) Write(t *Table) (err error) {
	if w.file == nil {
		columns := make([]tablefile.Column, len(t.Columns))
		for c, name := range t.Columns {
			columns[c] = tablefile.Column{Name: name, Text: slices.Contains(t.Words, name)}
			w.text = append(w.text, columns[c].Text)
		}
		if w.file, err = w.begin(columns); err != nil {
			return err
		}
	}
	return t.each(func(cells []Cell) error {
		for c, cell := range cells {
			switch {
			case cell.None:
				w.file.Missing()
			case w.text[c]:
				w.file.Text(cell.Class)
			default:
				w.file.Number(cell.Value)
			}
		}
		return w.file.EndRow()
	})
}

// Close writes the index of the file.
func (w *columnWriter) Close() error {
	if w.file == nil {
		return nil
	}
	return w.file.Close()
}
