package data

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// TestSequenceColumn reads a sequence beside numbers.
func TestSequenceColumn(t *testing.T) {
	const table = "id,dna,ph,target\n1,ACGT,7.5,0\n2,\"ggNc\",6,1\n3,TT,5,0\n4,A,4,1\n"
	d, notes, err := readText(table, ReadOptions{Sequence: "dna"})
	must.OK(t, err)
	must.Equal(t, show(d)+fmt.Sprint(d.Columns, d.X.Float64s()),
		"dna: ACGT=0 GGNC=1 TT=0 A=1[id ph] [1 7.5 2 6 3 5 4 4]")
	must.Contain(t, strings.Join(notes, "\n"), `t.csv: column "dna" holds the sequences, beside 2 columns of numbers`)
	s := d.Subset([]int{2, 1})
	must.Equal(t, show(s)+fmt.Sprint(s.X.Float64s()), "dna: TT=0 GGNC=1[3 5 2 6]")
	like := d.Schema()
	e := dataset(readText("ph;dna;id;more\n1;AC;2;x\n", ReadOptions{Schema: &like, TargetOptional: true}))(t)
	must.Equal(t, show(e)+fmt.Sprint(e.X.Float64s()), "dna: AC[2 1]")
	only, _, err := readText("text\ty\nto be\t1.5\nor not\t2\n", ReadOptions{Sequence: "1", Tokens: "words"})
	if err != nil || only.X != nil || show(only) != "words: to_be=1.5 or_not=2" {
		t.Fatal(err)
	}
	text := only.Schema()
	must.Equal(t, show(dataset(readText("text\nto not\n", ReadOptions{Schema: &text, TargetOptional: true}))(t)),
		"words: to_not")
	classes := strings.NewReplacer(",0\n", ",sad\n", ",1\n", ", happy\n").Replace(table)
	words, notes, err := readText(classes, ReadOptions{Sequence: "dna"})
	must.OK(t, err)
	must.Equal(t, show(words), "dna: ACGT=sad GGNC=happy TT=sad A=happy")
	must.Equal(t, words.Target, "target")
	must.Equal(t, words.Schema().TargetAt, 3)
	must.Contain(t, strings.Join(notes, "\n"), `t.csv: target column "target": classes "happy", "sad"`)
	moods := words.Schema()
	must.Equal(t, show(dataset(readText("target,ph,dna,id\nsad,1,AC,1\n", ReadOptions{Schema: &moods}))(t)),
		"dna: AC=sad")
	if many, _, err := readText(table, ReadOptions{Sequence: "dna", Target: "id,ph"}); err != nil ||
		len(many.Y) != 8 || many.Y[3] != 6 {
		t.Error(err)
	}
	for _, c := range []struct {
		text, want string
		opt        ReadOptions
	}{
		{strings.Replace(table, ",1\n", ",high\n", 1),
			`t.csv:3:12: found the target "high", which must be a finite number`,
			ReadOptions{Sequence: "dna", Task: "regression"}},
		{"id,ph,dna,target\n1,2,AC,angry\n",
			`t.csv:2:8: found class "angry", which the training data do not have`,
			ReadOptions{Schema: &moods}},
		{"text\ty\nto not\thigh\n", `t.csv:2:8: found the target "high", which must be a finite number: ` +
			`correct it or remove the sequence`, ReadOptions{Schema: &text}},
		{">1\nACGT\n>0\nAC\n",
			`t.csv: is a FASTA file, which has no columns: leave the column of sequences "dna" out`,
			ReadOptions{Sequence: "dna"}},
		{table, `t.csv: has no column "dnas" of sequences (did you mean "dna"?)`, ReadOptions{Sequence: "dnas"}},
		{table, "t.csv: has no column number 5 of sequences", ReadOptions{Sequence: "5"}},
		{table, `t.csv: the column "target" cannot be both`, ReadOptions{Sequence: "target"}},
		{"1,2\n3,4\n", "t.csv: has no header", ReadOptions{Sequence: "1"}},
		{strings.Replace(table, "ACGT", "", 1), `t.csv:2:3: the column "dna" lacks 1 sequence: --missing drop`,
			ReadOptions{Sequence: "dna"}},
		{"dna,y\n" + strings.Repeat("ACGTACGTACGT,1\n", 3) + "ACQ,2\n",
			`t.csv:5:3: found "Q", not a letter of DNA`, ReadOptions{Sequence: "dna"}},
		{"id,ph,target\n1,2,0\n", `t.csv:1: column "dna" is missing: it has the sequences of the training data`,
			ReadOptions{Schema: &like}},
		{">1\nACGT\n", "t.csv: is a FASTA file, the training data are a table with sequences in the column",
			ReadOptions{Schema: &like}},
	} {
		_, _, err := readText(c.text, c.opt)
		wantError(t, c.text, err, strings.HasPrefix, c.want)
	}
}
