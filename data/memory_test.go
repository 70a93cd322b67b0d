package data

import (
	"slices"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// Rows to predict that do not fit are errors that say what they should have.
func TestGivenRows(t *testing.T) {
	trained := must.Get(FromRows(Rows{Columns: []string{"a", "b"}, Inputs: [][]float64{{1, 2}, {2, 5}, {4, 3}},
		Values: []float64{1, 2, 4}}))(t)
	for want, r := range map[string]Rows{
		"row 2 has 2 numbers for 3 columns: give one for each": {Columns: []string{"a", "note", "b"},
			Inputs: [][]float64{{1, 0, 2}, {1, 2}}},
		"row 1 has 1 number, the training data have 2 columns": {Inputs: [][]float64{{1}}},
		"2 values for 1 row: give one for each row":            {Inputs: [][]float64{{1, 2}}, Values: []float64{1, 2}},
		"have sequences, and the training rows": {Inputs: [][]float64{{1, 2}},
			Sequences: []string{"AC"}},
		"1 slice for 2 rows": {Inputs: [][]float64{{1, 2}},
			Sequences: []string{"AC", "GT"}},
		"the training rows have none: leave them out": {Inputs: [][]float64{{1, 2}}, Offset: []float64{0.5}},
		`there are two columns "a"`: {Columns: []string{"a", "b", "a"},
			Inputs: [][]float64{{1, 2, 3}}},
	} {
		_, err := r.Request(trained.Schema())
		wantError(t, "", err, strings.Contains, want)
	}
}

// Rows in memory are the set that a file with the same rows is.
func TestFromRows(t *testing.T) {
	inputs := [][]float64{{1, 0.5}, {2, 0.25}, {3, -1}, {4, 2}, {5, 9}, {6, 1e3}}
	for _, c := range []struct {
		name, file string
		opt        ReadOptions
		rows       Rows
	}{
		{"regression", "a,b,target\n1,.5,1.5\n2,.25,2\n3,-1,2.5\n4,2,3\n5,9,0\n6,1e3,-2\n", ReadOptions{},
			Rows{Columns: []string{"a", "b"}, Inputs: inputs, Values: []float64{1.5, 2, 2.5, 3, 0, -2}}},
		{"words", "x0,x1,target\n1,.5,u\n2,.25,v\n3,-1,u\n4,2,w\n5,9,v\n6,1e3,w\n", ReadOptions{},
			Rows{Inputs: inputs, Classes: strings.Split("u v u w v w", " ")}},
		{"numbers as classes", "x0,x1,target\n1,.5,10\n2,.25,9\n3,-1,10\n4,2,10\n5,9,9\n6,1e3,9\n",
			ReadOptions{Task: "classification"},
			Rows{Inputs: inputs, Classes: strings.Split("10 9 10 10 9 9", " ")}},
		{"several targets", "a,b,u,v\n1,.5,1,2\n2,.25,3,4\n3,-1,5,7\n4,2,7,8\n5,9,9,10\n6,1e3,1,1\n",
			ReadOptions{Target: "u,v"}, Rows{Columns: []string{"a", "b"}, Inputs: inputs,
				Targets:     [][]float64{{1, 2}, {3, 4}, {5, 7}, {7, 8}, {9, 10}, {1, 1}},
				TargetNames: []string{"u", "v"}}},
		{"sequences",
			"x0,x1,sequence,target\n1,.5,ACGT,1.5\n2,.25,GG,2\n3,-1,TT,2.5\n4,2,ACNA,3\n5,9,A,0\n6,1e3,C,-2\n",
			ReadOptions{Sequence: "sequence"},
			Rows{Inputs: inputs, Sequences: strings.Split("ACGT GG TT ACNA A C", " "),
				Values: []float64{1.5, 2, 2.5, 3, 0, -2}}},
	} {
		file, _, err := ReadFile(write(t, "rows.csv", c.file), c.opt)
		if err != nil {
			t.Fatal(c.name, err)
		}
		rows, err := FromRows(c.rows)
		if err != nil {
			t.Fatal(c.name, err)
		}
		if rows.Fingerprint != file.Fingerprint || !slices.Equal(rows.Classes, file.Classes) ||
			!slices.Equal(rows.Labels, file.Labels) {
			t.Errorf("%s: classes %v and labels %v, in a file %v and %v, fingerprints %.8s and %.8s",
				c.name, rows.Classes, rows.Labels, file.Classes, file.Labels, rows.Fingerprint, file.Fingerprint)
		}
		if got, want := rows.Schema().NumberColumns(), file.Schema().NumberColumns(); !slices.Equal(got, want) {
			t.Errorf("%s: columns %v, in a file %v", c.name, got, want)
		}
	}
	dna, err := FromRows(Rows{Sequences: strings.Split("ACGT GG TT ACNA", " "), Classes: strings.Split("1 0 1 0", " ")})
	if err != nil || dna.Sequences.Alphabet.Kind != "dna" || dna.Schema().Check() != nil {
		t.Errorf("%v, %v", dna, err)
	}
}

// A label, a name or a word that a model file cannot hold is refused before training.
func TestWordsOfRows(t *testing.T) {
	inputs := [][]float64{{1}, {2}}
	for want, r := range map[string]Rows{
		`the tokens are "dna", and there are`: {Inputs: inputs, Classes: []string{"a", "b"}, Tokens: "dna"},
		`row 2: the class label is ""`:        {Inputs: inputs, Classes: []string{"a", ""}},
		`row 2: the class label is "caf\xe9"`: {Inputs: inputs, Classes: []string{"a", "caf\xe9"}},
		`the column "caf\xe9" is not called`: {Inputs: inputs, Classes: []string{"a", "b"},
			Columns: []string{"caf\xe9"}},
		`row 2: found "\xe9" at byte 7 of column "sequence", not UTF-8`: {
			Sequences: []string{"a", "é caf\xe9"}, Classes: []string{"a", "b"}, Tokens: "words"},
	} {
		_, err := FromRows(r)
		wantError(t, "", err, strings.Contains, want)
	}
}

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
