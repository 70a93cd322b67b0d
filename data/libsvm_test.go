package data

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

func TestLIBSVM(t *testing.T) {
	text := "# a comment\n+1 1:0.5 3:-2 # more\n\n-1 2:1e1\r\n-1\n+1\t3:4\n"
	for name, text := range map[string]string{"plain": text, "gzip": zipped(text), "BOM": "\xef\xbb\xbf" + text} {
		d, notes, err := readText(text, ReadOptions{})
		if err != nil {
			t.Fatal(name, err)
		}
		must.Equal(t, fmt.Sprintln(name, d.X.Float64s(), d.Labels, d.Classes, d.Task, d.D()),
			name+" [0.5 0 -2 0 10 0 0 0 0 0 0 4] [1 0 0 1] [-1 1] classification 3\n")
		must.Contain(t, strings.Join(notes, "\n"), "holds 2 whole numbers -1 … 1: taken as classes")
	}
	train, _, _ := readText(text, ReadOptions{})
	like := train.Schema()
	// Other rows may have fewer inputs, or more, which are ignored; labels are recognised as in training.
	test, notes, err := readText("-1 1:7 4:1 11:2\n1 2:3 8:1\n", ReadOptions{Schema: &like})
	must.OK(t, err)
	must.Equal(t, fmt.Sprint(test.X.Float64s(), test.Labels, test.D()), "[7 0 0 0 3 0] [0 1] 3")
	must.Contain(t, strings.Join(notes, "\n"),
		"3 values in 2 rows have indices above 3, which the training data do not have: ignored")
	bare := dataset(readText("1:7\n2:3\n", ReadOptions{Schema: &like, TargetOptional: true}))(t)
	must.Equal(t, fmt.Sprint(bare.HasTarget(), bare.N()), "false 2")
	for text, want := range map[string]string{
		"1.5 1:2\n-1 1:3\n":      "regression []",
		"-1 1:2\n-1 1:3\n1 2:1":  "classification [0 0 1]",
		"0 1:2\n1 1:3\n0 1:4\n1": "classification [0 1 0 1]",
		"2 1:2\n1 1:3\n2 1:4\n1": "classification [1 0 1 0]",
	} {
		if d, _, err := readText(text, ReadOptions{}); err != nil || fmt.Sprint(d.Task, " ", d.Labels) != want {
			t.Errorf("%q: %v %v, %v", text, d.Task, d.Labels, err)
		}
	}
	must.Equal(t, dataset(readText("-1 1:2\n1 1:3\n", ReadOptions{Task: "regression"}))(t).Y, []float64{-1, 1})
}

func TestIsLIBSVM(t *testing.T) {
	for text, want := range map[string]bool{
		"1 1:2\n": true, "-1.5\n2 3:4": true, "# c\n\n1 5:6": true, "1:2 3:4": true, "1 qid:3 1:2": true,
		"1 1:2 2:x 3:4": true, "1 a:2\n0 b:2": true, "1:2:3 1:2": true, "NA 1:2\n": true, "a 1:2\n1 1:2\n": true,
		"1 2 3\n": false, "a 1:2\n": false, "1,2:3\n": false, "": false, "date 12:30\n": false,
		"1\n2\n": false, "1 a:2\n0 b": false, "1 10:30:11\n": false, "time\n12:30:11\n": false, "1 2 3:4": false,
	} {
		if isLIBSVM([]byte(text)) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}

func TestBadLIBSVM(t *testing.T) {
	like := Schema{Columns: []string{"a"}, Target: "t", TargetAt: 1, Task: Classification, Classes: []string{"0", "1"}}
	for _, c := range []struct {
		text, want string
		opt        ReadOptions
	}{
		{"1 1:2\n1 3:4 2:5\n", "t.csv:2:7: found the index 2 after 3: indices must rise", ReadOptions{}},
		{"1 1:2\n1 3:4 3:5\n", "t.csv:2:7: found the index 3 twice", ReadOptions{}},
		{"1 1:2\n1 0:4\n", "t.csv:2:3: found the index 0: indices count from 1", ReadOptions{}},
		{"1 1:2\n1 -3:4\n", "t.csv:2:3: found the index -3", ReadOptions{}},
		{"1.5 1.2:2 1:0.3\n", `t.csv:1:5: found "1.2:2": the index of LIBSVM must be a whole number`, ReadOptions{}},
		{"1.5:2 1:2\n0.5:2 1:3\n", `t.csv:1:1: found "1.5:2" where the row's label must be`, ReadOptions{}},
		{"1 1:2\n1 x:4\n", `t.csv:2:3: found "x:4": the index of LIBSVM must be a whole number`, ReadOptions{}},
		{"1 1:2\n1 99999999999:4\n", `t.csv:2:3: found "99999999999:4": the index of LIBSVM must be`, ReadOptions{}},
		{"1 1:2\n1 2:x\n", `t.csv:2:5: found "x" for the index 2, which must be a number`, ReadOptions{}},
		{"1 1:2\n1 2:\n", `t.csv:2:5: found "" for the index 2`, ReadOptions{}},
		{"1 1:2\n1 2:nan\n", `t.csv:2:5: found "nan" for the index 2, only finite`, ReadOptions{}},
		{"1 1:2\n1 2:1e999\n", `t.csv:2:5: found "1e999" for the index 2, which is beyond`, ReadOptions{}},
		{"1 1:2\n1 2:1e101\n", `t.csv:2:5: found "1e101" for the index 2, which is beyond`, ReadOptions{}},
		{"1 1:2\n1 2\n", `t.csv:2:3: found "2": after the label`, ReadOptions{}},
		{"1 1:2\nx 1:2\n", `t.csv:2:1: found "x" for the row's label, which must be a number`, ReadOptions{}},
		{"1 1:2\n1:2\n", `t.csv:2:1: found "1:2" where the row's label must be`, ReadOptions{}},
		{"1 qid:1 1:2\n", `t.csv:1:3: found "qid:1": qid is not supported`, ReadOptions{}},
		{"1 1:2 # x\n" + strings.Repeat("2", 1<<17), "t.csv:2: the line is longer than 64 KiB", ReadOptions{}},
		{"1 1:2\n2 60000:1\n", "t.csv: holds 2 rows with indices up to 60000: rows are kept with their zeros",
			ReadOptions{}},
		{"1 1:2\n" + strings.Repeat("2\n", 1<<17), "t.csv:65536: the file holds more than", ReadOptions{}},
		{zipped("1 1:2\n" + strings.Repeat("1 1:2\n\n\n\n\n", 1<<13))[:100],
			"t.csv: the gzip data end too early", ReadOptions{}},
		{"1 1:2\n2 1:1\n", "t.csv: is a LIBSVM file: its target is the first number", ReadOptions{Target: "1"}},
		{"1 1:2\n5 1:1\n", `t.csv:2:1: found class 5 in the target column "t"`, ReadOptions{Schema: &like}},
		{"1 1:2\n1:1\n", "t.csv:2:1: found \"1:1\" where", ReadOptions{Schema: &like}},
	} {
		_, _, err := readText(c.text, c.opt)
		wantError(t, c.text, err, strings.HasPrefix, c.want)
	}
}

// FuzzReadLIBSVM gives any lines after one that makes the file LIBSVM.
func FuzzReadLIBSVM(f *testing.F) {
	for _, s := range []string{"+1 1:0.5 3:-2 # more\n\n-1 2:1e1\r\n", "1:2", "2 7:7 6:1", "1 1:nan"} {
		f.Add([]byte(s))
	}
	like := Schema{Columns: []string{"a", "b"}, Target: "target", TargetAt: 2, Task: Classification,
		Classes: []string{"0", "1"}}
	f.Fuzz(func(t *testing.T, text []byte) {
		lim := limits{text: 1 << 20, record: 1 << 14, cells: 1 << 14}
		for _, opt := range []ReadOptions{{}, {Schema: &like, TargetOptional: true}} {
			d, _, err := read("f", bytes.NewReader(append([]byte("1 1:2\n"), text...)), opt, lim)
			checkFuzzed(t, d, err)
		}
	})
}

// An index far beyond all values takes no memory.
func TestLIBSVMNearlyAllZeros(t *testing.T) {
	_, _, err := read("t.svm", strings.NewReader("1 100000000:1\n0 1:2\n"), ReadOptions{}, fileLimits())
	wantError(t, "", err, strings.Contains, "holds 2 rows with indices up to 100000000")
}

func TestRowLocation(t *testing.T) {
	svm := dataset(readText("# c\n1 1:2\n0 1:3\n", ReadOptions{}))(t)
	must.Equal(t, svm.RowLocation(1), "t.csv:3")
	must.Equal(t, (&Dataset{Path: "x"}).RowLocation(1), "x: row 2")
}
