package columnar

import (
	"bytes"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// A group that package parquet would read in another way than it is checked, or with fewer rows than it has, is an
// error.
func TestGroupClaims(t *testing.T) {
	const rows = 10
	none := func(*format.PageHeader, *format.ColumnMetaData) {}
	for _, test := range []struct {
		what   string
		change func(*format.PageHeader, *format.ColumnMetaData)
		says   string
	}{
		{"a whole group", none, ""},
		{"too few rows", func(p *format.PageHeader, _ *format.ColumnMetaData) { p.DataPageHeader.V.NumValues-- },
			"a column of 9 values in a group of 10 rows"},
		{"two headers", func(p *format.PageHeader, _ *format.ColumnMetaData) { p.DataPageHeaderV2.Valid = true },
			"the header of another kind"},
		{"a dictionary in runs", func(p *format.PageHeader, _ *format.ColumnMetaData) {
			p.Type = format.DictionaryPage
			p.DataPageHeader.Reset()
			p.DictionaryPageHeader.Set(format.DictionaryPageHeader{NumValues: 1, Encoding: format.RLE})
		}, "a dictionary is encoded as"},
		{"numbers in runs", func(p *format.PageHeader, _ *format.ColumnMetaData) {
			p.DataPageHeader.V.Encoding = format.RLE
		}, "are in runs"},
		{"beyond the file", func(_ *format.PageHeader, m *format.ColumnMetaData) { m.TotalCompressedSize++ },
			"of a file of"},
		{"far beyond it", func(_ *format.PageHeader, m *format.ColumnMetaData) {
			m.DataPageOffset, m.TotalCompressedSize = 1, math.MaxInt64
		}, "of a file of"},
		{"another type", func(_ *format.PageHeader, m *format.ColumnMetaData) { m.Type = format.Int64 },
			"in a column of type"},
		{"another codec", func(_ *format.PageHeader, m *format.ColumnMetaData) { m.Codec = format.Gzip },
			"are compressed by"},
		{"a codec that is not known", func(_ *format.PageHeader, m *format.ColumnMetaData) { m.Codec = format.Lz4 },
			"is compressed by LZ4, which cannot be read"},
	} {
		t.Run(test.what, func(t *testing.T) {
			page := format.PageHeader{CompressedPageSize: 1, UncompressedPageSize: 1}
			page.DataPageHeader.Set(format.DataPageHeader{NumValues: rows})
			var column format.ColumnChunk
			test.change(&page, &column.MetaData)
			var file bytes.Buffer
			if err := thrift.NewEncoder((&thrift.CompactProtocol{}).NewWriter(&file)).Encode(&page); err != nil {
				t.Fatal(err)
			}
			file.WriteByte(0)
			m := &column.MetaData
			if m.TotalCompressedSize < math.MaxInt64 {
				m.TotalCompressedSize += int64(file.Len())
			}
			if m.Type == format.Boolean {
				m.Type = format.Int32
			}
			c := parquetCheck{file: bytes.NewReader(file.Bytes()), size: int64(file.Len()),
				kinds: []parquet.Kind{parquet.Int32}, codecs: []format.CompressionCodec{format.Uncompressed}}
			err := c.group(format.RowGroup{NumRows: rows, Columns: []format.ColumnChunk{column}})
			if !isAbout(err, test.says) {
				t.Errorf("%v, expected an error with %q", err, test.says)
			}
		})
	}
}

// ragged gives a row of two cells, and one of one.
type ragged struct{ parquet.Rows }

func (ragged) ReadRows(rows []parquet.Row) (int, error) {
	rows[0] = parquet.Row{parquet.DoubleValue(1), parquet.DoubleValue(2)}
	rows[1] = rows[0][:1]
	return 2, io.EOF
}

// A column that is shorter than the others does not repeat its last cell.
func TestShortColumn(t *testing.T) {
	p := parquetReader{places: []int{0, 1}, rows: ragged{},
		buffer: make([]parquet.Row, parquetBuffer)}
	p.fill()
	if p.err == nil || len(p.remaining) > 0 || !strings.Contains(p.err.Error(), "a column ends before the others") {
		t.Errorf("%d rows, %v", len(p.remaining), p.err)
	}
}
