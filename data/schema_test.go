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
		{"area,floor\n1,1\n", `t.csv:1: column "town" is missing`, ReadOptions{Schema: &like, TargetOptional: true}},
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
	for _, damaged := range [][]OneHot{{{"town", 1, nil, nil, false, false}},
		{{"town", 1, make([]string, 99), nil, false, false}}, {{"town", 1, []string{"a"}, []string{"b"}, false, true}},
		{{"town", 1, like.OneHot[0].Values, []string{"x"}, false, false}, like.OneHot[1]},
		{{"town", 2, like.OneHot[0].Values, nil, false, false}, like.OneHot[1]}} {
		s := like
		if s.OneHot = damaged; s.Check() == nil {
			t.Errorf("%v passed", damaged)
		}
	}
}

// With one-hot, the most frequent texts are inputs, and the others share one, with those that come later.
func TestRareTexts(t *testing.T) {
	const last = maxTexts - 1 // number of the input of the others, since the text "other" is one of them
	table := wordTable(maxTexts+1, 2) + strings.Repeat("other,0.5\n", 9)
	ds, notes, err := ReadFile(write(t, "t.csv", table), ReadOptions{TableOptions: TableOptions{OneHot: true}})
	must.OK(t, err)
	hot := ds.Schema().OneHot[0]
	must.Equal(t, fmt.Sprint(len(hot.Values), hot.Values[:2], hot.Others), "999 [w0 w1] [other w998 w999]")
	must.Equal(t, len(ds.Columns), last+1)
	must.Equal(t, ds.Columns[last], "a=other")
	must.Contain(t, strings.Join(notes, "\n"), `"a" is text and becomes 1000 inputs, one for each`,
		`its most frequent texts, and one for the 3 others`)
	got := predicted(t, ds, []string{"w0", "w999", "new", "other"}, "it counts as other")
	for i, want := range []int{0, last, last, last} {
		if row := got.Row(i); row[want] != 1 || stats.Sum(row) != 1 {
			t.Errorf("row %d is %v, want 1 at %d", i, row, want)
		}
	}
}

// predicted reads words of the column a from a file and from a request, like a data set. The third one is new.
func predicted(t *testing.T, ds *Dataset, words []string, becomes string) *Dataset {
	t.Helper()
	like := throughJSON(t, ds)
	got, notes, err := readText("a\n"+strings.Join(words, "\n")+"\n", ReadOptions{Schema: like, TargetOptional: true})
	must.OK(t, err)
	must.Equal(t, len(notes), 1)
	must.Equal(t, notes[0], fmt.Sprintf("warning: t.csv:4:1: %q in column \"a\" is not in the training data: %s",
		words[2], becomes))
	g := Request{N: len(words), Texts: map[string][]string{"a": words}}
	same := must.Get(like.Rows(g))(t)
	must.Equal(t, fmt.Sprint(same.X.Float64s()), fmt.Sprint(got.X.Float64s()))
	must.Equal(t, len(like.UnknownWords(g)), 1)
	return got
}

// The texts of a column are numbered if they are more than 30, beside enough rows for the columns.
func TestNumberedTexts(t *testing.T) {
	ds, notes, err := readText(wordTable(31, 3), ReadOptions{})
	must.OK(t, err)
	must.Equal(t, fmt.Sprint(ds.Columns, ds.Schema().NumberedWords()[0].Words[:3]), "[a] [w0 w1 w10]")
	must.Contain(t, strings.Join(notes, "\n"), `"a" is text and becomes the effect of each of its 31 texts on the `+
		`target (--set one-hot=true makes an input of each)`)
	got := predicted(t, ds, []string{"w1", "w10", "new", "w9"}, "the prediction allows for the effect of any word")
	must.Equal(t, fmt.Sprint(got.X.Float64s()), "[1 2 -1 30]")

	other := dataset(readText(strings.ReplaceAll(wordTable(31, 3), "w", "v"), ReadOptions{}))(t)
	if other.Fingerprint == ds.Fingerprint {
		t.Error("other words have the same fingerprint")
	}
	columns := func(more int) string { // the words beside more columns
		table := strings.ReplaceAll(wordTable(31, 3), ",", strings.Repeat(",0", more)+",")
		for i := range more {
			table = strings.Replace(table, ",0", fmt.Sprint(",c", i), 1)
		}
		return table
	}
	for _, c := range []struct {
		table  string
		oneHot bool
		inputs int
	}{{wordTable(31, 3), true, 31}, {wordTable(30, 3), false, 30}, {wordTable(maxTexts+1, 3), true, maxTexts + 1},
		{wordTable(maxTexts+1, 3), false, 1}, {columns(9), false, 10}, {columns(99), false, 130}} {
		opt := ReadOptions{TableOptions: TableOptions{OneHot: c.oneHot}}
		ds, _, err := ReadFile(write(t, "t.csv", c.table), opt)
		if err != nil || ds.D() != c.inputs {
			t.Errorf("%d bytes: %v, %v", len(c.table), ds, err)
		}
	}
	missing := strings.Replace(wordTable(31, 3), "w0,0.5", ",0.5", 1)
	imputed := dataset(readText(missing, ReadOptions{TableOptions: TableOptions{Missing: MissingImpute}}))(t)
	must.Equal(t, fmt.Sprint(imputed.Columns, imputed.Row(0), imputed.Row(1)), "[a a=missing] [-1 1] [1 0]")
	must.OK(t, imputed.Schema().Check())
}

// The index that pandas writes after the columns of a file is not the target. With a name it is an input, as in CSV.
func TestPandasIndex(t *testing.T) {
	for _, name := range []string{"index.parquet", "index.arrow"} { // pyarrow wrote both for an index called key
		d, _, err := ReadFile(filepath.Join("testdata", name), ReadOptions{})
		if err != nil || d.Target != "y" || !slices.Equal(d.Columns, []string{"a", "key"}) {
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
