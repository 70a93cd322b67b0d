package data

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

const arff = "% a comment\n@RELATION r\n\n@ATTRIBUTE a NUMERIC\n@attribute 'b c' real % " +
	"no\n@attribute\ttarget {0,1}\n\n@DATA\n1,2,0\n% between\n3,4,1\n\n5,6,0\n7,8,1\n"

func TestARFF(t *testing.T) {
	want := dataset(readText("a,b c,target\n1,2,0\n3,4,1\n5,6,0\n7,8,1\n", ReadOptions{}))(t)
	for name, text := range map[string]string{"plain": arff, "CRLF": strings.ReplaceAll(arff, "\n",
		"\r\n"), "gzip": zipped(arff), "BOM": "\xef\xbb\xbf" + arff} {
		d, _, err := readText(text, ReadOptions{})
		if err != nil || d.Fingerprint != want.Fingerprint {
			t.Errorf("%s: %+v, %v", name, d, err)
		} else if d.RowLocation(2) != "t.csv:13" {
			t.Errorf("%s: row 2 stands at %s", name, d.RowLocation(2))
		}
	}
	for text, want := range map[string]string{
		strings.Replace(arff, "3,4,1", "3,?,1", 1):   `t.csv:11:3: cells are missing, in "b c" 1`,
		strings.Replace(arff, "3,4,1", "3,4", 1):     "t.csv:11: this row has 2 cells, the first row has 3",
		strings.Replace(arff, "3,4,1", "3,\"4,1", 1): "t.csv:11: a quoted cell of this row is not closed",
		strings.Replace(arff, "@DATA", "@DATE", 1):   `t.csv:8: found "@DATE" before @data`,
		strings.Replace(arff, "@ATTRIBUTE a NUMERIC\n", "",
			1): "t.csv:8: this row has 3 cells, but there are 2 lines @attribute",
		strings.Replace(arff, "a NUMERIC", "", 1):                 "t.csv:4: this @attribute has no name",
		strings.Replace(arff, "'b c'", "a", 1):                    "t.csv:9:3: columns 1 and 2 are both named \"a\"",
		arff[:60]:                                                 "t.csv: is an ARFF file without a line @data",
		arff[:strings.Index(arff, "1,2,0")]:                       "t.csv: is empty",
		"@relation r\n" + strings.Repeat("% long\n", 1<<14) + "x": "t.csv:9362: the lines before @data are too long",
	} {
		_, _, err := readText(text, ReadOptions{})
		wantError(t, text, err, strings.HasPrefix, want)
	}
}

// Weka writes a quote inside a name after a \.
func TestQuotedNames(t *testing.T) {
	text := "@relation r\n@attribute 'it\\'s cold' real\n@attribute 'it\\'s so' {1,2,7}\n@data\n" +
		"0.5,1\n1.5,2\n2.5,7\n3.5,1\n"
	d := dataset(readText(text, ReadOptions{}))(t)
	must.Equal(t, d.Columns[0], "it's cold")
	must.Equal(t, d.Target, "it's so")
	must.Equal(t, len(d.Classes), 3)
	for text, want := range map[string]string{`'dir\\' real`: `dir\| real`, `'dir\' real`: `dir\| real`,
		`'a\'b\\' {1,2}`: `a'b\| {1,2}`, `"it's" real`: `it's| real`, `'open`: "open|"} {
		if name, rest := quotedName(text); name+"|"+rest != want {
			t.Errorf("%s: %q and %q", text, name, rest)
		}
	}
}

// TestBlocks of time: no training row is within a second of a test row, and the blocks are the recording.
func TestBlocksOfTime(t *testing.T) {
	const n = 14980
	var all []int
	for k := 1; k <= blocks; k++ {
		train, test := block(n, (k-1)*n/blocks, k*n/blocks)
		all = append(all, test...)
		for _, r := range train {
			if r > test[0]-guardRows-1 && r < test[len(test)-1]+guardRows {
				t.Fatalf("block %d: row %d is near the test rows %d to %d", k, r, test[0], test[len(test)-1])
			}
		}
		sides := 2
		if k == 1 || k == blocks {
			sides = 1
		}
		if len(train)+len(test) != n-sides*guardRows {
			t.Errorf("block %d: %d and %d rows", k, len(train), len(test))
		}
	}
	if len(all) != n || !slices.IsSorted(all) {
		t.Errorf("%d rows in blocks", len(all))
	}

	recording := dataset(ReadFile(write(t, "t.csv", numbered(1000, 2)), ReadOptions{}))(t)
	for i := range recording.N() {
		recording.Times = append(recording.Times, float64(i))
	}
	recording.TimeGap = guardRows
	rest, validation, err := HoldOut(recording, 0.2, 1)
	must.OK(t, err)
	must.Equal(t, []int{rest.N(), validation.N()}, []int{800 - guardRows, 200})
	must.Equal(t, rest.Row(rest.N() - 1)[0], float64(799-guardRows))
	must.Equal(t, validation.Row(0)[0], 800)

	dir := SetsDir(t)
	for _, k := range []int{1, 3} {
		train, test, notes, err := Load(Source{Data: "eeg-blocked", DataDir: dir, Fold: k})
		must.OK(t, err)
		if k == 1 {
			must.Equal(t, []int{train.N(), test.N()}, []int{11856, 2996})
		}
		must.Equal(t, train.Name, "eeg-blocked")
		must.Equal(t, train.AutoScaling, "robust")
		must.Equal(t, len(train.Classes), 2)
		must.Contain(t, fmt.Sprint(notes), "of the recording")
	}
	first, _, _, _ := Load(Source{Data: "eeg-blocked", DataDir: dir, Fold: 2})
	must.Equal(t, first.Row(0)[0], 4329.23) // the recording starts there
}
