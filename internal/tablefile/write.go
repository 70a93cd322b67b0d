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
	to  *parquet.GenericWriter[any]
	row parquet.Row
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
		parquet.Compression(&parquet.Zstd), parquet.MaxRowsPerRowGroup(rowsPerGroup),
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
	w.row = append(w.row, v.Level(0, defined, len(w.row)))
}

func (w *parquetWriter) EndRow() error {
	_, err := w.to.WriteRows([]parquet.Row{w.row})
	w.row = w.row[:0]
	return err
}

func (w *parquetWriter) Close() error { return w.to.Close() }
