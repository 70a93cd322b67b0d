package tablefile

import (
	"bytes"
	"fmt"
	"testing"
)

// What was written is read again, with the columns in their order.
func TestWrite(t *testing.T) {
	columns := []Column{{"row", true}, {"mean", false}, {"a,b", false}}
	var parquet, arrow bytes.Buffer
	testWrite(t, &parquet, NewParquet(&parquet, columns))
	w, err := NewArrow(&arrow, columns)
	if err != nil {
		t.Fatal(err)
	}
	testWrite(t, &arrow, w)
}

func testWrite(t *testing.T, file *bytes.Buffer, w Writer) {
	const n = rowsPerGroup + 3
	for i := range n {
		w.Text(fmt.Sprint("r", i))
		w.Number(float64(i) / 3)
		if i%2 == 0 {
			w.Missing()
		} else {
			w.Number(1e300)
		}
		if err := w.EndRow(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
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
