package tablefile

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// A page of a Parquet file says how large it is, compressed and not, and package parquet takes that
// memory before it turns out to be true. So the pages of each group of rows are checked first, by
// the bound for batches of Arrow.

// parquetCheck checks the pages of a file of some bytes.
type parquetCheck struct {
	file io.ReaderAt
	size int64
	in   bufio.Reader
}

// most is how many bytes a page may hold.
func (c *parquetCheck) most() int64 { return min(mostBatch, smallBatch+c.size*mostRatio) }

// group checks a group of rows.
func (c *parquetCheck) group(g format.RowGroup) error {
	for _, chunk := range g.Columns {
		if err := c.chunk(&chunk.MetaData); err != nil {
			return err
		}
	}
	return nil
}

// chunk checks the pages of a column. Where a page is damaged it ends: package parquet will say so.
func (c *parquetCheck) chunk(m *format.ColumnMetaData) error {
	at, end := m.DataPageOffset, m.TotalCompressedSize
	if m.DictionaryPageOffset != 0 {
		at = m.DictionaryPageOffset
	}
	if end += at; at < 0 || end > c.size {
		return nil
	}
	for at < end {
		section := io.NewSectionReader(c.file, at, end-at)
		c.in.Reset(section)
		var page format.PageHeader
		if thrift.NewDecoder((&thrift.CompactProtocol{}).NewReader(&c.in)).Decode(&page) != nil {
			return nil
		}
		read, _ := section.Seek(0, io.SeekCurrent)
		at += read - int64(c.in.Buffered())
		if err := c.page(&page, m.Codec, at, end); err != nil {
			return err
		}
		at += int64(page.CompressedPageSize)
	}
	return nil
}

// page checks the page that lies at an offset, in a column that ends at another.
func (c *parquetCheck) page(page *format.PageHeader, codec format.CompressionCodec, at, end int64) error {
	size := int64(page.CompressedPageSize)
	if size < 0 || size > end-at {
		return fmt.Errorf("its data are damaged (a page of %d bytes where %d are left): write it again", size, end-at)
	}
	holds := uint64(max(0, page.UncompressedPageSize))
	end = at + size
	if v2 := page.DataPageHeaderV2; v2.Valid {
		at += int64(v2.V.RepetitionLevelsByteLength) + int64(v2.V.DefinitionLevelsByteLength)
	}
	switch codec {
	case format.Zstd:
		holds = max(holds, sizesOfZstd(c.file, at, end).content)
	case format.Snappy: // the size stands before it
		head := make([]byte, max(0, min(binary.MaxVarintLen64, end-at)))
		n, _ := c.file.ReadAt(head, at)
		claim, _ := binary.Uvarint(head[:n])
		holds = max(holds, claim)
	}
	if most := c.most(); holds > uint64(most) {
		return fmt.Errorf("its data are damaged (a page claims %d bytes, at most %d can be read): write it again",
			holds, most)
	}
	return nil
}
