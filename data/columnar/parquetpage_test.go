package columnar

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// Values that begin with those before them are written out, and count with their prefixes.
func TestPrefixes(t *testing.T) {
	for n, says := range map[int32]string{10: "", 1 << 20: "a page claims"} {
		text := must.Get(parquet.DeltaBinaryPacked.EncodeInt32(nil, append(slices.Repeat([]int32{n}, 99), 0)))(t)
		c := parquetCheck{size: 50}
		held, err := c.withPrefixes(format.DeltaByteArray, 100, 7, text)
		if !isAbout(err, says) || err == nil && held != 7+99*10 {
			t.Errorf("prefixes of %d bytes: %d bytes in all, %v", n, held, err)
		}
	}
}

// bomb returns 80 MB of zeros in little space.
func bomb(t *testing.T, pack func(io.Writer) io.WriteCloser) []byte {
	t.Helper()
	var text bytes.Buffer
	w := pack(&text)
	for range 80 {
		w.Write(make([]byte, 1_000_000))
	}
	must.OK(t, w.Close())
	return text.Bytes()
}

// A page that is far larger than it says, damaged, or has longer runs than values, is an error before package parquet
// reads it.
func TestOversizedPages(t *testing.T) {
	uvarints := func(values ...uint64) (text []byte) {
		for _, v := range values {
			text = binary.AppendUvarint(text, v)
		}
		return text
	}
	const many = 1 << 30
	behindLength := func(text []byte) []byte {
		return append(binary.LittleEndian.AppendUint32(nil, uint32(len(text))), text...)
	}
	for _, test := range []struct {
		what     string
		codec    format.CompressionCodec
		encoding format.Encoding
		optional bool
		values   int32
		text     []byte
		says     string
	}{
		{"gzip", format.Gzip, format.Plain, false, 1,
			bomb(t, func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }), "claims"},
		{"Brotli", format.Brotli, format.Plain, false, 1,
			bomb(t, func(w io.Writer) io.WriteCloser { return brotli.NewWriterLevel(w, 1) }), "claims"},
		{"damaged LZ4", format.Lz4Raw, format.Plain, false, 1, []byte{0xf0}, "(a page: "},
		{"values", format.Uncompressed, format.Plain, false, many, []byte{1}, "claims"},
		{"levels", format.Uncompressed, format.Plain, true, 10, behindLength(uvarints(many<<1, 1)), "runs of"},
		{"dictionary", format.Uncompressed, format.RLEDictionary, false, 10, uvarints(1, many<<1), "runs of"},
		{"groups of 8", format.Uncompressed, oldDictionary, false, 10, uvarints(0, many<<1|1), "runs of"},
		{"booleans", format.Uncompressed, format.RLE, false, 10, behindLength(uvarints(many<<1, 1)), "runs of"},
		{"differences", format.Uncompressed, format.DeltaBinaryPacked, false, 10, uvarints(128, 4, many), "runs of"},
		{"lengths", format.Uncompressed, format.DeltaByteArray, false, 10, uvarints(128, 4, many), "runs of"},
		{"few levels", format.Uncompressed, format.Plain, true, 10, behindLength(uvarints(10<<1, 1)), ""},
		{"few booleans", format.Uncompressed, format.RLE, false, 10, behindLength(uvarints(10<<1, 1)), ""},
	} {
		t.Run(test.what, func(t *testing.T) {
			c := parquetCheck{file: bytes.NewReader(test.text), size: 50}
			header := &format.PageHeader{CompressedPageSize: int32(len(test.text)), UncompressedPageSize: 50}
			header.DataPageHeader.V = format.DataPageHeader{NumValues: test.values, Encoding: test.encoding}
			_, err := c.page(header, test.codec, test.optional, 0, int64(len(test.text)))
			if !isAbout(err, test.says) {
				t.Errorf("%v, expected an error with %q", err, test.says)
			}
		})
	}
}

// A file that says that its description is longer than the file takes no memory for that.
func TestFooter(t *testing.T) {
	for _, length := range []uint32{5, 1 << 20, 1<<32 - 1} {
		text := append(binary.LittleEndian.AppendUint32([]byte("PAR1"), length), "PAR1"...)
		taken, err := takes(text)
		if err == nil || !strings.Contains(err.Error(), "its description has") || taken > 1<<20 {
			t.Errorf("a description of %d bytes: %v, %d bytes were taken", length, err, taken)
		}
	}
}

// The pages of all columns together have a bound, and so have the rows of all groups.
func TestManyPages(t *testing.T) {
	var file bytes.Buffer
	const values = smallBatch / bytesPerValue / 2
	group := format.RowGroup{NumRows: values}
	header := format.PageHeader{CompressedPageSize: 0, UncompressedPageSize: 0}
	header.DataPageHeader.V, header.DataPageHeader.Valid = format.DataPageHeader{NumValues: values}, true
	must.OK(t, thrift.NewEncoder((&thrift.CompactProtocol{}).NewWriter(&file)).Encode(&header))
	column := format.ColumnChunk{MetaData: format.ColumnMetaData{TotalCompressedSize: int64(file.Len())}}
	for _, columns := range []int{1, 3} {
		c := parquetCheck{file: bytes.NewReader(file.Bytes()), size: int64(file.Len())}
		group.Columns = slices.Repeat([]format.ColumnChunk{column}, columns)
		err := c.group(group)
		if columns == 3 {
			if err == nil || !strings.Contains(err.Error(), "at a time") {
				t.Errorf("three columns: %v", err)
			}
			continue
		}
		for n := 1; err == nil; n++ {
			if err = c.group(group); n > 2 {
				t.Fatal("any number of rows is read")
			}
		}
		if !strings.Contains(err.Error(), "rows in") {
			t.Error(err)
		}
	}
	// A large file may have more rows.
	large := parquetCheck{file: bytes.NewReader(file.Bytes()), size: 1 << 33}
	group.Columns = []format.ColumnChunk{column}
	for range 2 * maxBatch / bytesPerValue / values {
		must.OK(t, large.group(group))
	}
}

// isAbout reports whether an error has these words; without words, whether it is nil.
func isAbout(err error, words string) bool {
	if err == nil || words == "" {
		return err == nil && words == ""
	}
	return strings.Contains(err.Error(), words)
}
