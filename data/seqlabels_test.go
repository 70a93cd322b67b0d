package data

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

func TestSequenceLabels(t *testing.T) {
	sequences := write(t, "x.fasta", ">first one\nACGT\n>second\nAC\n>third\nGG\n>fourth\nTTT\n")
	beside := func(text string) string {
		path := filepath.Join(filepath.Dir(sequences), "labels.txt")
		must.OK(t, os.WriteFile(path, []byte(text), 0o644))
		return path
	}
	for _, text := range []string{"b\na\nb\na\n",
		"second\ta\nfirst,b\nthird\tb\nfourth\ta\nfifth\tc\n",
		"first one\tb\r\nsecond\ta\r\nthird\tb\r\nfourth\ta\r\n"} {
		d, _, err := ReadFile(sequences, ReadOptions{Labels: beside(text)})
		if err != nil || show(d) != "dna: ACGT=b AC=a GG=b TTT=a" {
			t.Errorf("%q: %v", text, err)
		}
	}
	for text, want := range map[string]string{
		"a\nb\n":                                "labels.txt: holds 2 labels for 4 sequences",
		"first\ta\nsecond\tb\n":                 `has no label for the sequence "third", which is on line 6 of `,
		",label\nfirst,a\nsecond,b\nfourth,a\n": `has no label for the sequence "third", which is on line 6 of `,
		"first\ta\nsecond\tb\nfirst\tb\n":       `labels.txt:3: the name "first" is also on line 1`,
		"first\ta\nsecond\n":                    "labels.txt:2: there is no tab or comma",
		"":                                      "labels.txt: is empty",
		"first\t1\nsecond\tx\nthird,1\nfourth,": `labels.txt:2:1: found the target "x"`,
	} {
		_, _, err := ReadFile(sequences, ReadOptions{Labels: beside(text), Task: "regression"})
		wantError(t, text, err, strings.Contains, want)
	}
}

// TestNames: a name ends at a blank or a tab, in FASTA as in the file of labels.
func TestNames(t *testing.T) {
	for header, labels := range map[string]string{
		"sp|P1|A OS=Homo sapiens\nACGT\n>sp|P2|B OS=x|y": "sp|P1|A\ta\nsp|P2|B\tb\n",
		"g1\tgene\nACGT\n>g2 gene":                       "g1\ta\ng2\tb\n",
		"g,1 x\nACGT\n>g,2":                              "g,1\ta\ng,2\tb\n",
		"g1|one\nACGT\n>g2|two":                          "g1,a\ng2,b\n",
	} {
		path := write(t, "x.fasta", ">"+header+"\nAC\n")
		file := write(t, "labels.tsv", labels)
		d, _, err := ReadFile(path, ReadOptions{Labels: file})
		if err != nil || show(d) != "dna: ACGT=a AC=b" || strings.ContainsAny(strings.Join(d.IDs(), ""), " \t") {
			t.Errorf("%q: %v", header, err)
		}
	}
}

// The notes on numbers as labels are those of the targets of tables.
func TestNotesOnNumberLabels(t *testing.T) {
	for labels, want := range map[string]string{
		"123": `classes "1", "2", "3" (--task regression for numbers, --likelihood ordinal for levels in order)`,
		"12":  `classes "1", "2" (--task regression for numbers)`,
		".":   "the labels hold numbers that are not whole (0.5): task regression",
	} {
		text := ""
		for i := range 12 {
			label := labels[i%len(labels) : i%len(labels)+1]
			text += fmt.Sprintf(">%s\nACGT\n", strings.Replace(label, ".", "0.5", 1))
		}
		_, notes, err := readText(text, ReadOptions{})
		must.OK(t, err)
		must.Contain(t, strings.Join(notes, "\n"), want)
	}
}
