package data

import (
	"fmt"
	"strings"
	"testing"
)

// TestIsSequenceLines tells lists of sequences from tables.
func TestIsSequenceLines(t *testing.T) {
	for text, want := range map[string]bool{
		"1\tACGT\n0\tAC\n": true, "1\tACGT": true, "x\ty\n1\t2\n": false, "x\ty\n": false,
		"1\t2\n3\t4\n": false, "a\tb\tc\n": false,
		"1\t4 5\n2\t7\n": true, "label\tsequence\n1\tAC\n": true, "a,b\n1,2\n": false, "": false,
		"dose\tresponse\n0\t1.5\n10\tNA\n": false, "Zeit\tSpannung\n0\t2,5\n1\t2,75\n": false,
		"x\tprice\n1\t$1,200\n2\t-\n": false, "x\tday\n1\t2024-01-31\n": false, "a\tNA\nb\tACGT\n": true,
		"1\t" + strings.Repeat("ACGT", headSize):                                          true,
		"1\t" + strings.Repeat("A", headSize/2) + "\n0\t" + strings.Repeat("A", headSize): true,
	} {
		if got := isSequenceLines([]byte(text[:min(len(text), headSize)])); got != want {
			t.Errorf("%.30q: %v", text, got)
		}
	}
}

// A table of two columns with a tab between is no list where a cell is missing, or decimals have a comma.
func TestTwoColumns(t *testing.T) {
	for text, want := range map[string]string{
		"dose\tresponse\n0\t1.5\n0\t1.7\n10\t2.5\n10\tNA\n10\t2.75\n": "[0 0 10 10] [1.5 1.7 2.5 2.75]",
		"Zeit\tSpannung\n0\t2,5\n1\t2,75\n3\t3,5\n":                   "[0 1 3] [2.5 2.75 3.5]",
	} {
		d, _, err := readText(text, ReadOptions{})
		if err != nil || d.Sequences != nil || fmt.Sprint(d.X.Float64s(), d.Y) != want {
			t.Errorf("%q: %v, %v", text, d, err)
		}
	}
}

// The names of the columns of a list are no class and no sequence.
func TestListHeader(t *testing.T) {
	rows := "a\tACGT\nb\tCCGT\na\tGGGT\nb\tTCGA\na\tACAA\nb\tCAGT\n"
	numbers := strings.NewReplacer("a\t", "1.5\t", "b\t", "2.25\t").Replace(rows)
	for text, want := range map[string]int{
		rows: 6, "label\tsequence\n" + rows: 6, "Family\tPeptide\n" + rows: 6,
		"solubility\tSMILES\n" + numbers: 6, "class\tseq\na\tACGT\n": 1,
		"c\tACGG\n" + rows: 7, "type\tAC GG\n" + rows: 7, "a\tsequence\n" + rows: 7,
	} {
		d, notes, err := readText(text, ReadOptions{Tokens: "bytes"})
		if err != nil || d.N() != want {
			t.Errorf("%q: %v rows, %v", text, d, err)
		} else if told := strings.Contains(fmt.Sprint(notes),
			"names of the columns"); told != (strings.Count(text, "\n") > want) {
			t.Errorf("%q: %v", text, notes)
		}
	}
}

// A header above rows to predict is no row, also where a line has no class.
func TestHeaderAboveMixedLines(t *testing.T) {
	rows := "a\tACGT\nb\tCCGT\na\tGGGT\nb\tTCGA\n"
	like := dataset(readText(rows, ReadOptions{Task: "classification"}))(t).Schema()
	for _, header := range []string{"label\tsequence\n", "label\treads\n", ""} {
		d, _, err := readText(header+rows+"ACAA\n", ReadOptions{Schema: &like, TargetOptional: true})
		if err != nil || d.N() != 5 {
			t.Errorf("%q: %v, %v", header, d, err)
		}
	}
}

// A table in place of a list is refused by its first rows, whatever stands below them.
func TestTableForList(t *testing.T) {
	like := dataset(readText("a\tred cat\nb\tblue dog\n", ReadOptions{Tokens: "bytes"}))(t).Schema()
	for _, below := range []string{"", "a,red,cat\n", "a,\"red\n"} {
		text := "label,text\n" + strings.Repeat("a,red cat\nb,blue dog\n", sampleSize/2) + below
		_, _, err := readText(text, ReadOptions{Schema: &like, TargetOptional: true})
		wantError(t, below, err, strings.HasPrefix, `t.csv: this file is a table, which begins with "label", "text"`)
	}
}
