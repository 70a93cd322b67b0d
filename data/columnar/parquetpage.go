package columnar

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

// Package parquet trusts more of a page than its size: the number of values, and the lengths of the runs of levels and
// of positions in the dictionary. It also decompresses gzip and Brotli to the end, and damaged LZ4 into ever more
// memory. So a page is decompressed here first, within bounds, and its counts are compared.

// bytesPerValue is about the memory that package parquet needs for a value and its level.
const bytesPerValue = 8

// oldDictionary is the name of format.RLEDictionary in files of older writers.
const oldDictionary format.Encoding = 2

// spareValues is the number of values that a writer may add to fill its last run.
const spareValues = 512

// unpacked decompresses a page, or the values of one, to at most a byte more than allowed. It is valid until the next
// call.
func (c *parquetCheck) unpacked(codec format.CompressionCodec, packed []byte, holds, most int64) (text []byte,
	err error) {
	switch codec {
	case format.Gzip:
		var r io.Reader
		if r, err = gzip.NewReader(bytes.NewReader(packed)); err == nil {
			text, err = c.limited(r, most)
		}
	case format.Brotli:
		text, err = c.limited(brotli.NewReader(bytes.NewReader(packed)), most)
	case format.Lz4Raw:
		text = slices.Grow(c.text[:0], int(holds))[:holds]
		n := 0
		n, err = lz4.UncompressBlock(packed, text)
		text = text[:max(0, n)]
	case format.Snappy:
		if n, _ := snappy.DecodedLen(packed); int64(n) > most {
			return nil, fmt.Errorf("it claims %d bytes, at most %d can be read", n, most)
		}
		text, err = parquet.Snappy.Decode(c.text[:cap(c.text)], packed)
	case format.Zstd:
		if c.zstd == nil {
			c.zstd = unzstd(zstd.WithDecoderMaxMemory(uint64(most)))
		}
		text, err = c.zstd.DecodeAll(packed, c.text)
	default:
		return packed, nil
	}
	c.text = text[:0]
	return text, err
}

// unzstd decodes zstd in memory, within a limit.
func unzstd(limit zstd.DOption) *zstd.Decoder {
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxBatch), limit)
	if err != nil {
		panic("columnar: the options of zstd are not valid: " + err.Error())
	}
	return decoder
}

// limited reads to the end, or to a byte more than allowed.
func (c *parquetCheck) limited(r io.Reader, most int64) ([]byte, error) {
	text := bytes.NewBuffer(c.text[:0])
	_, err := text.ReadFrom(io.LimitReader(r, most+1))
	return text.Bytes(), err
}

// counts checks the lengths of runs in the values of a page, after its levels.
func counts(encoding format.Encoding, values int64, text []byte) error {
	switch encoding {
	case oldDictionary, format.RLEDictionary:
		if len(text) > 0 {
			return runs(int(text[0]), values, text[1:])
		}
	case format.RLE:
		if len(text) >= 4 {
			return runs(1, values, text[4:])
		}
	case format.DeltaBinaryPacked, format.DeltaLengthByteArray, format.DeltaByteArray:
		var n uint64
		for range 3 { // values of a block, its parts, and values in all
			var width int
			if n, width = binary.Uvarint(text); width <= 0 {
				return nil // package parquet reports it
			}
			text = text[width:]
		}
		return checkCount(n, values)
	}
	return nil
}

// prefixes counts the bytes that the values of a page share with the values before them, which package parquet writes
// out. The lengths stand in front, and their number has been checked. Package parquet reports damaged lengths.
func prefixes(text []byte) (bytes int64) {
	lengths, _ := parquet.DeltaBinaryPacked.DecodeInt32(nil, text)
	for _, n := range lengths {
		bytes += max(0, int64(n))
	}
	return bytes
}

// runs checks the runs of values of the given width in bits. It stops at damage.
func runs(bits int, values int64, text []byte) error {
	total, bytes := uint64(0), uint64(bits+7)/8
	for len(text) > 0 {
		head, width := binary.Uvarint(text)
		if width <= 0 || head>>1 > 1<<31 {
			return nil
		}
		text = text[width:]
		n, size := head>>1, bytes
		if head&1 == 1 { // each group has eight values
			size, n = n*uint64(bits), n*8
		}
		if text, total = text[min(size, uint64(len(text))):], total+n; total > uint64(values)+spareValues {
			return checkCount(total, values)
		}
	}
	return nil
}

// checkCount returns the error about more values than the page has.
func checkCount(n uint64, values int64) error {
	if n > uint64(values)+spareValues {
		return damage("runs of %d values in a page of %d", n, values)
	}
	return nil
}
