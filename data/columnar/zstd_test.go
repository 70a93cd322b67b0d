package columnar

import (
	"bytes"
	"encoding/binary"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/internal/tablefile"
)

const zstdMagic = "\x28\xb5\x2f\xfd"

// frame returns a frame of zstd without a size, of n blocks of one byte each, repeated some times.
func frame(windowLog, n, times int) []byte {
	text := append([]byte(zstdMagic), 0, byte(windowLog-10)<<3)
	for i := range n {
		head := uint32(times<<3 | 1<<1)
		if i == n-1 {
			head |= 1
		}
		text = append(binary.LittleEndian.AppendUint32(text, head)[:len(text)+3], 7)
	}
	return text
}

// A buffer of an Arrow file has the size that stands before it, and takes no more memory, whatever window it names.
func TestArrowWindow(t *testing.T) {
	for _, windowLog := range []int{20, 24, 29} {
		for _, n := range []int{7999, 8000, 8001} {
			b := &arrowBatch{packing: packedZstd, room: maxBatch}
			b.in = &arrowMessages{zstd: unzstd(zstd.WithDecodeAllCapLimit(true))}
			packed := append(binary.LittleEndian.AppendUint64(nil, 8000), frame(windowLog, 1, n)...)
			taken, err := takesOf(func() error {
				_, err := b.unpacked(packed)
				return err
			})
			if (err == nil) != (n == 8000) || taken > 1<<20 {
				t.Errorf("%d bytes in a window of 2^%d have taken %d: %v", n, windowLog, taken, err)
			}
		}
	}
}

// A page of a Parquet file that claims to hold far more than its file takes no memory for that.
func TestParquetClaims(t *testing.T) {
	var file bytes.Buffer
	w := must.Get(newParquet(&file, []tablefile.Column{{Name: "a"}}))(t)
	for range 1 << 16 {
		w.Number(1)
		must.OK(t, w.EndRow())
	}
	must.OK(t, w.Close())
	at := bytes.Index(file.Bytes(), []byte(zstdMagic))
	if head := file.Bytes()[at+4]; head>>5 != 5 {
		t.Fatalf("a frame begins with %08b; the test needs its size in four bytes", head)
	}
	text := bytes.Clone(file.Bytes())
	binary.LittleEndian.PutUint32(text[at+5:], 1<<32-1)
	taken, err := takes(text)
	if err == nil || !strings.Contains(err.Error(), "a page: decompressed size exceeds") {
		t.Errorf("a page of 4 GB: %v", err)
	}
	if taken > 64<<20 {
		t.Errorf("a page of 4 GB has taken %d bytes", taken)
	}
	must.Get(all(file.Bytes()))(t)
}

// Each way of a page to claim too much is found, and what is no more than the file pays for is not.
func TestPageClaims(t *testing.T) {
	const most = smallBatch + 50*maxRatio
	text := func(start []byte) []byte { return append(start, make([]byte, 50-len(start))...) }
	for what, test := range map[string]struct {
		codec format.CompressionCodec
		size  int32
		holds int32
		text  []byte
		says  string // of the error: too much, or no such text
	}{
		"plain":         {format.Uncompressed, 50, 50, text(nil), ""},
		"beyond":        {format.Uncompressed, 51, 50, text(nil), "a page of 51 bytes where 50"},
		"negative":      {format.Uncompressed, -1, 50, text(nil), "a page of -1 bytes"},
		"large":         {format.Gzip, 50, most + 1, text(nil), "claims"},
		"not so large":  {format.Gzip, 50, most, text(nil), "(a page: gzip"},
		"snappy":        {format.Snappy, 50, 50, text(binary.AppendUvarint(nil, most+1)), "claims"},
		"small snappy":  {format.Snappy, 50, 50, text(binary.AppendUvarint(nil, most)), "(a page: s2"},
		"a bomb":        {format.Zstd, 4006, 50, frame(17, 1000, 128<<10), "a page: decompressed size"},
		"a small frame": {format.Zstd, 50, 50, text(frame(17, 10, 128<<10)), "(a page: "},
	} {
		c := parquetCheck{file: bytes.NewReader(test.text), size: 50}
		header := &format.PageHeader{CompressedPageSize: test.size, UncompressedPageSize: test.holds}
		_, err := c.page(header, test.codec, false, 0, int64(len(test.text)))
		if !isAbout(err, test.says) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// takes reads a file and returns the memory allocated for it.
func takes(text []byte) (bytes uint64, err error) {
	return takesOf(func() error {
		_, err := all(text)
		return err
	})
}

// takesOf measures the memory allocated while f ran.
func takesOf(f func() error) (bytes uint64, err error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err = f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc, err
}
