package predict

import (
	"bufio"
	"bytes"
	"cmp"
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

// Formats returns all formats.
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
		return &textWriter{to: w, begun: true, append: appendJSON}
	case Parquet, Arrow:
		return &columnWriter{to: w, format: format}
	}
	return &textWriter{to: w, append: appendCSV}
}

// Write writes one table.
func (t *Table) Write(w io.Writer, format string) error {
	out := NewWriter(w, format)
	if err := out.Write(t); err != nil {
		return err
	}
	return out.Close()
}

// rowsAtOnce is the number of rows that the threads format before they are written.
const rowsAtOnce = 4096

// cells makes the cells [hi−lo,width] of rows lo … hi−1.
func (t *Table) cells(lo, hi int, into []Cell) error {
	width := len(t.Columns)
	clear(into[:(hi-lo)*width])
	for i := lo; i < hi; i++ {
		row := into[(i-lo)*width : (i-lo+1)*width]
		t.Row(i, row)
		for _, c := range row {
			if !c.None && (math.IsNaN(c.Value) || math.IsInf(c.Value, 0)) {
				return ErrNotFinite
			}
		}
	}
	return nil
}

// textWriter writes lines of text.
type textWriter struct {
	to     io.Writer
	begun  bool // there is a header, or none is needed
	append func(to []byte, names [][]byte, cells []Cell) ([]byte, error)

	parts [rowsAtOnce / metrics.PartRows]textPart
}

// textPart is the text of some rows, which one thread makes.
type textPart struct {
	cells []Cell
	text  []byte
	err   error
}

// Write writes a header before the first table.
func (w *textWriter) Write(t *Table) error {
	if !w.begun {
		w.begun = true
		header, err := csvLine(t.Columns)
		if err != nil {
			return err
		}
		if _, err := w.to.Write(header); err != nil {
			return err
		}
	}
	names := make([][]byte, len(t.Columns))
	for c, name := range t.Columns {
		names[c], _ = json.Marshal(name) // a string always has a form
	}
	for first := 0; first < t.Rows; first += rowsAtOnce {
		rows := min(rowsAtOnce, t.Rows-first)
		metrics.EachPart(rows, func(lo, hi int) {
			w.parts[lo/metrics.PartRows].make(w, t, names, first+lo, first+hi)
		})
		if err := w.flush((rows + metrics.PartRows - 1) / metrics.PartRows); err != nil {
			return err
		}
	}
	return nil
}

// flush writes the first parts. One alone, such as the answer to a request of serve, needs no buffer.
func (w *textWriter) flush(parts int) error {
	if parts == 1 && w.parts[0].err == nil {
		_, err := w.to.Write(w.parts[0].text)
		return err
	}
	out := bufio.NewWriterSize(w.to, 1<<16)
	for _, part := range w.parts[:parts] {
		if part.err != nil {
			return part.err
		}
		out.Write(part.text) // an error stays until Flush
	}
	return out.Flush()
}

// make writes rows lo … hi−1 as text to p.text, or sets p.err.
func (p *textPart) make(w *textWriter, t *Table, names [][]byte, lo, hi int) {
	width := len(t.Columns)
	p.cells, p.text = slices.Grow(p.cells[:0], (hi-lo)*width)[:(hi-lo)*width], p.text[:0]
	if p.err = t.cells(lo, hi, p.cells); p.err != nil {
		return
	}
	for i := range hi - lo {
		if p.text, p.err = w.append(p.text, names, p.cells[i*width:(i+1)*width]); p.err != nil {
			return
		}
	}
}

// Close leaves the file as it is: lines need no end.
func (w *textWriter) Close() error { return nil }

// csvLine encodes a row of words as CSV.
func csvLine(words []string) ([]byte, error) {
	var line bytes.Buffer
	out := csv.NewWriter(&line)
	out.Write(words) // an error stays until Flush
	out.Flush()
	return line.Bytes(), out.Error()
}

func appendCSV(to []byte, _ [][]byte, cells []Cell) ([]byte, error) {
	for c, cell := range cells {
		if c > 0 {
			to = append(to, ',')
		}
		switch {
		case cell.None:
		case cell.Class == "":
			to = strconv.AppendFloat(to, cell.Value, 'g', -1, 64)
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

func appendJSON(to []byte, names [][]byte, cells []Cell) ([]byte, error) {
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
	to     io.Writer
	format string
	file   tablefile.Writer // nil before the first table
	text   []bool           // of the columns
}

func (w *columnWriter) Write(t *Table) error {
	if w.file == nil {
		columns := make([]tablefile.Column, len(t.Columns))
		for c, name := range t.Columns {
			columns[c] = tablefile.Column{Name: name, Text: slices.Contains(t.Words, name)}
			w.text = append(w.text, columns[c].Text)
		}
		files, err := tablefile.Linked()
		if err != nil {
			return err
		}
		begin := files.NewArrow
		if w.format == Parquet {
			begin = files.NewParquet
		}
		if w.file, err = begin(w.to, columns); err != nil {
			return err
		}
	}
	width := len(t.Columns)
	cells := make([]Cell, min(t.Rows, rowsAtOnce)*width)
	failed := make([]error, rowsAtOnce/metrics.PartRows)
	for first := 0; first < t.Rows; first += rowsAtOnce {
		rows := min(rowsAtOnce, t.Rows-first)
		metrics.EachPart(rows, func(lo, hi int) {
			failed[lo/metrics.PartRows] = t.cells(first+lo, first+hi, cells[lo*width:])
		})
		if err := cmp.Or(failed...); err != nil {
			return err
		}
		for i := range rows {
			if err := w.row(cells[i*width : (i+1)*width]); err != nil {
				return err
			}
		}
	}
	return nil
}

// row writes a row.
func (w *columnWriter) row(cells []Cell) error {
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
}

// Close writes the index of the file.
func (w *columnWriter) Close() error {
	if w.file == nil {
		return nil
	}
	return w.file.Close()
}
