package serve

import (
	"fmt"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// Numbers that are not plain are texts in a request, and a number of JSON is itself.
func TestNotations(t *testing.T) {
	s := data.Schema{Columns: []string{"w", "b"}, Target: "y", TargetAt: 2, Task: data.Regression,
		Notations: []data.Notation{{Column: "w", Thousands: ".", Comma: true, Unit: "kg"}}}
	if got := fmt.Sprint(inputsOf(s)); got != "[{inputs FP64 [-1 1]} {w BYTES [-1]}]" {
		t.Error(got)
	}
	g := must.Get(parseRows(s, []byte(`{"instances": [{"w": "1.299,5 kg", "b": 1}, {"w": 1.299, "b": "2"}]}`), 9))(t)
	rows, err := s.Rows(g)
	if err != nil || fmt.Sprint(rows.X.Data()) != "[1299.5 1 1.299 2]" {
		t.Error(rows, err)
	}
}
