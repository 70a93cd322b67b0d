package columnar

import (
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"

	"github.com/gpdrf/gpdrf-gpu/internal/tablefile"
)

// parquetWriter writes a Parquet file.
type parquetWriter struct {
	to   *parquet.GenericWriter[any]
	rows [parquetBuffer]parquet.Row
	n    int // number of complete rows
}

// newParquet begins a Parquet file, compressed with zstd.
func newParquet(w io.Writer, columns []tablefile.Column) (tablefile.Writer, error) {
	if most := parquet.MaxColumnIndex + 1; len(columns) > most {
		return nil, fmt.Errorf("a Parquet file has at most %d columns, and this table has %d: write CSV or Arrow",
			most, len(columns))
	}
	group := orderedGroup{parquet.Group{}, map[string]int{}}
	for place, c := range columns {
		group.places[c.Name] = place
		if c.Text {
			group.Group[c.Name] = parquet.Optional(parquet.String())
		} else {
			group.Group[c.Name] = parquet.Optional(parquet.Leaf(parquet.DoubleType))
		}
	}
	rows := rowsOf(len(columns))
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(pageWindow),
		zstd.WithLowerEncoderMem(true), zstd.WithZeroFrames(true), zstd.WithEncoderCRC(false))
	if err != nil {
		return nil, err
	}
	return &parquetWriter{to: parquet.NewGenericWriter[any](w, parquet.NewSchema("table", group),
		parquet.Compression(&pageCodec{&parquet.Zstd, encoder}), parquet.MaxRowsPerRowGroup(int64(rows)),
		parquet.CreatedBy("gpdrf-gpu", "", ""))}, nil
}

// orderedGroup keeps its fields at their positions. A parquet.Group sorts them by their names.
type orderedGroup struct {
	parquet.Group
	places map[string]int
}

// Fields returns the fields in order.
func (g orderedGroup) Fields() []parquet.Field {
	fields := make([]parquet.Field, len(g.places))
	for _, f := range g.Group.Fields() {
		fields[g.places[f.Name()]] = f
	}
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

// pageWindow is how far zstd looks back, in bytes. Pages are not longer.
const pageWindow = parquet.DefaultPageBufferSize

// pageCodec compresses pages with one encoder, whose window is a page. The encoders of package parquet have a window of
// 8 MB and a history of 16 MB, and a pool holds several of them.
type pageCodec struct {
	compress.Codec // the codec that decompresses
	encoder        *zstd.Encoder
}

// Encode compresses a page into dst, or into new memory if it is too small.
func (c *pageCodec) Encode(dst, src []byte) ([]byte, error) {
	return c.encoder.EncodeAll(src, dst[:0]), nil
}
