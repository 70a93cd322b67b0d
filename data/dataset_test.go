package data

import (
	"slices"
	"strings"
	"testing"
)

// A shuffled input moves whole: all columns of a text, and the sequence of a row.
func TestShuffled(t *testing.T) {
	const table = "size,colour,gene,y\n1,red,ACGT,0.1\n2,blue,CCGT,0.2\n3,green,GGGT,0.3\n4,red,TTTT,0.4\n"
	ds := dataset(ReadFile(write(t, "shuffled.csv", table), ReadOptions{Sequence: "gene"}))(t)
	inputs := ds.Schema().Inputs()
	var names []string
	for _, in := range inputs {
		names = append(names, in.Name)
	}
	if got := strings.Join(names, " "); got != "size colour gene" {
		t.Fatalf("inputs %s", got)
	}
	from := []int{2, 0, 3, 1}
	s := ds.Shuffled(inputs, from)
	n := ds.N()
	if s.N() != 4*n {
		t.Fatalf("%d rows", s.N())
	}
	for i := range s.N() {
		k, row := i/n, i%n
		for j, in := range inputs {
			want := row
			if j == k-1 {
				want = from[row]
			}
			if in.Columns == nil {
				if !slices.Equal(s.Sequences.At(i), ds.Sequences.At(want)) {
					t.Errorf("row %d: its sequence is not that of row %d", i, want)
				}
				continue
			}
			for _, c := range in.Columns {
				if s.Row(i)[c] != ds.Row(want)[c] {
					t.Errorf("row %d, input %s: %g, not that of row %d", i, in.Name, s.Row(i)[c], want)
				}
			}
		}
		if s.Y[i] != ds.Y[row] {
			t.Errorf("row %d: its target has moved", i)
		}
	}
}
