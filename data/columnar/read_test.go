package columnar

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/internal/tablefile"
)

// houses is what pyarrow has written into testdata/houses.parquet, as cells.
var houses = [][]string{
	{"area", "rooms", "garden", "kind", "price", "built", "sold"},
	{"78.1", "3", "true", "flat", "190.50", "1990-01-02", "2024-05-06 07:08:09.5"},
	{"115.8", "4", "false", "house", "259.70", "2001-12-31", ""},
	{"", "2", "true", "", "-1.25", "", "1969-12-31 23:59:59"},
	{"0.1", "1", "", "flat", "7.00", "1969-07-20", "2000-01-01 00:00:00"},
}

// samples are the same table in files of several kinds, by pyarrow and polars.
var samples = []string{"houses.parquet", "houses.arrow", "houses.arrows", "polars.arrow"}

func sample(t testing.TB, name string) []byte {
	t.Helper()
	text := must.Get(os.ReadFile(filepath.Join("testdata", name)))(t)
	return text
}

// all reads a file to its end.
func all(text []byte) (rows [][]string, err error) {
	r, err := open(text)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, c := range r.Columns() {
		names = append(names, c.Name)
	}
	rows = append(rows, names)
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

func open(text []byte) (tablefile.Reader, error) {
	switch file := bytes.NewReader(text); {
	case tablefile.IsParquet(text):
		return openParquet(file, file.Size())
	case tablefile.IsArrow(text):
		return openArrow(file, file.Size())
	default:
		return openArrowStream(file)
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

// A column without a value, which pandas writes of None alone, has missing cells. Times of 96 bits are those of Spark
// and Impala. A group may have no rows. pyarrow has written the files.
func TestRareColumns(t *testing.T) {
	for name, want := range map[string]string{
		"emptygroup.parquet": "[[x y] [1.5 a] [2.5 b]]",
		"null.parquet":       "[[name nothing] [a ] [b ]]",
		"spark.parquet":      "[[id at] [4 2009-03-01 00:00:00] [5 1969-12-31 23:59:59.5] [6 ]]",
	} {
		if got, err := all(sample(t, name)); err != nil || fmt.Sprint(got) != want {
			t.Errorf("%s: %s, %v, expected %s", name, got, err, want)
		}
	}
}

// A number keeps its bits: the double nearest to its text is the number that was written.
func TestNumbersKeepTheirBits(t *testing.T) {
	odd := []float64{math.Inf(-1), 1e101, -1e100, math.Copysign(0, -1), math.SmallestNonzeroFloat64, math.MaxFloat64}
	for i := range rowsPerGroup + 500 {
		odd = append(odd, math.Sqrt(float64(i)), 1/float64(i+1))
	}
	for name, create := range map[string]func(io.Writer, []tablefile.Column) (tablefile.Writer, error){
		"parquet": newParquet, "arrow": newArrow} {
		var file bytes.Buffer
		w := must.Get(create(&file, []tablefile.Column{{Name: "a"}}))(t)
		for _, v := range odd {
			w.Number(v)
			must.OK(t, w.EndRow())
		}
		must.OK(t, w.Close())
		rows := must.Get(all(file.Bytes()))(t)[1:]
		if len(rows) != len(odd) {
			t.Fatalf("%s: %d rows of %d", name, len(rows), len(odd))
		}
		for i, want := range odd {
			if got := must.Get(strconv.ParseFloat(rows[i][0], 64))(t); math.Float64bits(got) != math.Float64bits(want) {
				t.Fatalf("%s, row %d: %v is read for %v", name, i, got, want)
			}
		}
	}
}

// A file that was cut short or has a wrong byte is an error, or reads as something: it never stops the program.
func TestDamaged(t *testing.T) {
	for _, name := range samples {
		t.Run(name, func(t *testing.T) {
			text, cut := sample(t, name), 0
			for at := range text {
				_, err := all(text[:at])
				if err != nil && !strings.Contains(err.Error(), "write it again") {
					t.Fatalf("the first %d bytes give the error %v", at, err)
				} else if err != nil && at >= 8 && !strings.Contains(err.Error(), "is cut short") {
					t.Fatalf("of the first %d bytes the error does not tell that they are a part: %v", at, err)
				} else if err == nil {
					cut++
				}
				if at%3 == 0 { // at each place in a word of four or eight bytes
					damaged := bytes.Clone(text)
					damaged[at] ^= 0x55
					all(damaged)
				}
			}
			if strings.HasSuffix(name, ".arrows") {
				cut -= 9 // a stream may end after its rows
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
	must.Get(all(text))(t)
	for _, claim := range []uint64{1 << 28, 1 << 30, 1<<31 - 1, 1 << 40, 1<<63 - 1, 1<<64 - 2} {
		binary.LittleEndian.PutUint64(text[buffer-8:], claim)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := all(text)
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), "its data are damaged") {
			t.Errorf("a claim of %d bytes gives the error %v", claim, err)
		}
		if taken := after.TotalAlloc - before.TotalAlloc; taken > smallBatch+uint64(len(text))*maxRatio {
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
		for n := 0; err == nil && n < 1e5; n++ {
			_, err = r.Read()
		}
	})
}
