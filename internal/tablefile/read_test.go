package tablefile

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// houses is what pyarrow has written into testdata/houses.parquet, as cells.
var houses = [][]string{
	{"area", "rooms", "garden", "kind", "price", "built", "sold"},
	{"78.1", "3", "1", "flat", "190.50", "1990-01-02", "2024-05-06 07:08:09.5"},
	{"115.8", "4", "0", "house", "259.70", "2001-12-31", ""},
	{"", "2", "1", "", "-1.25", "", "1969-12-31 23:59:59"},
	{"0.1", "1", "", "flat", "7.00", "1969-07-20", "2000-01-01 00:00:00"},
}

// samples are the same table in files of several kinds, by pyarrow and polars.
var samples = []string{"houses.parquet", "houses.arrow", "houses.arrows", "polars.arrow"}

func sample(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// all reads a file to its end.
func all(text []byte) (rows [][]string, err error) {
	r, err := open(text)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	rows = append(rows, r.Columns())
	for {
		row, err := r.Read()
		if err == io.EOF {
			return rows, nil
		} else if err != nil {
			return nil, err
		}
		rows = append(rows, slices.Clone(row))
	}
}

func open(text []byte) (Reader, error) {
	switch file := bytes.NewReader(text); {
	case IsParquet(text):
		return OpenParquet(file, file.Size())
	case IsArrow(text):
		return OpenArrow(file, file.Size())
	default:
		return OpenArrowStream(file)
	}
}

func TestRead(t *testing.T) {
	for _, name := range samples {
		got, err := all(sample(t, name))
		if err != nil {
			t.Fatal(name, err)
		}
		if !slices.EqualFunc(got, houses, slices.Equal[[]string]) {
			t.Errorf("%s: %q, expected %q", name, got, houses)
		}
	}
}

// A file that was cut short or has a wrong byte is an error, or reads as something: it never stops
// the program.
func TestDamaged(t *testing.T) {
	for _, name := range samples {
		t.Run(name, func(t *testing.T) {
			text, cut := sample(t, name), 0
			for at := range text {
				_, err := all(text[:at])
				if err != nil && !strings.Contains(err.Error(), "write it again") {
					t.Fatalf("the first %d bytes give the error %v", at, err)
				} else if err == nil {
					cut++
				}
				damaged := bytes.Clone(text)
				damaged[at] ^= 0x55
				all(damaged)
			}
			if strings.HasSuffix(name, ".arrows") {
				cut -= 9 // a stream may end behind its rows
			}
			if cut > 0 {
				t.Errorf("%d files that are cut short are read", cut)
			}
		})
	}
}

// A buffer that claims to be far larger than its file takes no memory for that.
func TestClaims(t *testing.T) {
	text := sample(t, "polars.arrow")
	// a frame of LZ4; its size before stands before it
	buffer := bytes.Index(text, []byte("\x04\x22\x4d\x18"))
	footer := len(text) - 10 - int(binary.LittleEndian.Uint32(text[len(text)-10:]))
	text = slices.Concat(text[:footer], make([]byte, 64<<10), text[footer:])
	if _, err := all(text); err != nil {
		t.Fatal(err)
	}
	for _, claim := range []uint64{1 << 28, 1 << 30, 1<<31 - 1, 1 << 40, 1<<63 - 1, 1<<64 - 2} {
		binary.LittleEndian.PutUint64(text[buffer-8:], claim)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := all(text)
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), "its data are damaged") {
			t.Errorf("a claim of %d bytes gives the error %v", claim, err)
		}
		if taken := after.TotalAlloc - before.TotalAlloc; taken > smallBatch+uint64(len(text))*mostRatio {
			t.Errorf("a claim of %d bytes has taken %d", claim, taken)
		}
	}
}

// Any bytes are an error, or rows.
func FuzzArrow(f *testing.F) {
	for _, name := range samples[1:] {
		f.Add(sample(f, name))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := open(text)
		if err != nil {
			return
		}
		defer r.Close()
		for n := 0; err == nil && n < 1e5; n++ {
			_, err = r.Read()
		}
	})
}
