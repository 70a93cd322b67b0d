package data

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// Rows to train on or to test are left out without a target, whatever is said about missing inputs.
func TestNoTarget(t *testing.T) {
	const table = "a,y\n1,\n2,0.5\n3,NA\n,1.5\n"
	for _, c := range []struct{ way, y, want string }{
		{MissingDrop, "[0.5]", "2 rows without a target left out, 1 stay\n" +
			"t.csv: 1 row with missing cells left out, 1 stay"},
		{MissingImpute, "[0.5 1.5]", "2 rows without a target left out, 2 stay"},
	} {
		ds, notes, err := readText(table, ReadOptions{TableOptions: TableOptions{Missing: c.way}})
		must.OK(t, err)
		said := strings.Join(notes, "\n")
		if fmt.Sprint(ds.Y) != c.y || !strings.Contains(said, c.want) || strings.Contains(said, `"y" 2`) {
			t.Errorf("%s: %v %s", c.way, ds.Y, said)
		}
	}
	classes := dataset(readText("a,y\n1,\n2,up\n3,down\n", ReadOptions{}))(t)
	must.Equal(t, fmt.Sprint(classes.Classes, classes.Labels), "[down up] [1 0]")
	dna := "dna,ph,y\nACGT,1,up\nAC,2,\nGG,3,down\n"
	must.Equal(t, dataset(readText(dna, ReadOptions{Sequence: "dna"}))(t).N(), 2)
	like := dataset(readText("a,y\n2,0.5\n3,1.5\n", ReadOptions{}))(t)
	ds, notes, err := readText("a,y\n1,\n2,0.5\n3,NA\n", ReadOptions{Schema: throughJSON(t, like)})
	must.OK(t, err)
	must.Equal(t, fmt.Sprint(ds.Y), "[0.5]")
	must.Equal(t, fmt.Sprint(notes), "[t.csv: 2 rows without a target left out, 1 stay]")
	_, _, err = readText("a,y\n1,\n", ReadOptions{Schema: throughJSON(t, like)})
	wantError(t, "", err, strings.Contains, "has no row that can be used: 0 have the weight 0, 1 lack the target")
}

// Rows of a spreadsheet that are blank lack their target. Their other cells are no missing cells.
func TestRowsOfBlanks(t *testing.T) {
	for _, end := range []string{"", ",", ",,,"} { // separators may end each line
		text := strings.ReplaceAll("a,b,y\n1,2,0.5\n2,3,1.5\n,,\n,,\n", "\n", end+"\n")
		for _, way := range MissingWays() {
			d, notes, err := readText(text, ReadOptions{TableOptions: TableOptions{Missing: way}})
			if err != nil || fmt.Sprint(d.Columns, d.Y) != "[a b] [0.5 1.5]" ||
				strings.Contains(fmt.Sprint(notes), "missing") {
				t.Errorf("%q, %s: %v, %q, %v", text, way, d, notes, err)
			}
		}
	}
}

// NaT of pandas and \N of databases are missing among numbers, dates and words; a word that reads nearly so is one. A
// model that knows them as words reads them so.
func TestMissingWords(t *testing.T) {
	const table = "a,day,kind,y\n\\N,2020-01-03,nat,0.5\n2,NaT,red,1.5\n3,2020-01-04,\\N,2.5\n4,2020-01-05,nat,\\N\n"
	_, notes, err := readText(table, ReadOptions{TableOptions: TableOptions{Missing: MissingImpute}})
	said := strings.Join(notes, "\n")
	must.OK(t, err)
	must.Contain(t, said, `in "a" 1, "day" 1, "kind" 1`, `one for each of "nat", "red"`, "1 row without a target")
	older := InputColumn{Name: "kind", Values: []string{"NaT", "red"}}
	if older.isMissing("NaT") || !older.isMissing("NA") || !older.isMissing(`\N`) {
		t.Error("words of an older model are missing")
	}
}

// true, True, TRUE and 1 are one value of a column of booleans, as input and as target.
func TestBooleans(t *testing.T) {
	ds := dataset(readText("flag,y\nTrue,0.5\nFALSE,1.5\n1,2.5\nfalse,3.5\n", ReadOptions{}))(t)
	must.Equal(t, fmt.Sprint(ds.Columns, ds.X.Float64s()), "[flag] [1 0 1 0]")
	like := throughJSON(t, ds)
	for _, text := range []string{
		"flag\ntrue\n0\n", "{\"flag\": true}\n{\"flag\": \"False\"}\n", "flag\nTRUE\nfalse\n",
	} {
		if got, _, err := readText(text, ReadOptions{Schema: like, TargetOptional: true}); err != nil ||
			fmt.Sprint(got.X.Float64s()) != "[1 0]" {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	must.Equal(t, must.Get(ParseCell("True", slices.Contains(like.Booleans, "flag")))(t), 1)
	const fault = `2" in column "flag", which is true or false, as 1 or 0`
	wantError(t, "", errorOf(readText("flag\n1\n2\n", ReadOptions{Schema: like, TargetOptional: true})),
		strings.Contains, "t.csv:3:1: found \""+fault)
	if _, err := like.Rows(Request{N: 1, Numbers: []float64{2}}); err == nil ||
		!strings.Contains(err.Error(), "row 1: found "+strings.Replace(fault, `"`, "", 1)) {
		t.Error(err)
	}
	counts := dataset(readText("n,y\n0,0.5\n1,1.5\n1,2.5\n0,2\n", ReadOptions{}))(t)
	if _, _, err := readText("n\n2\n", ReadOptions{Schema: throughJSON(t, counts), TargetOptional: true}); err != nil {
		t.Errorf("a number that was 0 or 1 in training: %v", err)
	}
	if ages, _, err := readText("age,y\n31,0.5\n1,1.5\n3,2.5\n", ReadOptions{}); err != nil {
		t.Error(err)
	} else if _, _, err := readText("age\ntrue\n", ReadOptions{Schema: throughJSON(t, ages),
		TargetOptional: true}); err == nil {
		t.Error("true is an age")
	}
	old := Schema{Columns: []string{"flag=False", "flag=True"},
		OneHot: []OneHot{{"flag", 0, []string{"False", "True"}, nil, false, false}},
		Target: "y", TargetAt: 1, Task: Regression}
	of := dataset(readText("{\"flag\": true}\n{\"flag\": false}\n", ReadOptions{Schema: &old, TargetOptional: true}))(t)
	must.Equal(t, of.X.Float64s(), []float64{0, 1, 1, 0})
	classes := dataset(readText("a,y\n1,True\n2,true\n3,FALSE\n5,false\n", ReadOptions{}))(t)
	must.Equal(t, fmt.Sprint(classes.Classes, classes.Labels), "[false true] [1 1 0 0]")
	got, _, err := readText("{\"a\": 1, \"y\": true}\n{\"a\": 2, \"y\": 0}\n",
		ReadOptions{Schema: throughJSON(t, classes)})
	must.OK(t, err)
	must.Equal(t, fmt.Sprint(got.Labels), "[1 0]")
}

// A column of booleans means the same in every format: as an input, as classes and, where the format has it, as a
// number.
func TestTypedBooleans(t *testing.T) {
	lines := func(y string) string {
		return strings.ReplaceAll(`{"flag":true,"y":#}
{"flag":false,"y":false}
{"flag":true,"y":true}
`, "#", y)
	}
	words := dataset(readText("flag,y\ntrue,true\nfalse,false\ntrue,true\n", ReadOptions{}))(t)
	typed, notes, err := readText(lines("true"), ReadOptions{})
	must.OK(t, err)
	must.Equal(t, typed.Schema(), words.Schema())
	must.Equal(t, typed.Fingerprint, words.Fingerprint)
	must.Contain(t, notes[0], `column "flag" is true or false`)
	wantError(t, "",
		errorOf(readText("{\"flag\":2}\n", ReadOptions{Schema: throughJSON(t, typed), TargetOptional: true})),
		strings.Contains, `found "2" in column "flag", which is true or false`)
	x, y := npy("|b1", "3, 1", []byte{1, 0, 1}), npy("|b1", "3,", []byte{1, 0, 1})
	archive := zipOf("x.npy", x, "y.npy", y)
	ds := dataset(readText(archive, ReadOptions{}))(t)
	must.Equal(t, fmt.Sprint(ds.Classes, ds.Labels), "[false true] [1 0 1]")
	for _, text := range []string{archive, zipOf("x.npy", x, "y.npy", npy("|u1", "3,", []byte{1, 0, 1}))} {
		must.Equal(t, dataset(readText(text, ReadOptions{Schema: throughJSON(t, ds)}))(t).Labels, ds.Labels)
	}
	for _, text := range []string{lines("true"), archive} {
		must.Equal(t, dataset(readText(text, ReadOptions{Task: "regression"}))(t).Y, []float64{1, 0, 1})
	}
	if _, _, err := readText("flag,y\n1,true\n2,false\n", ReadOptions{Task: "regression"}); err == nil {
		t.Error("words are numbers")
	}
}

// Each of these cells is a number or an error that names it, and codes stay text.
func TestCells(t *testing.T) {
	rows := func(cells ...string) string {
		text := "x,b,y\n"
		for i := range 12 {
			text += fmt.Sprintf("%s,%d.5,0.%d\n", strings.ReplaceAll(cells[i%len(cells)], "#", fmt.Sprint(i)), i*i%7, i)
		}
		return text
	}
	for _, c := range []struct{ text, columns, err string }{
		{text: rows("−#.5"), columns: "[x b]"},
		{text: rows("01234", "1234"), columns: "[x=01234 x=1234 b]"},
		{text: rows("07", "1.5"), columns: "[x b]"},
		{text: rows("#°C", "1#°C"), columns: "[x b]"},
		{text: rows("#1a", "#2b", "#3c"), columns: "[b]"},
		{text: strings.ReplaceAll(rows("1#;510", "20#;100"), ",", "\t"), columns: "[b]"},
		{text: rows("#.5 kg", "#.5 g"), err: `found "0.5 kg" in column "x", a number with the unit "kg", where ` +
			`others have "g": write numbers alone, read the column as words by --set text=x, or leave it out with ` +
			`--ignore x`},
		{text: rows("1.#10.500"), err: `found "1.010.500"`},
		{text: rows("1’#0"),
			err: "write numbers without signs, read the column as words by --set text=x, or leave it out"},
	} {
		ds, _, err := readText(c.text, ReadOptions{})
		if c.err != "" {
			wantError(t, c.text, err, strings.Contains, c.err)
		} else if err != nil {
			t.Errorf("%.30q: %v", c.text, err)
		} else if got := fmt.Sprint(ds.Columns); got != c.columns {
			t.Errorf("%.30q has the columns %s, expected %s", c.text, got, c.columns)
		}
	}
	wantError(t, "", errorOf(readText("x\tb\ty\n950\t1\t15\n14,510\t1\t25\n", ReadOptions{})), strings.Contains,
		`t.csv:3:1: found "14,510" in column "x"`)
	must.Equal(t, dataset(readText("x\tb\ty\n950\t1\t1,5\n14,510\t1\t2,5\n", ReadOptions{}))(t).Row(1)[0], 14.51)
}

// Weights and offsets that are written as people write numbers are read so in other files, too.
func TestRolesWithNotation(t *testing.T) {
	const text = "x,w,y\n1,\"1,000\",0.5\n2,\"2,500\",1.5\n4,500,2\n7,\"1,500\",3.5\n"
	d := dataset(readText(text, ReadOptions{TableOptions: TableOptions{Roles: RowRoles{Weights: "w"}}}))(t)
	other := dataset(readText(text, ReadOptions{Schema: throughJSON(t, d)}))(t)
	must.Equal(t, other.Weights, []float64{1000, 2500, 500, 1500})
}

// A column whose values count the rows gets a note by its values, unless it is the only input.
func TestCountingColumn(t *testing.T) {
	counts := func(first, other int) bool {
		text := "t,b,y\n"
		for i := range 12 {
			text += fmt.Sprintf("%d,%d,0.%d\n", first+i, i*other%7, i)
		}
		ignore := ""
		if other == 0 {
			ignore = "b"
		}
		_, notes, err := readText(text, ReadOptions{TableOptions: TableOptions{Ignore: ignore}})
		must.OK(t, err)
		return strings.Contains(strings.Join(notes, "\n"), `column "t" counts the rows`)
	}
	must.Equal(t, fmt.Sprint(counts(0, 3), counts(1, 3), counts(1990, 3), counts(1, 0)), "true true false false")
}

// A column of dashes, dots and words such as none is as empty as one without any.
func TestDashesOnly(t *testing.T) {
	d, notes, err := readText("a,b,y\n1,-,0.5\n2,.,1.5\n4,none,2.5\n", ReadOptions{})
	must.OK(t, err)
	must.Equal(t, d.Columns, []string{"a"})
	must.Contain(t, strings.Join(notes, "\n"), `t.csv: column "b" is empty: left out`)
}

// A message names a column as a flag can in a shell.
func TestFlagWord(t *testing.T) {
	for _, names := range [][]string{{"age", "age"}, {"größe", "größe"}, {"x=1", "x=1"}, {"a b", "3"}, {"T(°C)", "3"},
		{"#", "3"}, {"a&b", "3"}, {"R*", "3"}, {"-x", "3"}, {"p[1]", "3"}} {
		if got := flagWord(names[0], 2); got != names[1] {
			t.Errorf("%s: %s", names[0], got)
		}
	}
}

func TestTinyTarget(t *testing.T) {
	ds := dataset(readText("a,y\n1e-200,1e-200\n2e-200,3e-200\n4e-200,2.5e-200\n", ReadOptions{}))(t)
	wantError(t, "", ds.CheckTargets(), strings.Contains, "multiply the column by a power of ten")
}

// Texts that name each row do so in a table of more rows than the program compares.
func TestManyNames(t *testing.T) {
	c := columnProfile{seen: map[string]int{}}
	for i := range 2*maxFurther + 3*maxKept {
		c.texts.n++
		c.remember(fmt.Sprint("row ", i))
	}
	if !c.isUnique() || !c.isIdentifier() {
		t.Errorf("%d different texts in %d rows", c.distinct(), c.filled())
	}
}

// A column that may weight or group the rows gets a note by its name, if its values allow that.
func TestRoleHints(t *testing.T) {
	for _, c := range []struct{ name, cells, want string }{
		{"Sample_Weight", "0.5 1 2 0.5", "may weight the rows: if so, give --weights Sample_Weight"},
		{"weight", "-1 1 2 0.5", ""},
		{"patient", "p1 p1 p2 p2", "may group the rows"},
		{"subject id", "1 1 2 2", "may group the rows: if so, give --group 1"},
		{"site_id", "7 7 9 9", "may group the rows"},
		{"patient", "1.5 1 2 2", ""},
		{"humid", "7 7 9 9", ""},
	} {
		text := c.name + ",b,y\n"
		for i, cell := range strings.Fields(c.cells) {
			text += fmt.Sprintf("%s,%d,%d.5\n", cell, i*i, i)
		}
		_, notes, err := readText(text, ReadOptions{})
		must.OK(t, err)
		if c.want != "" {
			must.Contain(t, strings.Join(notes, "\n"), c.want)
		} else {
			must.Lack(t, strings.Join(notes, "\n"), " may ")
		}
	}
}

// starts counts how often a file is read from its start.
type starts struct {
	*strings.Reader
	n int
}

func (s *starts) Seek(offset int64, whence int) (int64, error) {
	s.n++
	return s.Reader.Seek(offset, whence)
}

// Late codes in a column that is left out do not take one more reading.
func TestLateCodesIgnored(t *testing.T) {
	text := "c,x,y\n"
	for i := range 3000 {
		text += fmt.Sprintf("%04d,%d,0.%d\n", 3500-i, i%7, i)
	}
	for ignore, want := range map[string]int{"": 2, "c": 1} {
		src := &starts{Reader: strings.NewReader(text)}
		lim := limits{text: 1 << 20, record: 1 << 16, cells: 1 << 16}
		if _, _, err := read("t.csv", src, ReadOptions{TableOptions: TableOptions{Ignore: ignore}}, lim); err != nil ||
			src.n != want {
			t.Errorf("--ignore %q: %d further readings, %v", ignore, src.n, err)
		}
	}
}

// A column whose leading zeros come late is read as one whose leading zeros come first.
func TestLateCodes(t *testing.T) {
	text := "c,x,y\n"
	for i := range 9000 {
		text += fmt.Sprintf("%04d,%d,0.%d\n", 9500-i, i%7, i)
	}
	d, notes, err := readText(text, ReadOptions{})
	must.OK(t, err)
	must.Lack(t, strings.Join(notes, "\n"), "warning")
	must.Equal(t, len(d.IDs()), 9000)
	must.Equal(t, d.Columns, []string{"x"})
}

// Names of rows stay as they are, however their column is given.
func TestNamesWithCommas(t *testing.T) {
	text := "id\tx\ty\n"
	for i := range 12 {
		text += fmt.Sprintf("1,000,%03d\t%d\t0.%d\n", i, i%5, i)
	}
	for _, id := range []string{"id", "1"} {
		d, _, err := readText(text, ReadOptions{TableOptions: TableOptions{ID: id}})
		if err != nil || d.IDs()[1] != "1,000,001" {
			t.Errorf("%s: %q, %v", id, d.IDs(), err)
		}
	}
}

// Numbers as Fortran writes them are numbers.
func TestFortran(t *testing.T) {
	ds := dataset(readText("x,y\n1.0D+02,0.5\n-2.5d-01,1.5\n0.3D+01,2.5\n", ReadOptions{}))(t)
	must.Equal(t, fmt.Sprint(ds.X.Float64s()), "[100 -0.25 3]")
}

// A blank may stand before a cell in quotes, which may hold the separator. An empty cell stays one.
func TestBlankBeforeQuotes(t *testing.T) {
	const rows = "a, kind, y\n1, \"x, y\", 0.5\n2, \"z\", 1.5\n3, \"x, y\", 2.5\n"
	for _, separator := range []string{",", ";", "|", "\t"} {
		text := strings.ReplaceAll(rows, ",", separator)
		ds, _, err := readText(text, ReadOptions{})
		want := strings.ReplaceAll("[a kind=x, y kind=z] [1 1 0 2 0 1 3 1 0]", ",", separator)
		if err != nil || fmt.Sprint(ds.Columns, ds.X.Float64s()) != want {
			t.Errorf("%q: %v, %v", text, ds, err)
		}
		_, _, err = readText(strings.Replace(text, "3", "", 1), ReadOptions{})
		wantError(t, text, err, strings.HasPrefix, `t.csv:4:1: cells are missing, in "a" 1`)
	}
	ds := dataset(readText("a\tb\ty\n1\t\t0.5\n2\t4\t1.5\n3\t5\t2.5\n",
		ReadOptions{TableOptions: TableOptions{Missing: MissingDrop}}))(t)
	must.Equal(t, fmt.Sprint(ds.X.Float64s()), "[2 4 3 5]")
}
