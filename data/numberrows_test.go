package data

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data/written"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// textRows are rows that are not read as numbers.
type textRows struct{ rowReader }

// seen is all that a stream gives, and the bad rows that it sets aside.
type seen struct {
	x, y []float64
	at   []int32
	bad  []string
	err  string
}

// streamed reads a file as a stream, a number of rows at a time.
func streamed(t *testing.T, path string, s Schema, size int, numbers, skip bool) (out seen) {
	t.Helper()
	bad := func(row BadRow) error {
		out.bad = append(out.bad, row.Err.Error()+" "+strings.Join(row.Cells, "|"))
		return nil
	}
	if !skip {
		bad = nil
	}
	rows := must.Get(OpenStream(path, s, TableOptions{}, Watch{}, bad))(t)
	defer rows.Close()
	if _, fast := rows.rec.rows.(numberReader); !fast {
		t.Fatal("no numbers are read")
	}
	if !numbers {
		rows.rec.rows = textRows{rows.rec.rows}
	}
	for {
		ds, err := rows.Next(size)
		if err == io.EOF {
			return out
		} else if err != nil {
			out.err = err.Error()
			return out
		}
		out.x, out.y = append(out.x, ds.X.Float64s()...), append(out.y, ds.Y...)
		out.at = append(out.at, ds.lines...)
	}
}

// TestNumberRows: rows that are read as numbers are those that are read as text, with the same bits, lines, bad rows
// and errors, wherever odd rows stand between them.
func TestNumberRows(t *testing.T) {
	schema := Schema{Task: Regression, Columns: []string{"a", "b"}, Target: "y", TargetAt: 2}
	odd := []string{
		"\"1\",2,note,3", "\"1\n\",2,note,3", "1,2,\"two\nlines, and a comma\",3", "1,2,\"a \"\"word\"\"\",3",
		"# a \"comment, with a comma", "", " 1, 2,note, 3", "1e3,2E-2,note,+3", "-0,.5,note,5.",
		"0.1234567890123456789,12345678901234567890,note,1e22", "1,2,note,", "1,2,,3",
	}
	wrong := []string{
		"1,two,note,3", "1,,note,3", "1,2,note", "1,2,note,3,4", "1,2,a \"word\",3", "1,1e101,note,3", "inf,2,note,3",
		"1,2,note,three", "0x1p4,2,note,3", "1_0,2,note,3", "1,2,\"a\" b,3",
	}
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 5))
		end := []string{"\n", "\r\n"}[seed%2]
		var text strings.Builder
		text.WriteString("a,b,c,y" + end)
		const rows = 9000 // more than a buffer holds
		for i := range rows {
			switch r := rng.IntN(300); {
			case r < 5:
				text.WriteString(odd[rng.IntN(len(odd))])
			case r == 5 && seed < 8 && i > 5000:
				text.WriteString(wrong[rng.IntN(len(wrong))])
			default:
				a := strconv.FormatFloat(rng.NormFloat64(), 'g', -1, 64)
				fmt.Fprintf(&text, "%s,%.*f,note %d,%d", a, rng.IntN(9), rng.NormFloat64()*1000, i, rng.IntN(100))
			}
			if i < rows-1 || seed%3 > 0 {
				text.WriteString(end)
			}
		}
		path := write(t, "rows.csv", text.String())
		for _, skip := range []bool{true, false} {
			got, want := streamed(t, path, schema, 700, true, skip), streamed(t, path, schema, 700, false, skip)
			for i := range want.y { // NaN if a row has no target
				if math.Float64bits(got.y[i]) != math.Float64bits(want.y[i]) {
					t.Fatalf("seed %d: target %d is %v, and %v as text", seed, i, got.y[i], want.y[i])
				}
			}
			got.y, want.y = nil, nil
			if !reflect.DeepEqual(got, want) {
				t.Errorf("seed %d: %d numbers, error %q, bad rows %.999q\nas text: %d, %q, %.999q",
					seed, len(got.x), got.err, got.bad, len(want.x), want.err, want.bad)
			}
			if (seed < 8) != (len(want.bad) > 0 || want.err != "") || seed >= 8 && len(want.x) < 2*rows*98/100 {
				t.Errorf("seed %d: %d numbers, error %q, %d bad rows: nothing is tested",
					seed, len(want.x), want.err, len(want.bad))
			}
		}
	}
}

// TestPlainNumber: the bits are those of package strconv.
func TestPlainNumber(t *testing.T) {
	check := func(text string) {
		t.Helper()
		want, err := written.ParseNumber(text)
		got, ok := plainNumber([]byte(text))
		if ok != (err == nil && math.Abs(want) <= largest) || ok && math.Float64bits(got) != math.Float64bits(want) {
			t.Errorf("%q is %v, %v; expected %v, %v", text, got, ok, want, err)
		}
	}
	for _, text := range []string{"", "-", ".", "-.", "..", "1.2.3", "--1", "1-", "+1", "-0", "-0.0", ".5", "5.", "1e5",
		"1e", "1e-400", "1e400", "1e100", "-1e101", "999999999999999", "9999999999999999", "0.00000000000000000001",
		"0000000000000000001", "123456789012345.", ".123456789012345", "nan", "inf", "0x10", "1_000", " 1", "1 ", "١"} {
		check(text)
	}
	rng := rand.New(rand.NewPCG(4, 4))
	for range 200_000 {
		v := rng.NormFloat64() * math.Pow(10, float64(rng.IntN(12)-4))
		check(strconv.FormatFloat(v, "fge"[rng.IntN(3)], rng.IntN(17)-1, 64))
	}
}

// Rows to predict may be any number: a file to train on has a bound, since it is held whole.
func TestStreamOfAnyLength(t *testing.T) {
	d := dataset(readText(small, ReadOptions{}))(t)
	rows := must.Get(OpenStream(write(t, "t.csv", small), d.Schema(), TableOptions{}, Watch{}, nil))(t)
	defer rows.Close()
	if most := rows.rec.guard.limits.text; most < math.MaxInt64 {
		t.Errorf("rows of %d bytes are too many", most)
	}
}
