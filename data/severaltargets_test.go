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
		if !reflect.DeepEqual(d.Y, []float64{4, 2, 8, 6, 13, 10}) ||
			!reflect.DeepEqual(d.Columns, []string{"a", "c"}) || d.Row(1)[1] != 7 {
			t.Errorf("%s: inputs %v, targets %v", target, d.Columns, d.Y)
		}
		if d.Target != "d,b" || !reflect.DeepEqual(d.Outputs(), []string{"d", "b"}) ||
			d.Task != Regression || len(notes) != 1 {
			t.Errorf("%s: target %q of %v, task %s, notes %q", target, d.Target, d.Outputs(), d.Task, notes)
		}
		if s := d.Subset([]int{2, 0}); !reflect.DeepEqual(s.Y, []float64{13, 10, 4, 2}) {
			t.Errorf("a subset has the targets %v", s.Y)
		}
		like := d.Schema()
		if err := like.Check(); err != nil {
			t.Error(err)
		}
		for _, other := range []string{"c,b,x,d,a\n3,2,0,4,1\n", "1,2,3,4\n"} {
			got, _, err := readText(other, ReadOptions{Schema: &like})
			if err != nil || !reflect.DeepEqual(got.Y, []float64{4, 2}) || got.Row(0)[0] != 1 ||
				got.Row(0)[1] != 3 || !reflect.DeepEqual(got.Schema(), like) {
				t.Errorf("%q: %+v, %v", other, got, err)
			}
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
	d, _, err := readText(x, ReadOptions{Target: "3,1"})
	if err != nil || !reflect.DeepEqual(d.Y, []float64{3, 1, 6, 4, 10, 7}) || d.Row(2)[0] != 8 ||
		!reflect.DeepEqual(d.Outputs(), []string{"x2", "x0"}) {
		t.Fatalf("%+v, %v", d, err)
	}
	like := d.Schema()
	if again, _, err := readText(x, ReadOptions{Schema: &like}); err != nil || !reflect.DeepEqual(again.Y, d.Y) {
		t.Errorf("%+v, %v", again, err)
	}
	t.Chdir(folderOf(t, map[string]string{"x.npy": x, "y.npy": y, "both.npz": zipOf("x.npy", x, "y.npy", y)}))
	for _, file := range []string{"x.npy", "both.npz"} {
		d, _, err := ReadFile(file, ReadOptions{})
		if err != nil || !reflect.DeepEqual(d.Y, []float64{1, 2, 3, 4, 5, 7}) || d.D() != 3 || d.Target != "y0,y1" {
			t.Fatalf("%+v, %v", d, err)
		}
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
