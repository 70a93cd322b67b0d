package data

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

const givenTraining = `age,colour,dna,weight,y
1,red,ACGT,10,1.5
2,blue,ACCA,,2.5
3,,GGGT,30,0.25
4,red,TTAA,40,1.75
`

// Rows that are given have the values of rows in a file.
func TestGivenIsAFile(t *testing.T) {
	training := dataset(ReadFile(write(t, "train.csv", givenTraining),
		ReadOptions{Target: "y", Sequence: "dna", TableOptions: TableOptions{Missing: MissingImpute}}))(t)
	s := training.Schema()
	if got := s.NumberColumns(); !slices.Equal(got, []string{"age", "weight"}) {
		t.Fatalf("columns of numbers %q", got)
	}
	if got := s.TextColumns(); !slices.Equal(got, []string{"colour"}) || s.SequenceColumn() != "dna" {
		t.Fatalf("columns of text %q, sequences %q", got, s.SequenceColumn())
	}
	file, _, err := ReadFile(write(t, "new.csv",
		"age,colour,dna,weight\n0.1,green,ACNT,1e3\n,blue,A,\n-7,,GG,5\n1,NA,T,2\n"),
		forPrediction(s, TableOptions{}, ReadControl{}))
	must.OK(t, err)
	nan := math.NaN()
	given := must.Get(s.Rows(Request{N: 4, Numbers: []float64{0.1, 1e3, nan, nan, -7, 5, 1, 2},
		Texts:     map[string][]string{"colour": {"green", "blue", "", "NA"}},
		Sequences: []string{"ACNT", "A", "GG", "T"}}))(t)
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
	path := write(t, "train.csv", "a,b,y\n1,x,1\n2,z,2.5\n3,x,4\n")
	training := dataset(ReadFile(path, ReadOptions{Target: "y"}))(t)
	s := training.Schema()
	words := map[string][]string{"b": {"x", "z"}}
	for _, test := range []struct {
		given Request
		want  string
	}{
		{Request{}, "there are no rows"},
		{Request{N: 2, Numbers: []float64{1}, Texts: words}, "1 number of 1 column for 2 rows"},
		{Request{N: 2, Numbers: []float64{1, 2}}, `0 cells in column "b" for 2 rows`},
		{Request{N: 2, Numbers: []float64{1, math.NaN()}, Texts: words}, `row 2: column "a" is missing`},
		{Request{N: 2, Numbers: []float64{1, math.Inf(-1)}, Texts: words}, `row 2: found -Inf in column "a"`},
		{Request{N: 2, Numbers: []float64{1, 2e100}, Texts: words}, `found 2e+100`},
		{Request{N: 2, Numbers: []float64{1, 2}, Texts: map[string][]string{"b": {"", "x"}}},
			`row 1: column "b" is missing`},
	} {
		if _, err := s.Rows(test.given); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: error %v, expected %q", test.given, err, test.want)
		}
	}
	genes := dataset(ReadFile(write(t, "g.fasta", ">a|1\nACGT\n>b|2\nGGTA\n"), ReadOptions{}))(t)
	for text, want := range map[string]string{"": "empty", "AC!T": `found "!" at byte 3 of column "sequence"`} {
		if _, err := genes.Schema().Rows(Request{N: 1, Sequences: []string{text}}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, expected %q", text, err, want)
		}
	}
}

func TestParseNumberCell(t *testing.T) {
	for cell, want := range map[string]float64{" 1.5 ": 1.5, "1e-3": 1e-3, "-1e100": -1e100} {
		if got, err := ParseCell(cell, false); err != nil || got != want {
			t.Errorf("%q is %v, %v", cell, got, err)
		}
	}
	for _, cell := range []string{"", "NA", "null"} {
		if got, err := ParseCell(cell, false); err != nil || !math.IsNaN(got) {
			t.Errorf("%q is %v, %v", cell, got, err)
		}
	}
	for cell, want := range map[string]string{"0x10": "must be a number", "1e999": `found "1e999", which is beyond`,
		"-1e101": `found "-1e101"`, "inf": `found "inf"`} {
		if v, err := ParseCell(cell, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s is %v, %v", cell, v, err)
		}
	}
}

// A boolean is one value in each spelling: as a number, and among words.
func TestGivenBooleans(t *testing.T) {
	path := write(t, "train.csv", "a,b,y\nTrue,True,1\nFalse,maybe,2.5\nTrue,False,4\nFalse,True,3\n")
	training := dataset(ReadFile(path, ReadOptions{Target: "y"}))(t)
	s := training.Schema()
	for _, cell := range []string{"true", "True", "TRUE", "1"} {
		v, err := ParseCell(cell, slices.Contains(s.Booleans, "a"))
		if err != nil || v != 1 {
			t.Errorf("%s is %v, %v", cell, v, err)
		}
		given := Request{N: 1, Numbers: []float64{v}, Texts: map[string][]string{"b": {cell}}}
		rows := must.Get(s.Rows(given))(t)
		if at := slices.Index(rows.Columns, "b=True"); rows.Row(0)[at] != 1 || s.UnknownWords(given) != nil {
			t.Errorf("%s among words: %v, %q", cell, rows.Row(0), s.UnknownWords(given))
		}
	}
}

// Columns that are given as text have digits and NA as words; an empty cell is missing.
func TestTextColumns(t *testing.T) {
	const table = "zone,k,y\nNA,1,1\nEU,2,2.5\n-,1,4\n,2,3\nEU,1,1\n"
	path := write(t, "train.csv", table)
	o := TableOptions{Text: "zone,2", Missing: MissingImpute}
	training := dataset(ReadFile(path, ReadOptions{Target: "y", TableOptions: o}))(t)
	want := []string{"zone=-", "zone=EU", "zone=NA", "zone=missing", "k=1", "k=2"}
	if !slices.Equal(training.Columns, want) {
		t.Fatalf("%q, expected %q", training.Columns, want)
	}
	s := training.Schema()
	rows, notes, err := ReadFile(write(t, "new.csv", "zone,k\nN/A,7\nNA,1\n,2\n"),
		ReadOptions{Schema: &s, TargetOptional: true})
	must.OK(t, err)
	given := Request{N: 3, Texts: map[string][]string{"zone": {"N/A", "NA", ""}, "k": {"7", "1", "2"}}}
	same := must.Get(s.Rows(given))(t)
	for i, want := range [][]float64{{0, 0, 0, 0, 0, 0}, {0, 0, 1, 0, 1, 0}, {0, 0, 0, 1, 0, 1}} {
		if !slices.Equal(rows.Row(i), want) || !slices.Equal(same.Row(i), want) {
			t.Errorf("row %d: %v of a file, %v of a request, expected %v", i+1, rows.Row(i), same.Row(i), want)
		}
	}
	if new := s.UnknownWords(given); len(new) != 2 ||
		!strings.Contains(strings.Join(notes, "\n"), `"N/A" in column "zone"`) {
		t.Errorf("%q of a file, %q of a request", notes, new)
	}
	o.Text = "nowhere"
	wantError(t, "", errorOf(ReadFile(path, ReadOptions{Target: "y", TableOptions: o})), strings.Contains,
		`has no column "nowhere" of text`)
}
