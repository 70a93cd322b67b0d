package data

import (
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// A set keeps the names of its columns, whatever becomes of the slices of its rows.
func TestOwnNames(t *testing.T) {
	rows := Rows{Columns: []string{"a", "b"}, Inputs: [][]float64{{1, 2}, {2, 5}, {4, 3}},
		Targets: [][]float64{{1, 2}, {3, 5}, {4, 1}}, TargetNames: []string{"u", "v"}}
	d := must.Get(FromRows(rows))(t)
	rows.Columns[0], rows.TargetNames[0] = "x", "y"
	if s := d.Schema(); s.Columns[0] != "a" || s.Targets[0] != "u" {
		t.Errorf("the columns are %q, the targets %q", s.Columns, s.Targets)
	}
}
