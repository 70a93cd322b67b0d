package tablefile

import (
	"bytes"
	"io"
	"os"
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

// all reads a file to its end.
func all(text []byte) (rows [][]string, err error) {
	r, err := Open(bytes.NewReader(text), int64(len(text)))
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

func TestRead(t *testing.T) {
	text, err := os.ReadFile("testdata/houses.parquet")
	if err != nil {
		t.Fatal(err)
	}
	got, err := all(text)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.EqualFunc(got, houses, slices.Equal[[]string]) {
		t.Errorf("%q, expected %q", got, houses)
	}
}

// A file that was cut short or has a wrong byte is an error, or reads as something: it never stops
// the program.
func TestDamaged(t *testing.T) {
	text, err := os.ReadFile("testdata/houses.parquet")
	if err != nil {
		t.Fatal(err)
	}
	for at := range text {
		if _, err := all(text[:at]); err == nil || !strings.Contains(err.Error(), "write it again") {
			t.Fatalf("the first %d bytes give the error %v", at, err)
		}
		damaged := bytes.Clone(text)
		damaged[at] ^= 0x55
		all(damaged)
	}
}
