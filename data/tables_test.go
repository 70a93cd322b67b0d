package data

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// throughJSON returns a schema as a model file keeps it.
func throughJSON(t *testing.T, d *Dataset) *Schema {
	t.Helper()
	text := must.Get(json.Marshal(d.Schema()))(t)
	var s Schema
	if err := json.Unmarshal(text, &s); err != nil || s.Check() != nil || !reflect.DeepEqual(s, d.Schema()) {
		t.Fatalf("%s: %v, %v", text, err, s.Check())
	}
	return &s
}

func near(a, b, tol float64) bool { return math.Abs(a-b) <= tol*math.Max(1, math.Abs(b)) }

// Missing numbers become the median of the training rows alone, in test rows and in others, too.
func TestImpute(t *testing.T) {
	dir := t.TempDir()
	train, test := dir+"/train.csv", dir+"/test.csv"
	os.WriteFile(train, []byte("a,c,y\n1,u,0.5\n,v,1.5\n3,NA,2.5\n8,u,3.5\n"), 0o644)
	os.WriteFile(test, []byte("a,c,y\n100,u,0.5\n,,1.5\n100,v,?\n"), 0o644)
	a, b, notes, err := Load(Source{Data: train, Test: test,
		ReadOptions: ReadOptions{TableOptions: TableOptions{Missing: MissingImpute}}})
	must.OK(t, err)
	must.Equal(t, fmt.Sprint(a.Columns, a.X.Float64s(), b.X.Float64s(), b.Y), "[a a=missing c=u c=v c=missing] "+
		"[1 0 1 0 0 3 1 0 1 0 3 0 0 0 1 8 0 1 0 0] [100 0 1 0 0 3 1 0 0 1] [0.5 1.5]")
	must.Contain(t, strings.Join(notes, "\n"),
		`missing cells are filled in with medians, and an input tells where, in "a" 1, "c" 1`,
		"test.csv: 1 row without a target left out, 2 stay")
	like := throughJSON(t, a)
	p := dataset(readText("c,a\n?,?\n", ReadOptions{Schema: like, TargetOptional: true}))(t)
	must.Equal(t, fmt.Sprint(p.X.Float64s()), "[3 1 0 0 1]")
	folds, held, _,
		err := Load(Source{Data: train, Folds: 2, Fold: 1,
		ReadOptions: ReadOptions{TableOptions: TableOptions{Missing: MissingImpute}}})
	must.OK(t, err)
	must.Equal(t, folds.N(), 2)
	must.Equal(t, held.N(), 2)
	for _, ds := range []*Dataset{folds, held} {
		for _, v := range ds.X.Float64s() {
			if v != v {
				t.Errorf("NaN in %v", ds.X.Float64s())
			}
		}
	}
	// None in training and one later: the median is there, and no input tells where.
	full, _,
		_ := readText("a,y\n1,0.5\n5,1.5\n7,2.5\n", ReadOptions{TableOptions: TableOptions{Missing: MissingImpute}})
	impute(full)
	q := dataset(readText("a\nNA\n", ReadOptions{Schema: throughJSON(t, full), TargetOptional: true}))(t)
	must.Equal(t, q.X.Float64s(), []float64{5})
}

// A class whose rows are all left out is an error that says why, whatever the seed.
func TestClassLeftOut(t *testing.T) {
	for _, c := range []struct {
		text string
		opt  TableOptions
	}{
		{"a,w,y\n1,1,p\n2,1,q\n,1,r\n4,1,p\n5,1,q\n,1,r\n", TableOptions{Missing: MissingDrop}},
		{"a,w,y\n1,1,p\n2,1,q\n3,0,r\n4,1,p\n5,1,q\n6,0,r\n", TableOptions{Roles: RowRoles{Weights: "w"}}},
	} {
		_, _, err := readText(c.text, ReadOptions{TableOptions: c.opt})
		const want = `t.csv: all rows of class "r" of the target column "y" are left out`
		wantError(t, c.text, err, strings.HasPrefix, want)
	}
}

// Columns that are left out are reported, and are not looked for in other rows, by name or by position.
func TestLeftOutColumns(t *testing.T) {
	var named, bare strings.Builder
	named.WriteString(",name,a,empty,b,y\n")
	for i := range 12 {
		row := fmt.Sprintf("%d,n%d,%d,,%d.5,%d.25\n", i, i, i*i, i, i)
		named.WriteString(row)
		bare.WriteString(row)
	}
	d, notes, err := readText(named.String(), ReadOptions{})
	must.OK(t, err)
	must.Equal(t, fmt.Sprintln(d.Columns, d.ID(), d.IDs()[:2]), "[a b] name [n0 n1]\n")
	must.Equal(t, strings.Count(strings.Join(notes, "\n"), "left out"), 3)
	like := throughJSON(t, d)
	for text, want := range map[string]string{
		"b,a\n1,2\n":                       "[2 1] []",
		"name,b,a,y\nZoe,1,2,3\n":          "[2 1] [Zoe]",
		"7,Zoe,2,,1,3\n":                   "[2 1] [Zoe]",
		"7,Zoe,2,,1\n":                     "[2 1] [Zoe]",
		"2,1\n":                            "[2 1] []",
		"empty,b,a,extra\n,1,2,9\n":        "[2 1] []",
		"column 1,b,a\n5,1,2\n":            "[2 1] []",
		"name;a;b\nZoe;2,0;1\n":            "[2 1] [Zoe]",
		"# a comment\nname|b|a\nZoe|1|2\n": "[2 1] [Zoe]",
	} {
		p, _, err := readText(text, ReadOptions{Schema: like, TargetOptional: true})
		if err != nil || fmt.Sprint(p.X.Float64s(), p.IDs()) != want {
			t.Errorf("%q: %v, %v, want %s", text, p, err, want)
		}
	}
	headless := dataset(readText(bare.String(), ReadOptions{}))(t)
	must.Equal(t, fmt.Sprintln(headless.Columns, headless.ID()), "[x0 x2 x4] x1\n")
	p := dataset(readText("7,Zoe,2,,1\n", ReadOptions{Schema: throughJSON(t, headless), TargetOptional: true}))(t)
	must.Equal(t, fmt.Sprint(p.Row(0), p.IDs()), "[7 2 1] [Zoe]")
	wantError(t, "",
		errorOf(readText("7,Zoe,2,1\n", ReadOptions{Schema: throughJSON(t, headless), TargetOptional: true})),
		strings.Contains, "a target and 2 columns left out")
}

// How a table is written is found out; the same values are read from each.
func TestDialects(t *testing.T) {
	const plain = "a,b,y\n1.5,2,0.25\n-3.5,4,0.75\n10.5,6,1.5\n"
	want := dataset(readText(plain, ReadOptions{}))(t)
	swap := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(plain) }
	for name, c := range map[string]struct {
		text string
		opt  Dialect
	}{
		"decimal commas":        {swap(",", ";", ".", ","), Dialect{}},
		"and tabs":              {swap(",", "\t", ".", ","), Dialect{}},
		"pipes":                 {swap(",", "|"), Dialect{}},
		"blanks":                {swap(",", "   ", "-", " -"), Dialect{}},
		"blanks and commas":     {swap(",", " ", ".", ","), Dialect{Separator: "space", Decimal: "comma"}},
		"colons":                {swap(",", ":"), Dialect{Separator: ":"}},
		"comments":              {"# made today\n" + strings.Replace(plain, "-3", "# more\n-3", 1), Dialect{}},
		"a header in a comment": {"# " + plain, Dialect{}},
	} {
		got, _, err := readText(c.text, ReadOptions{TableOptions: TableOptions{Dialect: c.opt}})
		if err != nil || got.Fingerprint != want.Fingerprint {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	for text, header := range map[string]bool{
		"5.1,3.5,setosa\n4.9,3.0,setosa\n7.0,3.2,virginica\n":     false,
		"a,b,kind\n5.1,3.5,setosa\n4.9,3.0,setosa\n":              true,
		"town,kind\nRome,old\nOslo,new\nRome,new\n":               true,
		"Rome,old,1\nOslo,new,2\nRome,new,3\n":                    false,
		"39, Gov, 2.5\n50, Own, 3.5\n38, Own, 4.5\n":              false,
		"#ff0000,1,2.5\n#00ff00,2,3.5\n#ff0000,3,4.5\n":           false,
		"colour,x,y\n#ff0000,1,2.5\n#00ff00,2,3.5\n#ff0000,3,4\n": true,
	} {
		d, _, err := readText(text, ReadOptions{})
		if err != nil || (d.N() == strings.Count(text, "\n")-1) != header {
			t.Errorf("%q: %v, %v", text, d, err)
		}
	}
}

// A row that starts with # is no comment, also where a cell in quotes holds separators, or blanks align the cells.
func TestHashInRows(t *testing.T) {
	for _, text := range []string{
		"place,note,y\nA 1,old,2.5\n#12,\"new, red\",3.5\nB 2,old,4.5\n",
		"colour   x    y\nred      1  2.5\n#00ff00  2  3.5\nblue     3  4.5\n",
	} {
		d, _, err := readText(text, ReadOptions{})
		if err != nil || fmt.Sprint(d.Y) != "[2.5 3.5 4.5]" {
			t.Errorf("%q: %v, %v", text, d, err)
		}
	}
}

// The column that numbers the rows may be called #, whatever separates the names.
func TestHashAsName(t *testing.T) {
	const text = "#,x,y\n1,2,0.5\n2,4,1.5\n3,7,2.5\n"
	for _, separator := range []string{",", ";", "\t"} {
		d, _, err := readText(strings.ReplaceAll(text, ",", separator), ReadOptions{})
		if err != nil || fmt.Sprintln(d.Columns, d.Target) != "[x] y\n" {
			t.Errorf("%q: %v, %v", separator, d, err)
		}
	}
	d, _, err := readText("#\ta\tb\tvolt\n1\t3\t0.5\n2\t5\t1.5\n4\t9\t2.5\n", ReadOptions{})
	if err != nil || fmt.Sprintln(d.Columns, d.Target) != "[a b] volt\n" {
		t.Errorf("a tab after #: %v, %v", d, err)
	}
}

// A note tells of a first row that may have the names that pandas makes up, unless a user has spoken.
func TestNumbersForNames(t *testing.T) {
	const rows = "\n5.1,3.5,1.4,a\n4.9,3.1,1.5,a\n7.5,3.2,4.7,b\n6.5,3.3,4.5,b\n"
	for first, want := range map[string]bool{"0,1,2,kind": true, "0,1,2,a": true, "0,1,3,a": false,
		"x,1,2,kind": false} {
		_, notes, err := readText(first+rows, ReadOptions{})
		if err != nil || strings.Contains(strings.Join(notes, "\n"), "--set header=yes takes it as names") != want {
			t.Errorf("%s: %q, %v", first, notes, err)
		}
	}
	like := dataset(readText("p,q,r,kind"+rows, ReadOptions{}))(t).Schema()
	for text, opt := range map[string]ReadOptions{
		"0,1,2\n5.1,3.5,1.4\n":           {Schema: &like, TargetOptional: true},
		"0,1,2,kind\n1,2,3,a\n4,2,1,b\n": {},
	} {
		_, notes, err := readText(text, opt)
		if err != nil || !strings.Contains(strings.Join(notes, "\n"), "--set header=yes takes it as names") {
			t.Errorf("%q: %q, %v", text, notes, err)
		}
	}
	d, notes, err := readText("0,1,2,kind"+rows,
		ReadOptions{TableOptions: TableOptions{Dialect: Dialect{Header: "yes"}}})
	if err != nil || d.N() != 4 || d.Target != "kind" || strings.Contains(strings.Join(notes, "\n"), "takes it") {
		t.Errorf("%v, %q, %v: want 4 rows of kind", d, notes, err)
	}
}

// A note tells of a first row of years or wavelengths, too, where no row below counts up.
func TestStepsForNames(t *testing.T) {
	for _, c := range []struct {
		text string
		want bool
	}{
		{"country,2018,2019,2020\nFrance,1.5,2.5,2\nSpain,3.5,4,1\n", true},
		{"500,500.5,501,501.5\n0.1,0.25,0.5,1.5\n0.2,0.5,0.5,2.5\n", true},
		{"1,2,3\n2,3,4\n4,5,7.5\n", false},
		{"country,2018,2019,2021\nFrance,1.5,2.5,2\nSpain,3.5,4,1.5\n", false},
	} {
		_, notes, err := readText(c.text, ReadOptions{})
		if err != nil || strings.Contains(strings.Join(notes, "\n"), "--set header=yes takes it as names") != c.want {
			t.Errorf("%q: %q, %v", c.text, notes, err)
		}
	}
}

// Of a wide table no more is remembered than decides; what its columns become is the same.
func TestWideTable(t *testing.T) {
	var b strings.Builder
	width := wideTable + 5
	for i := range 60 {
		for j := range width {
			fmt.Fprintf(&b, "%d.5,", i*j)
		}
		fmt.Fprintf(&b, "%d\n", i%3)
	}
	d := dataset(read("t.csv", strings.NewReader(b.String()), ReadOptions{}, fileLimits()))(t)
	must.Equal(t, d.D(), width)
	must.Equal(t, len(d.Classes), 3)
}

// Of a single column with decimal commas, the comma may not part cells.
func TestCommaOfSingleColumn(t *testing.T) {
	d, _, err := readText("a;y\n1,25;2,5\n3,5;4,5\n", ReadOptions{})
	must.OK(t, err)
	schema := d.Schema()
	opt := ReadOptions{Schema: &schema, TargetOptional: true}
	wantError(t, "", errorOf(readText("a\n1,25\n", opt)), strings.HasSuffix,
		`if "," does not part them, give another separator, such as --set separator=';'`)
	opt.Dialect.Separator = ";"
	must.Equal(t, dataset(readText("a\n1,25\n", opt))(t).X.Float64s()[0], 1.25)
}

// A column without a name is called by its number, not by a name in quotes.
func TestNamelessColumn(t *testing.T) {
	_, notes, err := readText("a,,y\n1,,0.5\n2,,1.5\n", ReadOptions{})
	must.OK(t, err)
	must.Contain(t, strings.Join(notes, "\n"), "t.csv: column 2 is empty: left out")
}

// A description fills missing cells in, and tells that training needs the option.
func TestDescriptionOfMissingCells(t *testing.T) {
	_, notes, err := readText("a,y\n1,0.5\n,1.5\n7,2.5\n", ReadOptions{Describe: true})
	must.OK(t, err)
	must.Contain(t, strings.Join(notes, "\n"), `in "a" 1 (train needs --missing impute or drop)`)
}

// Other rows of a model are read by its tokens, and have no advice to change them.
func TestTokensHint(t *testing.T) {
	d, notes, err := readText(">a\nACGT\n>b\nGGT\n", ReadOptions{})
	must.OK(t, err)
	must.Contain(t, strings.Join(notes, "\n"), "(--set tokens changes it)")
	schema := d.Schema()
	_, notes, err = readText(">a\nACGT\n", ReadOptions{Schema: &schema})
	must.OK(t, err)
	if all := strings.Join(notes, "\n"); strings.Contains(all, "tokens") {
		t.Error(all)
	}
}

// A file for a model has no advice to change a column, or the options of training.
func TestRemedyOfModel(t *testing.T) {
	d, _, err := readText("a,day,y\n1,2024-02-28,2.5\n3,2024-02-29,4.5\n", ReadOptions{})
	must.OK(t, err)
	schema := d.Schema()
	for cells, want := range map[string]string{
		"foo,2024-02-28,1": "which must be a number: ", "1e300,2024-02-28,1": "which is beyond ±1e+100: ",
		"1,2024-02-31,1": "in a form such as 2020-12-31 23:59: ", "1,2024-02-28,foo": "which must be a number: ",
	} {
		want += "correct it or remove the row"
		if _, _, err := readText("a,day,y\n"+cells+"\n", ReadOptions{Schema: &schema}); err == nil ||
			!strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v, expected %s", cells, err, want)
		}
	}
}
