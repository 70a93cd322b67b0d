package columnar

import (
	"bytes"
	"fmt"
	"io"
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
