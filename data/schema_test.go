package data

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/internal/stats"
)

const flats = "area,town,floor,price\n50,Rome,1,3\n60,Oslo,2,4\n70,Rome,ground,5.5\n"

func TestOneHot(t *testing.T) {
	d, notes, err := readText(flats, ReadOptions{TableOptions: TableOptions{OneHot: true}})
	must.OK(t, err)
	must.Equal(t, strings.Join(d.Columns, " "), "area town=Oslo town=Rome floor=1 floor=2 floor=ground")
	must.Equal(t, fmt.Sprint(d.X.Float64s(), d.Y), "[50 0 1 1 0 0 60 1 0 0 1 0 70 0 1 0 0 1] [3 4 5.5]")
	all := strings.Join(notes, "\n")
	must.Contain(t, all, `warning: t.csv:4:9: found "ground" in column "floor"`,
		`column "town" is text and becomes 2 inputs, one for each of "Oslo", "Rome"`)
	like := throughJSON(t, d)
	for text, want := range map[string]string{
		"floor,area,town\nground,1,Oslo\n": "[1 1 0 0 0 1]", // by name
		"1,Rome,2\n2,Oslo,1\n":             "[1 0 1 0 1 0]", // by position
		flats:                              "[50 0 1 1 0 0]",
	} {
		p, _, err := readText(text, ReadOptions{Schema: like, TargetOptional: true})
		if (err == nil) != (want != "") || err == nil && fmt.Sprint(p.Row(0)) != want {
			t.Errorf("%q: %v, %v", text, p, err)
		}
	}
	numbers := dataset(readText(small, ReadOptions{TableOptions: TableOptions{OneHot: true}}))(t)
	must.Equal(t, numbers.Fingerprint, dataset(readText(small, ReadOptions{}))(t).Fingerprint)
	must.Equal(t, numbers.Schema().OneHot, nil)
}

// wordTable returns a table with different texts, each repeated.
func wordTable(different, times int) string {
	var b strings.Builder
	b.WriteString("a,b\n")
	for i := range different * times {
		fmt.Fprintf(&b, "w%d,%d.5\n", i%different, i)
	}
	return b.String()
}

func TestBadOneHot(t *testing.T) {
	d := dataset(readText(flats, ReadOptions{TableOptions: TableOptions{OneHot: true}}))(t)
	like := d.Schema()
	var many strings.Builder
	many.WriteString("a,b\n")
	for i := range maxTexts + 2 {
		fmt.Fprintf(&many, "%d,1\n", i)
	}
	many.WriteString("x,1\n")
	for _, c := range []struct {
		text, want string
		opt        ReadOptions
	}{
		{"area,town,floor\n1,,1\n", `t.csv:2:3: empty cell in column "town"`,
			ReadOptions{Schema: &like, TargetOptional: true}},
		{"area,floor\n1,1\n", `t.csv:1: there is no column "town"`, ReadOptions{Schema: &like, TargetOptional: true}},
		{"a,b\nx,1\n,2\n", `t.csv:3:1: cells are missing, in "a" 1`,
			ReadOptions{TableOptions: TableOptions{OneHot: true}}},
		{"a,b\nx,1\nNA,2\n", `t.csv:3:1: cells are missing, in "a" 1`,
			ReadOptions{TableOptions: TableOptions{OneHot: true}}},
		{many.String(), `t.csv:1004:1: found "x" in column "a", whose other cells are numbers`,
			ReadOptions{TableOptions: TableOptions{OneHot: true}}},
		{"1 1:2\n", "t.csv: is a LIBSVM file, not a table of text: leave one-hot out",
			ReadOptions{TableOptions: TableOptions{OneHot: true}}},
	} {
		_, _, err := readText(c.text, c.opt)
		wantError(t, c.text, err, strings.HasPrefix, c.want)
	}
	for _, damaged := range [][]OneHot{{{"town", 1, nil, nil, false}}, {{"town", 1, make([]string, 99), nil, false}},
		{{"town", 1, like.OneHot[0].Values, []string{"x"}, false}, like.OneHot[1]},
		{{"town", 2, like.OneHot[0].Values, nil, false}, like.OneHot[1]}} {
		s := like
		if s.OneHot = damaged; s.Check() == nil {
			t.Errorf("%v passed", damaged)
		}
	}
}

// The most frequent texts are inputs, and the others share one, with those that come later.
func TestRareTexts(t *testing.T) {
	table := wordTable(32, 4) + "w31,0.5\nw30,0.5\n" + strings.Repeat("other,0.5\n", 9)
	ds, notes, err := readText(table, ReadOptions{})
	must.OK(t, err)
	hot := ds.Schema().OneHot[0]
	must.Equal(t, fmt.Sprint(len(hot.Values), hot.Values[:2], hot.Values[24:26], hot.Others),
		"29 [w0 w1] [w30 w31] [other w7 w8 w9]")
	must.Equal(t, len(ds.Columns), 30)
	must.Equal(t, ds.Columns[29], "a=other")
	must.Contain(t, strings.Join(notes, "\n"), `"a" is text and becomes 30 inputs, one for each`,
		`its most frequent texts, and one for the 4 others (--set one-hot=true`)
	like := throughJSON(t, ds)
	got, notes, err := readText("a\nw0\nw9\nnew\nother\n", ReadOptions{Schema: like, TargetOptional: true})
	must.OK(t, err)
	must.Equal(t, len(notes), 1)
	must.Equal(t, notes[0], `warning: t.csv:4:1: "new" in column "a" is not in the training `+
		`data: it counts as other`)
	g := Request{N: 4, Texts: map[string][]string{"a": {"w0", "w9", "new", "other"}}}
	same := must.Get(like.Rows(g))(t)
	must.Equal(t, fmt.Sprint(same.X.Float64s()), fmt.Sprint(got.X.Float64s()))
	must.Equal(t, len(like.NewWords(g)), 1)
	for i, want := range []int{0, 29, 29, 29} {
		if row := got.Row(i); row[want] != 1 || stats.Sum(row) != 1 {
			t.Errorf("row %d is %v, want 1 at %d", i, row, want)
		}
	}
	for _, c := range []struct {
		different, inputs int
		all               bool
	}{{31, 31, false}, {31, 31, true}, {maxTexts + 1, maxTexts + 1, true}, {maxTexts + 1, 31, false}} {
		opt := ReadOptions{TableOptions: TableOptions{OneHot: c.all}}
		if ds, _, err := ReadFile(write(t, "t.csv", wordTable(c.different, 3)), opt); err != nil || ds.D() != c.inputs {
			t.Errorf("%+v: %v, %v", c, ds, err)
		}
	}
}

// The index that pandas writes after the columns of a file is neither the target nor an input, whatever its name.
func TestPandasIndex(t *testing.T) {
	for _, name := range []string{"index.parquet", "index.arrow"} { // pyarrow wrote both for an index called key
		d, _, err := ReadFile(filepath.Join("testdata", name), ReadOptions{})
		if err != nil || d.Target != "y" || !slices.Equal(d.Columns, []string{"a"}) {
			t.Error(name, d, err)
		}
	}
	d, _, err := readText("a,y,__index_level_0__,__index_level_1__\n1,0.5,7,1\n2,1.5,3,1\n4,2.5,90,2\n", ReadOptions{})
	must.OK(t, err)
	must.Equal(t, d.Target, "y")
	must.Equal(t, d.Columns, []string{"a"})
	p := dataset(readText("a\n3\n", ReadOptions{Schema: throughJSON(t, d), TargetOptional: true}))(t)
	must.Equal(t, p.Row(0)[0], 3)
}

// The time to find columns grows with their number, not with its square, also for booleans, dates and numbers that are
// not plain.
func TestManyColumns(t *testing.T) {
	least := map[int]time.Duration{}
	measure := func(n int) {
		s := Schema{Columns: make([]string, n)}
		for i := range s.Columns {
			s.Columns[i] = strconv.Itoa(1000000 + i)
		}
		s.Booleans = slices.Clone(s.Columns)
		for _, name := range s.Columns {
			s.Notations, s.Dates = append(s.Notations, Notation{Column: name}), append(s.Dates, Date{Column: name})
		}
		began := time.Now()
		c := s.FileColumns()
		if took := time.Since(began); least[n] == 0 || took < least[n] {
			least[n] = took
		}
		if len(c) != n || !c[n-1].Boolean || c[0].Notation != &s.Notations[0] || c[0].Date != &s.Dates[0] {
			t.Fatalf("%d columns: %+v", len(c), c[0])
		}
	}
	const few, many = 1000, 32000 // 32 times as many; a square would be 1024
	slow := func() bool { return least[many] >= 256*max(least[few], time.Millisecond/20) }
	for try := 0; try == 0 || try < 20 && slow(); try++ { // load makes one of them slow
		measure(few)
		measure(many)
	}
	if slow() {
		t.Errorf("%v by number of columns", least)
	}
}
