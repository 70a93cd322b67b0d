package columnar

import (
	"bytes"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/internal/tablefile"
)

// arrowOf returns a file of a column of ones in two batches, whose index lists the second some times more.
func arrowOf(t *testing.T, again int) (text []byte, second int64) {
	t.Helper()
	var file bytes.Buffer
	w := must.Get(newArrow(&file, []tablefile.Column{{Name: "a"}}))(t)
	for range 2 * rowsPerGroup {
		w.Number(1)
		must.OK(t, w.EndRow())
	}
	a := w.(*arrowWriter)
	for range again {
		a.blocks = append(a.blocks, a.blocks[1])
	}
	must.OK(t, w.Close())
	return file.Bytes(), a.blocks[1][0]
}

// A batch of zeros, such as the hole of a copy that broke off, is damage. It does not end the rows.
func TestArrowHole(t *testing.T) {
	text, second := arrowOf(t, 0)
	clear(text[second:][:64])
	if rows, err := all(text); err == nil || !strings.Contains(err.Error(), "it is cut short") {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}

// An index that lists a batch many times is damage. It does not make a small file a large table.
func TestArrowOverlap(t *testing.T) {
	text, _ := arrowOf(t, 1000)
	if rows, err := all(text); err == nil || !strings.Contains(err.Error(), "more batches than the file") {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}
