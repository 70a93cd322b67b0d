package columnar

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/gpdrf/gpdrf-gpu/internal/tablefile"
)

// A page of a Parquet file states its size, compressed and not. Package parquet allocates that memory before it checks
// the size. So the pages of each group of rows are checked first, with the bound for batches of Arrow. One page of each
// column is held at a time.

// parquetCheck checks the pages of a file of size bytes.
type parquetCheck struct {
	file     io.ReaderAt
	size     int64
	optional []bool         // whether cells of each column may be missing
	kinds    []parquet.Kind // types of the columns
	// Codecs in the first group, which package parquet uses for all groups.
	codecs []format.CompressionCodec
	in     bufio.Reader
	packed []byte        // a page
	text   []byte        // its content
	zstd   *zstd.Decoder // nil before the first page that needs it
	rows   int64         // rows of the groups so far
}

// checkFooter checks the length and the shape of the description after the pages. Package parquet allocates memory for
// it at once.
func checkFooter(file io.ReaderAt, size int64) error {
	const word = 4 // bytes of the word, and of the length
	var end [2 * word]byte
	if n, _ := file.ReadAt(end[:], max(0, size-int64(len(end)))); size < int64(len(end)+word) || n < len(end) ||
		!tablefile.IsParquet(end[word:]) {
		return fmt.Errorf("is a Parquet file that is cut short, at %d bytes: copy the whole file, or write it again",
			size)
	}
	length := int64(binary.LittleEndian.Uint32(end[:]))
	if length > size-int64(len(end)+word) {
		return fmt.Errorf("is a Parquet file that cannot be read (it says that its description has %d bytes, "+
			"and the file has %d): write it again", length, size)
	}
	text := io.NewSectionReader(file, size-int64(len(end))-length, length)
	walk(bufio.NewReader(text), length)
	text.Seek(0, io.SeekStart)
	return checkShape(bufio.NewReader(text), length)
}

// most returns the number of bytes that pages held together may take.
func (c *parquetCheck) most() int64 { return min(maxBatch, c.maxInAll()) }

// maxInAll returns the number of bytes that the whole file may decompress to.
func (c *parquetCheck) maxInAll() int64 { return smallBatch + c.size*maxRatio }

func (c *parquetCheck) group(g format.RowGroup) error {
	held, rows := int64(0), int64(0)
	for i, chunk := range g.Columns {
		if err := c.checkColumn(i, &chunk.MetaData); err != nil {
			return err
		}
		largest, values, err := c.chunk(&chunk.MetaData, i < len(c.optional) && c.optional[i])
		if err != nil {
			return err
		}
		if values != g.NumRows {
			return damage("a column of %d values in a group of %d rows", values, g.NumRows)
		}
		if held += largest; held > c.most() {
			return fmt.Errorf("the pages of its columns take %d bytes at a time, at most %d can be read: "+
				"write it with smaller pages, or with fewer columns", held, c.most())
		}
		rows = max(rows, values)
	}
	if c.rows += rows; c.rows > c.maxInAll()/bytesPerValue {
		return damage("%d rows in %d bytes", c.rows, c.size)
	}
	return nil
}

// checkColumn checks column i of a group against the assumptions of package parquet: the type in the schema, and the
// codec of the first group.
func (c *parquetCheck) checkColumn(i int, m *format.ColumnMetaData) error {
	switch m.Codec {
	case format.Uncompressed, format.Snappy, format.Gzip, format.Brotli, format.Zstd, format.Lz4Raw:
	default: // these are LZO, and the LZ4 of Hadoop
		return fmt.Errorf("is compressed by %v, which cannot be read: write it again with zstd", m.Codec)
	}
	if i < len(c.kinds) && m.Type != format.Type(c.kinds[i]) {
		return damage("values of type %v in a column of type %v", m.Type, c.kinds[i])
	}
	if i == len(c.codecs) {
		c.codecs = append(c.codecs, m.Codec)
	}
	if m.Codec != c.codecs[i] {
		return fmt.Errorf("its groups of rows are compressed by %v and by %v, which cannot be read: write it again "+
			"with one of them", c.codecs[i], m.Codec)
	}
	return nil
}

// tooMuch returns the error about pages that claim more bytes than can be read.
func (c *parquetCheck) tooMuch(bytes int64) error {
	return damage("a page claims %d bytes, at most %d can be read", bytes, c.most())
}

// chunk checks the pages of a column. It returns the bytes of the largest page with its dictionary, and the number of
// values. Package parquet reads the dictionary at its stated place, and the other pages from the first to the end.
func (c *parquetCheck) chunk(m *format.ColumnMetaData, optional bool) (largest, values int64, err error) {
	start := m.DataPageOffset
	if m.DictionaryPageOffset != 0 {
		start = m.DictionaryPageOffset
	}
	end := start + m.TotalCompressedSize
	if start < 0 || end < start || end > c.size {
		return 0, 0, damage("a column of %d bytes from byte %d of a file of %d", m.TotalCompressedSize, start, c.size)
	}
	dictionary := int64(0)
	if m.DictionaryPageOffset != 0 && start < end {
		if _, dictionary, _, err = c.next(m, optional, start, end); err != nil {
			return 0, 0, err
		}
	}
	for at := m.DataPageOffset; at < end; {
		var page format.PageHeader
		var held int64
		if page, held, at, err = c.next(m, optional, at, end); err != nil {
			return 0, 0, err
		}
		if page.Type == format.DictionaryPage {
			dictionary = max(dictionary, held)
		} else {
			largest = max(largest, held)
			values += int64(countOf(&page))
		}
	}
	return largest + dictionary, values, nil
}

// next checks the page at an offset, in a column that ends at another. It returns the bytes that the page takes, and
// the place of the next.
func (c *parquetCheck) next(m *format.ColumnMetaData, optional bool, at, end int64) (page format.PageHeader,
	held, behind int64, err error) {
	section := io.NewSectionReader(c.file, at, end-at)
	c.in.Reset(section)
	walk(&c.in, end-at)
	section.Seek(0, io.SeekStart)
	c.in.Reset(section)
	if err := thrift.NewDecoder((&thrift.CompactProtocol{}).NewReader(&c.in)).Decode(&page); err != nil {
		return page, 0, 0, damage("a page: %v", err)
	}
	read, _ := section.Seek(0, io.SeekCurrent)
	at += read - int64(c.in.Buffered())
	v1, v2, dictionary := page.DataPageHeader, page.DataPageHeaderV2, page.DictionaryPageHeader
	e := dictionary.V.Encoding
	// Package parquet trusts any header, and allocates memory for a dictionary or for runs of numbers.
	switch {
	case v1.Valid != (page.Type == format.DataPage), v2.Valid != (page.Type == format.DataPageV2),
		dictionary.Valid != (page.Type == format.DictionaryPage):
		return page, 0, 0, damage("a page has the header of another kind")
	case e != format.Plain && e != oldDictionary:
		return page, 0, 0, damage("a dictionary is encoded as %v", e)
	case m.Type != format.Boolean && (v1.V.Encoding == format.RLE || v2.V.Encoding == format.RLE):
		return page, 0, 0, damage("values of type %v are in runs", m.Type)
	}
	held, err = c.page(&page, m.Codec, optional, at, end)
	return page, held, at + int64(page.CompressedPageSize), err
}

// countOf returns the number of values that a page states.
func countOf(page *format.PageHeader) int32 {
	switch page.Type {
	case format.DictionaryPage:
		return page.DictionaryPageHeader.V.NumValues
	case format.DataPageV2:
		return page.DataPageHeaderV2.V.NumValues
	}
	return page.DataPageHeader.V.NumValues
}

// page checks the page at an offset, in a column that ends at another. It returns the number of bytes that the page
// takes.
func (c *parquetCheck) page(page *format.PageHeader, codec format.CompressionCodec, optional bool,
	at, end int64) (held int64, err error) {
	size, values := int64(page.CompressedPageSize), int64(countOf(page))
	if size < 0 || size > end-at {
		return 0, damage("a page of %d bytes where %d are left", size, end-at)
	}
	if values < 0 {
		return 0, damage("a page of %d values", values)
	}
	levels := int64(0)
	encoding := page.DataPageHeader.V.Encoding
	if v2 := page.DataPageHeaderV2; v2.Valid {
		repeated, defined := int64(v2.V.RepetitionLevelsByteLength), int64(v2.V.DefinitionLevelsByteLength)
		if levels, encoding = repeated+defined, v2.V.Encoding; repeated < 0 || defined < 0 || levels > size {
			return 0, damage("levels of %d bytes in a page of %d", levels, size)
		}
		if v2.V.IsCompressed.Valid && !v2.V.IsCompressed.V {
			codec = format.Uncompressed
		}
	}
	holds := int64(max(0, page.UncompressedPageSize))
	most := c.most()
	if held = holds + values*bytesPerValue; held > most {
		return 0, c.tooMuch(held)
	}
	c.packed = slices.Grow(c.packed[:0], int(size))[:size]
	packed := c.packed
	if n, _ := c.file.ReadAt(packed, at); n < len(packed) {
		return 0, nil
	}
	text, err := c.unpacked(codec, packed[levels:], holds, most)
	if err != nil {
		return 0, damage("a page: %v", err)
	}
	if held = max(holds, int64(len(text))) + values*bytesPerValue; held > most {
		return 0, c.tooMuch(held)
	}
	if page.Type == format.DictionaryPage {
		return held, nil
	}
	defined := packed[:levels]
	if optional && levels == 0 && len(text) >= 4 { // in pages of version 1, the levels stand after their length
		n := min(int64(binary.LittleEndian.Uint32(text)), int64(len(text)-4))
		defined, text = text[4:4+n], text[4+n:]
	}
	if err := runs(1, values, defined); err != nil {
		return 0, err
	}
	return c.withPrefixes(encoding, values, held, text)
}

// withPrefixes checks the values of a page that takes held bytes without their prefixes. It returns the number of bytes
// with them.
func (c *parquetCheck) withPrefixes(encoding format.Encoding, values, held int64, text []byte) (int64, error) {
	if err := counts(encoding, values, text); err != nil || encoding != format.DeltaByteArray {
		return held, err
	}
	if held += prefixes(text); held > c.most() {
		return 0, c.tooMuch(held)
	}
	return held, nil
}
