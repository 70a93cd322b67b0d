package data

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// Several target columns are outputs in the order in which they are asked for; other files are read the same way.
func TestSeveralTargets(t *testing.T) {
	const text = "a,b,c,d\n1,2,3,4\n5,6,7,8\n9,10,11,13\n"
	for _, target := range []string{"d,b", "4, 2", "d,2"} {
		d, notes, err := readText(text, ReadOptions{Target: target})
		must.OK(t, err)
		must.Equal(t, d.Y, []float64{4, 2, 8, 6, 13, 10})
		must.Equal(t, d.Columns, []string{"a", "c"})
		must.Equal(t, d.Row(1), []float64{5, 7})
		must.Equal(t, d.Target, "d,b")
		must.Equal(t, d.Outputs(), []string{"d", "b"})
		must.Equal(t, d.Task, Regression)
		must.Equal(t, len(notes), 1)
		must.Equal(t, d.Subset([]int{2, 0}).Y, []float64{13, 10, 4, 2})
		like := d.Schema()
		must.OK(t, like.Check())
		for _, other := range []string{"c,b,x,d,a\n3,2,0,4,1\n", "1,2,3,4\n"} {
			got := dataset(readText(other, ReadOptions{Schema: &like}))(t)
			must.Equal(t, got.Y, []float64{4, 2})
			must.Equal(t, got.Row(0), []float64{1, 3})
			must.Equal(t, got.Schema(), like)
		}
		for _, without := range []string{"c,a\n3,1\n", "a,c,d\n1,3,4\n", "1,3\n"} {
			got, _, err := readText(without, ReadOptions{Schema: &like, TargetOptional: true})
			if err != nil || got.HasTarget() || got.Y != nil {
				t.Errorf("%q: %+v, %v", without, got, err)
			}
		}
		if _, _, err := readText("a,c,d\n1,3,4\n", ReadOptions{Schema: &like}); err == nil ||
			!strings.Contains(err.Error(), `column "b" is missing: it is the target of the training data`) {
			t.Error(err)
		}
	}

	// A name with a comma is itself, and the number of its column among several.
	d, _, err := readText("\"a,b\",c,d\n1,2,3\n4,5,7\n", ReadOptions{Target: "1,c"})
	if err != nil || d.Target != "1,c" || d.Outputs()[0] != "a,b" {
		t.Errorf("%+v, %v", d, err)
	}
	if d, _, err = readText("\"a,b\",c,d\n1,2,3\n4,5,7\n", ReadOptions{Target: "a,b"}); err != nil ||
		d.Targets != nil || d.Y[1] != 4 {
		t.Errorf("%+v, %v", d, err)
	}

	for target, want := range map[string]string{
		"d,d":     `t.csv: has the column "d" among its targets twice: name it once`,
		"a,b,c,d": "t.csv: has no column left beside the 4 targets: at least one input is needed",
		"a,e":     `t.csv: has no column "e" to be the target`,
		"a,":      `t.csv: has no column "" to be the target`,
		"a,7":     "t.csv: has no column number 7 to be the target: columns count from 1 to 4",
	} {
		if _, _, err := readText(text, ReadOptions{Target: target}); err == nil ||
			!strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s:\n got %v\nwant %s", target, err, want)
		}
	}
	for _, c := range []struct{ text, task, want string }{
		{text, "classification", `class labels are in one column: give one of a,d at a time with --target`},
		{strings.Replace(text, "8", "no", 1), "",
			`t.csv:3:7: found "no" in column "d", which must be a number: several targets are numbers, so ` +
				`correct it, or give one of "a", "d" at a time with --target`},
	} {
		if _, _, err := readText(c.text, ReadOptions{Target: "a,d", Task: c.task}); err == nil ||
			!strings.HasSuffix(err.Error(), c.want) {
			t.Error(err)
		}
	}
}

// Arrays hold several targets as columns, or as rows of an array of their own.
func TestSeveralTargetsOfArrays(t *testing.T) {
	x, y := npy("<f8", "3, 3", []float64{1, 2, 3, 4, 5, 6, 7, 8, 10}), npy("<f8", "3, 2", []float64{1, 2, 3, 4, 5, 7})
	d := dataset(readText(x, ReadOptions{Target: "3,1"}))(t)
	must.Equal(t, d.Y, []float64{3, 1, 6, 4, 10, 7})
	must.Equal(t, d.Row(2), []float64{8})
	must.Equal(t, d.Outputs(), []string{"x2", "x0"})
	like := d.Schema()
	if again, _, err := readText(x, ReadOptions{Schema: &like}); err != nil || !reflect.DeepEqual(again.Y, d.Y) {
		t.Errorf("%+v, %v", again, err)
	}
	t.Chdir(folderOf(t, map[string]string{"x.npy": x, "y.npy": y, "both.npz": zipOf("x.npy", x, "y.npy", y)}))
	for _, file := range []string{"x.npy", "both.npz"} {
		d := dataset(ReadFile(file, ReadOptions{}))(t)
		must.Equal(t, d.Y, []float64{1, 2, 3, 4, 5, 7})
		must.Equal(t, d.D(), 3)
		must.Equal(t, d.Target, "y0,y1")
		like := d.Schema()
		if err := like.Check(); err != nil {
			t.Error(err)
		}
		if again, _, err := ReadFile(file, ReadOptions{Schema: &like}); err != nil || !reflect.DeepEqual(again.Y, d.Y) {
			t.Errorf("%+v, %v", again, err)
		}
	}
}

// Targets that are asked for are those of the rows, by names and by numbers.
func TestNamesTargets(t *testing.T) {
	const text = "a,2,y,z\n1,2,0.5,1.5\n2,3,1.5,0.5\n3,5,2.5,3.5\n"
	for _, c := range []struct {
		target string
		is     []string
		no     []string
	}{
		{"y", []string{"y", "3"}, []string{"4", "z", "y,z", "", "3,4"}},
		{"y,z", []string{"y,z", "3,4", "3, z"}, []string{"y", "4,3", "3"}},
		{"a", []string{"1"}, []string{"2"}}, // which is a name
		{"2", []string{"2"}, []string{"1"}},
	} {
		s := dataset(readText(text, ReadOptions{Target: c.target, Task: "regression"}))(t).Schema()
		for _, target := range append(c.is, c.no...) {
			if is := s.NamesTargets(target); is != slices.Contains(c.is, target) {
				t.Errorf("%s for %s: %t", target, c.target, is)
			}
		}
	}
}
