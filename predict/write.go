package predict

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"

	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/internal/stats"
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

// Writer writes tables of the same columns, one after the other, into one file. A number that is not finite is
// ErrNotFinite.
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

// each makes the cells of up to rowsAtOnce rows at a time. Threads call part with the cells of each part of
// metrics.ChunkRows rows, and the number of the chunk; write then gets them all.
func (t *Table) each(part func(k int, cells []Cell) error, write func(cells []Cell) error) error {
	width := len(t.Columns)
	cells := make([]Cell, min(t.Rows, rowsAtOnce)*width)
	failed := make([]error, rowsAtOnce/metrics.ChunkRows)
	for first := 0; first < t.Rows; first += rowsAtOnce {
		rows := min(rowsAtOnce, t.Rows-first)
		metrics.EachChunk(rows, func(lo, hi int) {
			k := lo / metrics.ChunkRows
			own := cells[lo*width : hi*width]
			if failed[k] = t.cells(first+lo, own); failed[k] == nil {
				failed[k] = part(k, own)
			}
		})
		if err := cmp.Or(failed...); err != nil {
			return err
		}
		if err := write(cells[:rows*width]); err != nil {
			return err
		}
	}
	return nil
}

// cells makes the cells of the rows from first on.
func (t *Table) cells(first int, into []Cell) error {
	for row := range slices.Chunk(into, len(t.Columns)) {
		for _, c := range t.Row(first, row[:0]) {
			if !c.None && !stats.IsFinite(c.Value) {
				return ErrNotFinite
			}
		}
		first++
	}
	return nil
}

// textWriter writes lines of text.
type textWriter struct {
	to     io.Writer
	begun  bool // there is a header, or none is needed
	append func(to []byte, names [][]byte, cells []Cell) ([]byte, error)
	parts  [rowsAtOnce / metrics.ChunkRows][]byte
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
	width := len(t.Columns)
	names := make([][]byte, width)
	for c, name := range t.Columns {
		names[c], _ = json.Marshal(name) // a string always has a form
	}
	return t.each(func(k int, cells []Cell) (err error) {
		text := w.parts[k][:0]
		for row := range slices.Chunk(cells, width) {
			if text, err = w.append(text, names, row); err != nil {
				return err
			}
		}
		w.parts[k] = text
		return nil
	}, func(cells []Cell) error {
		parts := (len(cells)/width + metrics.ChunkRows - 1) / metrics.ChunkRows
		_, err := w.to.Write(bytes.Join(w.parts[:parts], nil))
		return err
	})
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
	text   []bool           // columns that hold text
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
	return t.each(func(int, []Cell) error { return nil }, func(cells []Cell) error {
		for row := range slices.Chunk(cells, len(t.Columns)) {
			for c, cell := range row {
				switch {
				case cell.None:
					w.file.Missing()
				case w.text[c]:
					w.file.Text(cell.Class)
				default:
					w.file.Number(cell.Value)
				}
			}
			if err := w.file.EndRow(); err != nil {
				return err
			}
		}
		return nil
	})
}

// Close writes the index of the file.
func (w *columnWriter) Close() error {
	if w.file == nil {
		return nil
	}
	return w.file.Close()
}
