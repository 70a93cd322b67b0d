package data

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

const flats = "area,town,floor,price\n50,Rome,1,3\n60,Oslo,2,4\n70,Rome,ground,5.5\n"

func TestOneHot(t *testing.T) {
	d, notes, err := readText(flats, ReadOptions{TableOptions: TableOptions{OneHot: true}})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(d.Columns, " "); got != "area town=Oslo town=Rome floor=1 floor=2 floor=ground" {
		t.Error(got)
	}
	if got := fmt.Sprint(d.X.Float64s(), d.Y); got != "[50 0 1 1 0 0 60 1 0 0 1 0 70 0 1 0 0 1] [3 4 5.5]" {
		t.Error(got)
	}
	if all := strings.Join(notes, "\n"); !strings.Contains(all,
		`column "town" is text and becomes 2 inputs, one for each of "Oslo", "Rome"`) {
		t.Error(all)
	}
	text, _ := json.Marshal(d.Schema())
	var like Schema
	if err := json.Unmarshal(text, &like); err != nil || like.Check() != nil || !reflect.DeepEqual(like, d.Schema()) {
		t.Fatal(like, err, like.Check())
	}
	for text, want := range map[string]string{
		"floor,area,town\nground,1,Oslo\n": "[1 1 0 0 0 1]", // by name
		"1,Rome,2\n2,Oslo,1\n":             "[1 0 1 0 1 0]", // by position
		flats:                              "[50 0 1 1 0 0]",
	} {
		p, _, err := readText(text, ReadOptions{Like: &like, TargetOptional: true})
		if (err == nil) != (want != "") || err == nil && fmt.Sprint(p.Row(0)) != want {
			t.Errorf("%q: %v, %v", text, p, err)
		}
	}
	numbers, _, err := readText(small, ReadOptions{TableOptions: TableOptions{OneHot: true}})
	plain, _, _ := readText(small, ReadOptions{})
	if err != nil || numbers.Fingerprint != plain.Fingerprint || numbers.Schema().OneHot != nil {
		t.Error(numbers, err)
	}
}

// wordTable is a table with different texts, each repeated.
func wordTable(different, times int) string {
	var b strings.Builder
	b.WriteString("a,b\n")
	for i := range different * times {
		fmt.Fprintf(&b, "w%d,%d.5\n", i%different, i)
	}
	return b.String()
}

func TestBadOneHot(t *testing.T) {
	d, _, err := readText(flats, ReadOptions{TableOptions: TableOptions{OneHot: true}})
	if err != nil {
		t.Fatal(err)
	}
	like := d.Schema()
	var many strings.Builder
	many.WriteString("a,b\n")
	for i := range mostTexts + 2 {
		fmt.Fprintf(&many, "%d,1\n", i)
	}
	many.WriteString("x,1\n")
	for _, c := range []struct {
		text, want string
		opt        ReadOptions
	}{
		{"area,town,floor\n1,,1\n", `t.csv:2:3: empty cell in column "town"`,
			ReadOptions{Like: &like, TargetOptional: true}},
		{"area,floor\n1,1\n", `t.csv:1: there is no column "town"`, ReadOptions{Like: &like, TargetOptional: true}},
		{"a,b\nx,1\n,2\n", `t.csv:3:1: cells are missing, in "a" 1`,
			ReadOptions{TableOptions: TableOptions{OneHot: true}}},
		{"a,b\nx,1\nNA,2\n", `t.csv:3:1: cells are missing, in "a" 1`,
			ReadOptions{TableOptions: TableOptions{OneHot: true}}},
		{many.String(), `t.csv:1004:1: found "x" in column "a", whose other cells are numbers`,
			ReadOptions{TableOptions: TableOptions{OneHot: true}}},
		{wordTable(31, 4), `t.csv:2:1: found "w0" in column "a", which has 31 different texts in 124 rows: ` +
			`--set one-hot=true makes an input of each, --ignore a leaves the column out`, ReadOptions{}},
		{wordTable(mostTexts+1, 3),
			`t.csv:2:1: found "w0" in column "a", which has 1001 different texts in 3003 rows: at most 1000 can be ` +
				`inputs`, ReadOptions{TableOptions: TableOptions{OneHot: true}}},
		{"1 1:2\n", "t.csv: is a LIBSVM file, not a table of text: leave one-hot out",
			ReadOptions{TableOptions: TableOptions{OneHot: true}}},
	} {
		_, _, err := readText(c.text, c.opt)
		var e *Error
		if !errors.As(err, &e) || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%.40q:\n got %v\nwant %s", c.text, err, c.want)
		}
	}
	for _, damaged := range [][]OneHot{{{"town", 1, nil, false}}, {{"town", 1, make([]string, 99), false}},
		{{"town", 2, like.OneHot[0].Values, false}, like.OneHot[1]}} {
		s := like
		if s.OneHot = damaged; s.Check() == nil {
			t.Errorf("%v passed", damaged)
		}
	}
}
