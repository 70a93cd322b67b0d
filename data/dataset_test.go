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
	s := ds.WithPermutedInputs(inputs, from)
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

func TestFingerprintSeesEverything(t *testing.T) {
	base := "a,b,target\n1,0,0\n1,0,1\n2,0,0\n3,0,1\n"
	seen := map[string]string{}
	for _, c := range []struct {
		name string
		text string
		opt  ReadOptions
	}{
		{"base", base, ReadOptions{}},
		{"value", strings.Replace(base, "3,0", "3,1e-300", 1), ReadOptions{}},
		{"label", strings.Replace(base, "2,0,0", "2,0,1", 1), ReadOptions{}},
		{"order", "a,b,target\n1,0,1\n1,0,0\n2,0,0\n3,0,1\n", ReadOptions{}},
		{"column", strings.Replace(base, "a,b", "a,c", 1), ReadOptions{}},
		{"columns", strings.Replace(base, "a,b", "b,a", 1), ReadOptions{}},
		{"joined", strings.Replace(base, "a,b", "ab,c", 1), ReadOptions{}},
		{"task", base, ReadOptions{Task: "regression"}},
		{"target", base, ReadOptions{Target: "a", Task: "regression"}},
		{"renamed", strings.Replace(base, "target", "y", 1), ReadOptions{}},
		{"from 1", "a,b,target\n1,0,1\n1,0,2\n2,0,1\n3,0,2\n", ReadOptions{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, _, err := readText(c.text, c.opt)
			if err != nil {
				t.Fatal(err)
			}
			if len(d.Fingerprint) != 64 {
				t.Errorf("fingerprint %q", d.Fingerprint)
			}
			if other, twice := seen[d.Fingerprint]; twice {
				t.Errorf("%s and %s have the same fingerprint", c.name, other)
			}
			seen[d.Fingerprint] = c.name
		})
	}
	zero, _, _ := readText(base, ReadOptions{})
	minus, _, _ := readText(strings.Replace(base, "3,0", "3,-0", 1), ReadOptions{})
	if zero.Fingerprint != minus.Fingerprint {
		t.Error("0 and -0 have different fingerprints")
	}
	if all := zero.Subset([]int{0, 1, 2, 3}); all.Fingerprint != zero.Fingerprint {
		t.Error("the subset of all rows has another fingerprint")
	}
}
