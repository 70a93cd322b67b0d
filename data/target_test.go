package data

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// withTarget returns a table with one input and the given targets.
func withTarget(y ...string) string {
	var b strings.Builder
	b.WriteString("x,y\n")
	for i, v := range y {
		fmt.Fprintf(&b, "%d.5,%s\n", i, v)
	}
	return b.String()
}

func TestTaskIsFound(t *testing.T) {
	many := make([]string, 44)
	for i := range many {
		many[i] = fmt.Sprint(i / 2)
	}
	var counts []string // the number k in 24 − 2k rows
	for k := range 12 {
		counts = append(counts, slices.Repeat([]string{fmt.Sprint(k)}, 24-2*k)...)
	}
	for _, c := range []struct {
		y           []string
		wantClasses string // "" for regression
		wantNote    string
	}{
		{[]string{"0", "1", "1", "0"}, "0 1", `t.csv: target column "y" holds 2 whole numbers 0 … 1: taken as classes`},
		{[]string{"2.0", "1", "3e0", "1", "2", "3"}, "1 2 3", "3 whole numbers 1 … 3"},
		{[]string{"0", "1", "1", "0.5"}, "", "holds numbers that are not whole (0.5): task regression"},
		{[]string{"0", "2", "2", "0"}, "0 2",
			"2 whole numbers 0 … 2: taken as classes (--task regression for numbers)"},
		{[]string{"3", "4", "3", "4"}, "3 4", "2 whole numbers 3 … 4: taken as classes"},
		{[]string{"-1", "1", "-1", "1"}, "-1 1", "taken as classes"},
		{[]string{"1", "-1"}, "-1 1", "taken as classes"},
		{[]string{"1", "2", "3", "5", "6", "7", "1", "2", "3", "5", "6", "7"}, "1 2 3 5 6 7",
			"6 whole numbers 1 … 7: taken as classes"},
		{[]string{"3", "4", "5", "3", "4", "5"}, "",
			"3 whole numbers 3 … 5: taken as numbers (--task classification for classes)"},
		{[]string{"0", "10", "20", "0", "10", "20"}, "",
			"3 whole numbers 0 … 20: taken as numbers (--task classification for classes)"},
		{[]string{"1", "2", "3"}, "", "3 different whole numbers in 3 rows: taken as numbers"},
		{[]string{"1", "1"}, "", "the value 1 only"},
		{[]string{"1000000", "20250131", "1000000", "20250131"}, "1000000 20250131",
			"2 whole numbers 1000000 … 20250131: taken as classes"},
		{[]string{"True", "False", "False"}, "False True", `classes "False", "True"`},
		{[]string{"b", "a", "c d"}, "a b c d", `classes "a", "b", "c d"`},
		{many, "", "22 whole numbers 0 … 21: taken as numbers (--task classification for classes)"},
		{many[:40], "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19", "taken as classes"},
		{counts, "",
			"12 whole numbers 0 … 11, large ones rarely: taken as numbers (--task classification for classes)"},
		{counts[:len(counts)-2], "0 1 2 3 4 5 6 7 8 9 10", "taken as classes"},
	} {
		d, notes, err := readText(withTarget(c.y...), ReadOptions{Task: "auto"})
		if err != nil {
			t.Errorf("%v: %v", c.y, err)
			continue
		}
		if got := strings.Join(d.Classes, " "); got != c.wantClasses || (d.Task == Classification) != (got != "") {
			t.Errorf("%v: %s, classes %q, want %q", c.y, d.Task, got, c.wantClasses)
		}
		if all := strings.Join(notes, "\n"); !strings.Contains(all, c.wantNote) {
			t.Errorf("%v: notes %q lack %q", c.y, all, c.wantNote)
		}
		if (d.Y == nil) != (d.Task == Classification) || (d.Labels == nil) != (d.Task == Regression) {
			t.Errorf("%v: %s with targets %v and labels %v", c.y, d.Task, d.Y, d.Labels)
		}
	}
}

func TestTaskIsGiven(t *testing.T) {
	d, _, err := readText(withTarget("3", "2", "1"), ReadOptions{Task: "classification"})
	if err != nil || fmt.Sprint(d.Labels, d.Classes) != "[2 1 0] [1 2 3]" {
		t.Errorf("labels %v of %v, %v", d.Labels, d.Classes, err)
	}
	d, _, err = readText(withTarget("0", "1", "1", "0"), ReadOptions{Task: "regression"})
	if err != nil || d.Task != Regression || fmt.Sprint(d.Y) != "[0 1 1 0]" {
		t.Errorf("%s %v, %v", d.Task, d.Y, err)
	}
	for want, y := range map[string][]string{
		"[0 1 2 0] 0 0.5 1": {"0", "0.5", "1", "0.0"},
		"[0 1] -1 1":        {"-1", "1"},
		"[0 1] 0 1001":      {"0", "1001"},
		"[2 0 1] 3 5 10":    {"10", "3", "5"},
		"[1 0 2] 10 3 a":    {"3", "10", "a"},
	} {
		d, _, err := readText(withTarget(y...), ReadOptions{Task: "classification"})
		if err != nil || fmt.Sprint(d.Labels)+" "+strings.Join(d.Classes, " ") != want {
			t.Errorf("%v: %v of %v, %v; want %s", y, d.Labels, d.Classes, err, want)
		}
	}
	wantError(t, "", errorOf(readText(withTarget("1", "2", "x"), ReadOptions{Task: "regression"})), strings.HasPrefix,
		`t.csv:4:5: found "x" in the target column "y", which must be a number`)
}

// TestRowsBySchema reads other files by the schema of a training set.
func TestRowsBySchema(t *testing.T) {
	trained := dataset(readText("a,y,b\n1,1,2\n3,2,4\n5,1,6\n7,2,8\n", ReadOptions{Target: "y"}))(t)
	s := trained.Schema()
	for _, c := range []struct{ name, text, want, note string }{
		{"same", "a,y,b\n1,2,3\n", "[1 3] y [1]", ""},
		{"other order, more columns", "id,b,y,a\nn1,3,2,1\n", "[1 3] y [1]",
			`t.csv: not in the training data and ignored: "id"`},
		{"no target", "b,a\n3,1\n", "[1 3]  []", ""},
		{"by position", "1,2,3\n", "[1 3] y [1]", "no header, so its columns are taken in the order"},
		{"by position, no target", "1,3\n", "[1 3]  []", "no header"},
	} {
		d, notes, err := readText(c.text, ReadOptions{Schema: &s, TargetOptional: true})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := fmt.Sprint(d.X.Float64s()) + " " + d.Target + " " + fmt.Sprint(d.Labels); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		if all := strings.Join(notes, "\n"); !strings.Contains(all, c.note) || c.note == "" && all != "" {
			t.Errorf("%s: notes %q, want %q", c.name, all, c.note)
		}
		if d.HasTarget() != strings.Contains(c.want, "y") || len(d.Classes) != 2 || d.Task != Classification {
			t.Errorf("%s: target %q, classes %v", c.name, d.Target, d.Classes)
		}
	}
	for _, c := range []struct {
		name, text, want string
		optional         bool
	}{
		{"no input", "aa,y\n1,1\n",
			`t.csv:1: column "a" is missing: the model was trained with it (did you mean "aa"?); also missing: ` +
				`"b"; the columns here are "aa", "y"`, true},
		{"no inputs", "A,B,y\n1,1,1\n",
			`t.csv:1: column "a" is missing: the model was trained with it (did you mean "A"?); also missing: "b"; ` +
				`the columns here are "A", "B", "y"`, true},
		{"no target", "a,b\n1,2\n", `t.csv:1: column "y" is missing: it is the target of the training data`, false},
		{"width", "1,2,3,4\n", "t.csv: has 4 columns and no header, the training data have 2 inputs, a " +
			"target and 0 columns left out", true},
		{"width without target", "1,2\n", "t.csv: has 2 columns and no header", false},
		{"unseen class", "a,b,y\n1,2,1\n1,2,3\n",
			`t.csv:3:5: found class 3 in the target column "y", which the training data do not have (their classes ` +
				`are "1", "2")`, false},
		{"fraction", "a,b,y\n1,2,1.5\n", `t.csv:2:5: found class 1.5`, false},
		{"text in a used column", "a,b,y\nx,2,1\n", `t.csv:2:1: found "x"`, true},
	} {
		_, _, err := readText(c.text, ReadOptions{Schema: &s, TargetOptional: c.optional})
		wantError(t, c.name, err, strings.HasPrefix, c.want)
	}
	for name, bad := range map[string]Schema{
		"empty":     {},
		"target at": {Columns: []string{"a"}, Target: "y", TargetAt: 2, Task: Regression},
		"task":      {Columns: []string{"a"}, Target: "y", Task: "auto"},
		"classes":   {Columns: []string{"a"}, Target: "y", Task: Classification, Classes: []string{"0", "zero"}},
		"NaN":       {Columns: []string{"a"}, Target: "y", Task: Classification, Classes: []string{"NaN", "NaN"}},
		"twice":     {Columns: []string{"a"}, Target: "y", Task: Classification, Classes: []string{"2", "2"}},
		"unnamed":   {Columns: []string{"a"}, Target: "y", Task: Classification, Classes: []string{"2", ""}},
		"fill": {Columns: []string{"a"}, Target: "y", Task: Regression,
			Fills: []Imputation{{At: 0, Value: math.Inf(1)}}},
		"no class": {Columns: []string{"a"}, Target: "y", Task: Classification},
	} {
		if _, _, err := readText("a,y\n1,2\n", ReadOptions{Schema: &bad}); err == nil {
			t.Errorf("a damaged schema (%s) is accepted", name)
		}
	}
}

// Rows of data may hold the numbers that name the columns. A first row that is taken as names gets a note.
func TestNumbersAsNamesInData(t *testing.T) {
	trained := dataset(readText("0,1,y\n0,1,0.5\n1,0,1.5\n1,1,2.5\n", ReadOptions{}))(t)
	like := ReadOptions{Schema: throughJSON(t, trained), TargetOptional: true}
	d, _, err := readText("1,0\n0,1\n", like)
	if err != nil || fmt.Sprint(d.X.Float64s()) != "[1 0 0 1]" {
		t.Errorf("%v, %v", d, err)
	}
	d, notes, err := readText("1,0\n0,0\n1,1\n", like)
	if err != nil || d.N() != 2 || !strings.Contains(strings.Join(notes, "\n"), "--set header=no reads it as data") {
		t.Errorf("%v, %q, %v", d, notes, err)
	}
}

// Names of columns may be numbers, such as wavelengths: a file without the target is matched by them, too.
func TestNumbersAsNames(t *testing.T) {
	trained := dataset(readText("500,501,502,y\n1,2,3,0.5\n4,5,6.5,1.5\n7,8,9,2.5\n", ReadOptions{}))(t)
	for _, text := range []string{"500,501,502\n1,2,3\n", "502,500,501\n3,1,2\n", "501,note,502,500\n2,x,3,1\n",
		"500,501,502,y\n1,2,3,0.5\n", "1,2,3\n"} {
		d, _, err := readText(text, ReadOptions{Schema: throughJSON(t, trained), TargetOptional: true})
		if err != nil || fmt.Sprint(d.X.Float64s()) != "[1 2 3]" {
			t.Errorf("%q: %v, %v", text, d, err)
		}
	}
}

// A target that is given as text has its cells as classes, and is not a number.
func TestTextTarget(t *testing.T) {
	const table = "x,y\n1,01\n2,NA\n3,7.5\n4,01\n5,7.5\n"
	ds, _, err := readText(table, ReadOptions{TableOptions: TableOptions{Text: "y"}})
	if err != nil || !slices.Equal(ds.Classes, []string{"01", "7.5", "NA"}) ||
		!slices.Equal(ds.Labels, []int32{0, 2, 1, 0, 1}) {
		t.Errorf("%v, %v", ds, err)
	}
	_, _, err = readText(table, ReadOptions{TableOptions: TableOptions{Text: "y"}, Task: "regression"})
	wantError(t, "", err, strings.Contains, "which is text by --set text: a regression needs numbers")
}

// A file without a header has the names of the training data, in its rows that are set aside, too.
func TestNamesByPlace(t *testing.T) {
	trained := dataset(readText("n,a,y,b\n9,1,1,2\n7,3,2,4\n8,5,1,6\n6,7,2,8\n",
		ReadOptions{Target: "y", TableOptions: TableOptions{Ignore: "n"}}))(t)
	for text, want := range map[string]string{"5,1,2,3\n4,5,1,x\n": "n a y b", "5,1,3\n4,5,x\n": "n a b",
		"1,3\n5,x\n": "a b"} {
		var bad []string
		s, err := OpenStream(write(t, "t.csv", text), trained.Schema(), TableOptions{}, ReadControl{},
			func(row BadRow) error {
				bad = append(bad, row.Cells...)
				return nil
			})
		must.OK(t, err)
		defer s.Close()
		rows := must.Get(s.Next(5))(t)
		must.Equal(t, rows.X.Float64s(), []float64{1, 3})
		if !slices.Contains(bad, "x") {
			t.Errorf("%q: the cells of bad rows are %q", text, bad)
		}
		must.Equal(t, strings.Join(s.Columns(), " "), want)
	}
}
