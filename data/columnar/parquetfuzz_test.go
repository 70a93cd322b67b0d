package columnar

import (
	"bytes"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// codecs are the codecs of package parquet.
var codecs = []compress.Codec{&parquet.Uncompressed, &parquet.Snappy, &parquet.Gzip, &parquet.Brotli, &parquet.Zstd,
	&parquet.Lz4Raw}

// pagesOf returns a small file of some version of pages, compressed by a codec.
func pagesOf(t testing.TB, codec compress.Codec, version, rows int) []byte {
	t.Helper()
	type row struct {
		Area  *float64 `parquet:"area,optional"`
		Rooms int64    `parquet:"rooms,delta"`
		Kind  string   `parquet:"kind,dict"`
		Note  string   `parquet:"note"`
		Sold  bool     `parquet:"sold"`
	}
	var file bytes.Buffer
	w := parquet.NewGenericWriter[row](&file, parquet.Compression(codec), parquet.DataPageVersion(version))
	for i := range rows {
		r := row{Rooms: int64(i), Kind: fmt.Sprint("kind ", i%3), Note: fmt.Sprint("note ", i/2), Sold: i%2 == 0}
		if area := float64(i) / 3; i%5 > 0 {
			r.Area = &area
		}
		must.Get(w.Write([]row{r}))(t)
	}
	must.OK(t, w.Close())
	return file.Bytes()
}

// Pages of every codec are read.
func TestCodecs(t *testing.T) {
	for _, codec := range codecs {
		for version := 1; version <= 2; version++ {
			rows, err := all(pagesOf(t, codec, version, 100))
			if err != nil || len(rows) != 101 || fmt.Sprint(rows[100]) != "[33 99 kind 0 note 49 false]" {
				t.Errorf("%s, pages of version %d: %d rows, %v", codec, version, len(rows), err)
			}
		}
	}
}

// Any bytes are an error, or rows, soon and in little memory.
func FuzzParquet(f *testing.F) {
	f.Add(sample(f, "houses.parquet"))
	for _, codec := range codecs {
		f.Add(pagesOf(f, codec, 1, 10))
		f.Add(pagesOf(f, codec, 2, 10))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		late := time.AfterFunc(10*time.Second, func() { panic("10 s were not enough") })
		defer late.Stop()
		var n int
		taken, err := takesOf(func() (err error) {
			n, err = some(text)
			return err
		})
		if taken > 500<<20 {
			t.Errorf("%d bytes take %d of memory: %d rows, %v", len(text), taken, n, err)
		}
	})
}

// some reads the first rows of a Parquet file.
func some(text []byte) (n int, err error) {
	r, err := openParquet(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		return 0, err
	}
	for n = 0; err == nil && n < 1e5; n++ {
		_, err = r.Read()
	}
	if err == io.EOF {
		err = nil
	}
	return n, err
}
