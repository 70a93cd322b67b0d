package columnar

import (
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
)

// pageWindow is how far zstd looks back, in bytes. Pages are not longer.
const pageWindow = parquet.DefaultPageBufferSize

// pageCodec compresses pages with one encoder, whose window is a page. Those of package parquet
// have a window of 8 MB and a history of 16 MB, and a pool holds several of them.
type pageCodec struct {
	compress.Codec // which decompresses
	encoder        *zstd.Encoder
}

func newPageCodec() compress.Codec {
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(pageWindow),
		zstd.WithLowerEncoderMem(true), zstd.WithZeroFrames(true), zstd.WithEncoderCRC(false))
	if err != nil {
		panic("tablefile: the options of zstd are not valid: " + err.Error())
	}
	return &pageCodec{Codec: &parquet.Zstd, encoder: encoder}
}

// Encode compresses a page into dst, or into new memory if it is too small.
func (c *pageCodec) Encode(dst, src []byte) ([]byte, error) {
	return c.encoder.EncodeAll(src, dst[:0]), nil
}
