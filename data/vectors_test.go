package data

import (
	"slices"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/seq"
)

// Sequences of vectors in lists, FASTA and a column of a CSV file have the same codes and fingerprint.
func TestVectors(t *testing.T) {
	const want = "vectors: 1,2;3,4;1,2=up 0.5,-1=down 3,4;0.5,-1=up 1,2=down"
	first := ""
	for _, c := range []struct {
		name, text string
		opt        ReadOptions
	}{
		{"lines", "up\t1,2;3,4;1,2\ndown\t.5,-1\nup\t3,4;.5,-1\ndown\t1,2\n", ReadOptions{}},
		{"blanks and exponents", "up\t 1, 2; 3,4 ;1e0,2.0\ndown\t.5,-1\nup\t3,4;+.5,-1\ndown\t1,2\n", ReadOptions{}},
		{"FASTA", ">up\n1,2;3,4;\n1,2\n>down\n.5,-1\n>up\n3,4;.5,-1\n>down\n1,2\n", ReadOptions{}},
		{"column", "frames,class\n\"1,2;3,4;1,2\",1\n\".5,-1\",0\n\"3,4;.5,-1\",1\n\"1,2\",0\n",
			ReadOptions{Sequence: "frames"}},
	} {
		d, notes, err := readText(c.text, c.opt)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := strings.NewReplacer("=1", "=up", "=0", "=down").Replace(show(d)); got != want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, want)
		}
		if !strings.Contains(strings.Join(notes, "\n"), "alphabet vectors of 2 numbers") {
			t.Errorf("%s: %v", c.name, notes)
		}
		if c.opt.Sequence != "" {
			continue // its name is part of the fingerprint
		}
		if first == "" {
			first = d.Fingerprint
		}
		if d.Fingerprint != first {
			t.Errorf("%s: another fingerprint", c.name)
		}
		if d.Subset([]int{1, 0, 2, 3}).Fingerprint == first {
			t.Errorf("%s: another order has the same fingerprint", c.name)
		}
	}
	train := dataset(readText("up\t1,2;3,4\ndown\t5,6\nup\t1,2\ndown\t7,8\n", ReadOptions{}))(t)
	like := train.Schema()
	test, _, err := readText("up\t1,2;3,4\ndown\t5,7\n", ReadOptions{Schema: &like})
	if err != nil || test.Sequences.DuplicatesOf(train.Sequences) != 1 ||
		!slices.Equal(test.Sequences.Codes, []int32{0, 1, 4}) {
		t.Errorf("%v, %v", test.Sequences, err)
	}
}

func TestBadVectors(t *testing.T) {
	like := Schema{Alphabet: &seq.Alphabet{Kind: seq.Vectors, Letters: 9, Width: 3}, Target: "class",
		Task: Classification, Classes: []string{"a", "b"}}
	for _, c := range []struct {
		name, text, want string
		opt              ReadOptions
	}{
		{"width", "a\t1,2;3,4\nb\t1,2;3,4,5;1,2\n",
			`t.csv:2:7: found "3,4,5", a vector of 3 numbers, and those before have 2`, ReadOptions{}},
		{"width of the training data", "a\t1,2;3,4\n",
			`t.csv:1:3: found "1,2", a vector of 2 numbers, and those before have 3`, ReadOptions{Schema: &like}},
		{"no number", "a\t1.25,2.25;3.25,4.25\nb\t1.25,x;3.25,4.25\n",
			`t.csv:2:8: found "x", vectors hold finite numbers`, ReadOptions{}},
		{"NaN", "a\t1,2;3,4\nb\t1,2;nan,5\n", `t.csv:2:7: found "nan", vectors hold finite numbers`,
			ReadOptions{Tokens: "vectors"}},
		{"missing", "a\t1,2;3,4\nb\t1,2;,5\n", `t.csv:2:7: found "", vectors hold finite numbers`, ReadOptions{}},
		{"on the next line", ">a\n1,2;\n3,4;\n5,inf\n>b\n1,2\n", `t.csv:4:3: found "inf"`,
			ReadOptions{Tokens: "vectors"}},
		{"empty", "a\t1,2\nb\t1,2;3,4\nb\t \n", `t.csv:3:3: the sequence is empty`, ReadOptions{}},
	} {
		_, _, err := readText(c.text, c.opt)
		wantError(t, c.name, err, strings.HasPrefix, c.want)
	}
	like.Alphabet.Width = 0
	if _, _, err := readText("a\t1,2;3,4\n", ReadOptions{Schema: &like}); err == nil {
		t.Error("a training set of vectors without numbers is believed")
	}
}
