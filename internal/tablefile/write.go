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

// Writer writes a Parquet file, compressed with zstd.
type Writer struct {
	to  *parquet.GenericWriter[any]
	row parquet.Row
}

// rowsPerGroup is how many rows lie together in a file, and are held in memory.
const rowsPerGroup = 1 << 16

// NewWriter begins a file of these columns, in this order.
func NewWriter(w io.Writer, columns []Column) *Writer {
	group := orderedGroup{Group: parquet.Group{}}
	for _, c := range columns {
		group.names = append(group.names, c.Name)
		if c.Text {
			group.Group[c.Name] = parquet.Optional(parquet.String())
		} else {
			group.Group[c.Name] = parquet.Optional(parquet.Leaf(parquet.DoubleType))
		}
	}
	return &Writer{to: parquet.NewGenericWriter[any](w, parquet.NewSchema("table", group),
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

// Number is the next cell of the row.
func (w *Writer) Number(v float64) { w.add(parquet.DoubleValue(v), 1) }

// Text is the next cell of the row.
func (w *Writer) Text(v string) { w.add(parquet.ByteArrayValue([]byte(v)), 1) }

// Missing is the next cell of the row.
func (w *Writer) Missing() { w.add(parquet.NullValue(), 0) }

func (w *Writer) add(v parquet.Value, defined int) {
	w.row = append(w.row, v.Level(0, defined, len(w.row)))
}

// EndRow ends a row that has a cell for each column.
func (w *Writer) EndRow() error {
	_, err := w.to.WriteRows([]parquet.Row{w.row})
	w.row = w.row[:0]
	return err
}

// Close writes the end of the file.
func (w *Writer) Close() error { return w.to.Close() }
