package columnar

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/internal/tablefile"
)

// What was written is read again, with the columns in their order.
func TestWrite(t *testing.T) {
	columns := []tablefile.Column{{Name: "row", Text: true}, {Name: "mean"}, {Name: "a,b"}}
	var parquet, arrow bytes.Buffer
	testWrite(t, &parquet, columns, newParquet)
	testWrite(t, &arrow, columns, newArrow)
}

func testWrite(t *testing.T, file *bytes.Buffer, columns []tablefile.Column,
	begin func(io.Writer, []tablefile.Column) (tablefile.Writer, error)) {
	const n = rowsPerGroup + 3
	w := must.Get(begin(file, columns))(t)
	for i := range n {
		w.Text(fmt.Sprint("r", i))
		w.Number(float64(i) / 3)
		if i%2 == 0 {
			w.Missing()
		} else {
			w.Number(1e300)
		}
		must.OK(t, w.EndRow())
	}
	must.OK(t, w.Close())
	rows, err := all(file.Bytes())
	if err != nil || len(rows) != n+1 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for i, want := range map[int]string{0: "[row mean a,b]", 1: "[r0 0 ]",
		2: "[r1 0.3333333333333333 1e+300]", n: "[r65538 21846 ]"} {
		if got := fmt.Sprint(rows[i]); got != want {
			t.Errorf("row %d is %s, expected %s", i, got, want)
		}
	}
}

// wide returns some columns of numbers, whose names are in no order.
func wide(n int) (columns []tablefile.Column) {
	for c := range n {
		columns = append(columns, tablefile.Column{Name: fmt.Sprint("c", (c+9)%n)})
	}
	return columns
}

// Of a wide table fewer rows are held.
func TestWideRows(t *testing.T) {
	for columns, want := range map[int]int{0: rowsPerGroup, 10: rowsPerGroup, 128: rowsPerGroup, 1024: 1 << 13,
		1 << 20: minPerGroup} {
		if got := rowsOf(columns); got != want {
			t.Errorf("%d rows of %d columns, expected %d", got, columns, want)
		}
	}
	w := must.Get(newArrow(io.Discard, wide(4096)))(t)
	for range rowsOf(4096) {
		for range 4096 {
			w.Missing()
		}
		must.OK(t, w.EndRow())
	}
	if n := len(w.(*arrowWriter).blocks); n != 1 {
		t.Errorf("%d batches are written of %d rows, expected one", n, rowsOf(4096))
	}
}

// A Parquet file has its columns in their order. More than it can have are an error.
func TestManyColumns(t *testing.T) {
	if _, err := newParquet(io.Discard, wide(70_000)); err == nil || !strings.Contains(err.Error(), "at most 65535") {
		t.Errorf("70000 columns: %v", err)
	}
	var file bytes.Buffer
	w := must.Get(newParquet(&file, wide(200)))(t)
	for range 200 {
		w.Number(1)
	}
	must.OK(t, w.EndRow())
	must.OK(t, w.Close())
	rows, err := all(file.Bytes())
	if err != nil || len(rows) != 2 || rows[0][0] != "c9" || rows[0][199] != "c8" {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}
