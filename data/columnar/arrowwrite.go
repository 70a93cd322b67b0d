package columnar

import (
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/gpdrf/gpdrf-gpu/internal/tablefile"
)

// arrowWriter writes a file of Arrow IPC.
type arrowWriter struct {
	to   *ipc.FileWriter
	rows *array.RecordBuilder
	cell int // the next of the row
	n    int // rows of the batch
}

// newArrow begins a file of Arrow IPC, compressed with zstd.
func newArrow(w io.Writer, columns []tablefile.Column) (tablefile.Writer, error) {
	fields := make([]arrow.Field, len(columns))
	for c, column := range columns {
		fields[c] = arrow.Field{Name: column.Name, Type: arrow.PrimitiveTypes.Float64, Nullable: true}
		if column.Text {
			fields[c].Type = arrow.BinaryTypes.String
		}
	}
	schema := arrow.NewSchema(fields, nil)
	to, err := ipc.NewFileWriter(w, ipc.WithSchema(schema), ipc.WithZstd())
	return &arrowWriter{to: to, rows: array.NewRecordBuilder(memory.DefaultAllocator, schema)}, err
}

func (w *arrowWriter) Number(v float64) { w.next().(*array.Float64Builder).Append(v) }

func (w *arrowWriter) Text(v string) { w.next().(*array.StringBuilder).Append(v) }

func (w *arrowWriter) Missing() { w.next().AppendNull() }

func (w *arrowWriter) next() array.Builder {
	w.cell++
	return w.rows.Field(w.cell - 1)
}

func (w *arrowWriter) EndRow() error {
	if w.cell, w.n = 0, w.n+1; w.n < rowsPerGroup {
		return nil
	}
	return w.flush()
}

func (w *arrowWriter) flush() error {
	w.n = 0
	batch := w.rows.NewRecordBatch()
	defer batch.Release()
	return w.to.Write(batch)
}

func (w *arrowWriter) Close() error {
	if w.n > 0 {
		if err := w.flush(); err != nil {
			return err
		}
	}
	return w.to.Close()
}
