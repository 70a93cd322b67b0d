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

// TestReadNumbers: where a row is read as numbers, these are the doubles nearest to its text; where it is not, a cell
// that is needed is not a number in range. Reading in turns gives each row once.
func TestReadNumbers(t *testing.T) {
	files := map[string][]byte{}
	for _, name := range samples {
		files[name] = sample(t, name)
	}
	for _, format := range []string{"parquet", "arrow"} {
		var file bytes.Buffer
		w := must.Get(newParquet(&file, []tablefile.Column{{Name: "a"}, {Name: "b"}}))(t)
		if format == "arrow" {
			var err error
			if w, err = newArrow(&file, []tablefile.Column{{Name: "a"}, {Name: "b"}}); err != nil {
				t.Fatal(err)
			}
		}
		odd := []float64{math.NaN(), math.Inf(-1), 1e101, -1e100, math.Copysign(0, -1), math.SmallestNonzeroFloat64}
		for i := range rowsPerGroup + 500 {
			w.Number(math.Sqrt(float64(i)))
			if i%50 == 0 {
				w.Missing()
			} else {
				w.Number(append(odd, 1/float64(i))[i%(len(odd)+1)])
			}
			must.OK(t, w.EndRow())
		}
		must.OK(t, w.Close())
		files[format] = file.Bytes()
	}
	const most = 1e100
	for name, text := range files {
		rows := must.Get(all(text))(t)
		names, rows, fast := rows[0], rows[1:], 0
		for only := range names { // which column is needed
			r := must.Get(open(text))(t)
			needed, cells := make([]bool, len(names)), make([]float64, len(names))
			needed[only] = true
			for i, row := range rows {
				want, wrong := strconv.ParseFloat(row[only], 64)
				if r.ReadNumbers(cells, needed, most) {
					if fast++; wrong != nil || math.Float64bits(cells[only]) != math.Float64bits(want) {
						t.Fatalf("%s, row %d: %v is read for %q", name, i, cells[only], row[only])
					}
					continue
				}
				if slices.Contains([]string{"a", "b", "area"}, names[only]) && wrong == nil && math.Abs(want) <= most {
					t.Fatalf("%s, row %d: %q is not read as a number", name, i, row[only])
				}
				if got, err := r.Read(); err != nil || !slices.Equal(got, row) {
					t.Fatalf("%s, row %d: %q, %v instead of %q", name, i, got, err, row)
				}
			}
			if _, err := r.Read(); r.ReadNumbers(cells, needed, most) || err != io.EOF {
				t.Errorf("%s: rows after the last, %v", name, err)
			}
		}
		if fast == 0 {
			t.Errorf("%s: no numbers are read", name)
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
		needed, cells := make([]bool, len(r.Columns())), make([]float64, len(r.Columns()))
		for n := 0; err == nil && n < 1e5; n++ {
			if len(needed) > 0 {
				needed[n%len(needed)] = true
			}
			if !r.ReadNumbers(cells, needed, 1) {
				_, err = r.Read()
			}
		}
	})
}
