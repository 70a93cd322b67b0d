package tablefile

import (
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"
)

// Column is a column of a file: numbers in double, or text. Any cell may be missing.
type Column struct {
	Name string
	Text bool
}

// Writer writes a file row by row. Each row has a cell for each column, in order: Number of a
// column of numbers, Text of one of text, or Missing; then comes EndRow.
type Writer interface {
	Number(v float64)
	Text(v string)
	Missing()
	EndRow() error
	Close() error // writes the end of the file
}

// parquetWriter writes a Parquet file.
type parquetWriter struct {
	to   *parquet.GenericWriter[any]
	rows [parquetBuffer]parquet.Row
	n    int // rows that are complete
}

// rowsPerGroup is how many rows lie together in a file, and are held in memory.
const rowsPerGroup = 1 << 16

// NewParquet begins a Parquet file, compressed with zstd.
func NewParquet(w io.Writer, columns []Column) Writer {
	group := orderedGroup{Group: parquet.Group{}}
	for _, c := range columns {
		group.names = append(group.names, c.Name)
		if c.Text {
			group.Group[c.Name] = parquet.Optional(parquet.String())
		} else {
			group.Group[c.Name] = parquet.Optional(parquet.Leaf(parquet.DoubleType))
		}
	}
	return &parquetWriter{to: parquet.NewGenericWriter[any](w, parquet.NewSchema("table", group),
		parquet.Compression(newPageCodec()), parquet.MaxRowsPerRowGroup(rowsPerGroup),
		parquet.CreatedBy("gpdrf-gpu", "", ""))}
}

// orderedGroup has its fields in the order of their names here. A parquet.Group sorts them.
type orderedGroup struct {
	parquet.Group
	names []string
}

// Fields are in order.
func (g orderedGroup) Fields() []parquet.Field {
	fields := g.Group.Fields()
	slices.SortFunc(fields, func(a, b parquet.Field) int {
		return slices.Index(g.names, a.Name()) - slices.Index(g.names, b.Name())
	})
	return fields
}

func (w *parquetWriter) Number(v float64) { w.add(parquet.DoubleValue(v), 1) }

func (w *parquetWriter) Text(v string) { w.add(parquet.ByteArrayValue([]byte(v)), 1) }

func (w *parquetWriter) Missing() { w.add(parquet.NullValue(), 0) }

func (w *parquetWriter) add(v parquet.Value, defined int) {
	row := w.rows[w.n]
	w.rows[w.n] = append(row, v.Level(0, defined, len(row)))
}

func (w *parquetWriter) EndRow() error {
	if w.n++; w.n < len(w.rows) {
		return nil
	}
	return w.flush()
}

// flush writes the rows that are complete.
func (w *parquetWriter) flush() error {
	_, err := w.to.WriteRows(w.rows[:w.n])
	for i := range w.n {
		w.rows[i] = w.rows[i][:0]
	}
	w.n = 0
	return err
}

func (w *parquetWriter) Close() error {
	if err := w.flush(); err != nil {
		return err
	}
	return w.to.Close()
}
