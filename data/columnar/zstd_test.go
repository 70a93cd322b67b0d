package columnar

import (
	"bytes"
	"encoding/binary"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/internal/tablefile"
)

const zstdMagic = "\x28\xb5\x2f\xfd"

// frame is one of zstd without a size, of n blocks of one byte each repeated 128 Ki times.
func frame(windowLog, n int) []byte {
	text := append([]byte(zstdMagic), 0, byte(windowLog-10)<<3)
	for i := range n {
		head := uint32(mostBlock<<3 | 1<<1)
		if i == n-1 {
			head |= 1
		}
		text = append(binary.LittleEndian.AppendUint32(text, head)[:len(text)+3], 7)
	}
	return text
}

// What frames claim is what they hold, where they are not damaged.
func TestSizesOfZstd(t *testing.T) {
	plain := bytes.Repeat([]byte("what a table holds "), 50_000)
	encoder := must.Get(zstd.NewWriter(nil))(t)
	var streamed bytes.Buffer
	stream := must.Get(zstd.NewWriter(&streamed, zstd.WithWindowSize(1<<20)))(t)
	stream.Write(plain[:300_000])
	stream.Flush()
	stream.Write(plain[300_000:])
	stream.Close()
	whole := encoder.EncodeAll(plain, nil)
	skipped := []byte("\x50\x2a\x4d\x18\x05\x00\x00\x00small")
	for what, test := range map[string]struct {
		text                  []byte
		window, least, excess int
	}{
		"a frame":  {whole, len(plain), len(plain), 0},
		"a stream": {streamed.Bytes(), 1 << 20, len(plain), 2 * mostBlock},
		"two and other": {slices.Concat(skipped, whole, skipped, frame(12, 3)), len(plain),
			len(plain) + 3*mostBlock, 0},
		"a bomb":       {frame(27, 1000), 1 << 27, 1000 * mostBlock, 0},
		"half a frame": {whole[:len(whole)/2], len(plain), len(plain), 0},
		"no frame":     {plain[:100], 0, 0, 0},
	} {
		got := sizesOfZstd(bytes.NewReader(test.text), 0, int64(len(test.text)))
		content := int(got.content)
		if int(got.window) != test.window || content < test.least || content > test.least+test.excess {
			t.Errorf("%s: %+v, expected %+v", what, got, test)
		}
	}
}

// A frame in an Arrow file that asks for a large window is refused before memory is taken for it.
func TestArrowWindow(t *testing.T) {
	var file bytes.Buffer
	w := must.Get(newArrow(&file, []tablefile.Column{{Name: "a"}}))(t)
	for i := range 1000 {
		w.Number(float64(i))
		must.OK(t, w.EndRow())
	}
	must.OK(t, w.Close())
	at := bytes.LastIndex(file.Bytes(), []byte(zstdMagic))
	for windowLog, says := range map[int]string{23: "", 24: "a window of 16777216 bytes, at most 8388608",
		29: "a window of 536870912 bytes"} {
		text := bytes.Clone(file.Bytes())
		copy(text[at:], frame(windowLog, 1))
		taken, err := takes(text)
		if err == nil && says != "" || err != nil && (says == "" || !strings.Contains(err.Error(), says)) {
			t.Errorf("a window of 2^%d bytes: %v", windowLog, err)
		}
		if taken > 64<<20 {
			t.Errorf("a window of 2^%d bytes has taken %d", windowLog, taken)
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
	if err == nil || !strings.Contains(err.Error(), "a page claims") {
		t.Errorf("a page of 4 GB: %v", err)
	}
	if taken > 64<<20 {
		t.Errorf("a page of 4 GB has taken %d bytes", taken)
	}
	if _, err := all(file.Bytes()); err != nil {
		t.Fatal(err)
	}
}

// Each way of a page to claim too much is found, and what is no more than the file pays for is not.
func TestPages(t *testing.T) {
	const most = smallBatch + 50*mostRatio
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
		"a bomb":        {format.Zstd, 4006, 50, frame(17, 1000), "claims"},
		"a small frame": {format.Zstd, 50, 50, text(frame(17, 10)), "(a page: "},
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

// takesOf is the memory allocated while f ran.
func takesOf(f func() error) (bytes uint64, err error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err = f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc, err
}
