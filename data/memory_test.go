package data

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// writeTemp writes a file for a reader.
func writeTemp(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const givenTraining = `age,colour,dna,weight,y
1,red,ACGT,10,1.5
2,blue,ACCA,,2.5
3,,GGGT,30,0.25
4,red,TTAA,40,1.75
`

// Rows that are given have the values of rows in a file.
func TestGivenIsAFile(t *testing.T) {
	training, _, err := ReadFile(writeTemp(t, "train.csv", givenTraining),
		ReadOptions{Target: "y", Sequence: "dna", TableOptions: TableOptions{Missing: MissingImpute}})
	if err != nil {
		t.Fatal(err)
	}
	s := training.Schema()
	if got := s.NumberColumns(); !slices.Equal(got, []string{"age", "weight"}) {
		t.Fatalf("columns of numbers %q", got)
	}
	if got := s.TextColumns(); !slices.Equal(got, []string{"colour"}) || s.SequenceColumn() != "dna" {
		t.Fatalf("columns of text %q, sequences %q", got, s.SequenceColumn())
	}
	file, _, err := readFor(writeTemp(t, "new.csv",
		"age,colour,dna,weight\n0.1,green,ACNT,1e3\n,blue,A,\n-7,,GG,5\n1,NA,T,2\n"), s, TableOptions{}, Watch{})
	if err != nil {
		t.Fatal(err)
	}
	nan := math.NaN()
	given, err := s.Rows(Given{N: 4, Numbers: []float64{0.1, 1e3, nan, nan, -7, 5, 1, 2},
		Texts: map[string][]string{"colour": {"green", "blue", "", "NA"}}, Sequences: []string{"ACNT", "A", "GG", "T"}})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(given.Columns, file.Columns) || given.N() != file.N() {
		t.Fatalf("columns %q and %q", given.Columns, file.Columns)
	}
	for i := range file.N() {
		if !slices.Equal(given.Row(i), file.Row(i)) || !slices.Equal(given.Sequences.At(i), file.Sequences.At(i)) {
			t.Errorf("row %d is %v %v, in a file %v %v", i, given.Row(i), given.Sequences.At(i), file.Row(i),
				file.Sequences.At(i))
		}
	}
}

func TestGivenIsWrong(t *testing.T) {
	path := writeTemp(t, "train.csv", "a,b,y\n1,x,1\n2,z,2.5\n3,x,4\n")
	training, _, err := ReadFile(path, ReadOptions{Target: "y"})
	if err != nil {
		t.Fatal(err)
	}
	s := training.Schema()
	words := map[string][]string{"b": {"x", "z"}}
	for _, test := range []struct {
		given Given
		want  string
	}{
		{Given{}, "there are no rows"},
		{Given{N: 2, Numbers: []float64{1}, Texts: words}, "1 number of 1 column for 2 rows"},
		{Given{N: 2, Numbers: []float64{1, 2}}, `0 cells in column "b" for 2 rows`},
		{Given{N: 2, Numbers: []float64{1, math.NaN()}, Texts: words}, `row 2: column "a" is missing`},
		{Given{N: 2, Numbers: []float64{1, math.Inf(-1)}, Texts: words}, `row 2: found -Inf in column "a"`},
		{Given{N: 2, Numbers: []float64{1, 2e100}, Texts: words}, `found 2e+100`},
		{Given{N: 2, Numbers: []float64{1, 2}, Texts: map[string][]string{"b": {"", "x"}}},
			`row 1: column "b" is missing`},
	} {
		if _, err := s.Rows(test.given); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: error %v, expected %q", test.given, err, test.want)
		}
	}
	genes, _, err := ReadFile(writeTemp(t, "g.fasta", ">a|1\nACGT\n>b|2\nGGTA\n"), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{"": "empty", "AC!T": `found "!" at byte 3 of column "sequence"`} {
		if _, err := genes.Schema().Rows(Given{N: 1, Sequences: []string{text}}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, expected %q", text, err, want)
		}
	}
}

func TestParseNumberCell(t *testing.T) {
	for cell, want := range map[string]float64{" 1.5 ": 1.5, "1e-3": 1e-3, "1e999": math.Inf(1)} {
		if got, err := (Schema{}).ParseCell("a", cell); err != nil || got != want {
			t.Errorf("%q is %v, %v", cell, got, err)
		}
	}
	for _, cell := range []string{"", "NA", "null"} {
		if got, err := (Schema{}).ParseCell("a", cell); err != nil || !math.IsNaN(got) {
			t.Errorf("%q is %v, %v", cell, got, err)
		}
	}
	if _, err := (Schema{}).ParseCell("a", "0x10"); err == nil {
		t.Error("0x10 is a number")
	}
}
