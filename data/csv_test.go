package data

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// write puts a file into a fresh folder.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	must.OK(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

func zipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(text))
	w.Close()
	return b.String()
}

// readText reads a table that is no file.
func readText(text string, opt ReadOptions) (*Dataset, []string, error) {
	return read("t.csv", strings.NewReader(text), opt, limits{text: 1 << 20, record: 1 << 16, cells: 1 << 16})
}

// dataset returns the rows of a reading, in a test that an error ends: dataset(readText(…))(t).
func dataset(d *Dataset, _ []string, err error) func(testing.TB) *Dataset { return must.Get(d, err) }

// errorOf returns the error of a reading.
func errorOf(_ *Dataset, _ []string, err error) error { return err }

// wantError fails the test unless an error is one of this package whose text has, or begins with, what is wanted.
func wantError(t *testing.T, name string, err error, has func(text, want string) bool, want string) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || !has(err.Error(), want) {
		t.Errorf("%.40q:\n got %v\nwant %s", name, err, want)
	}
}

const small = "a,b,target\n1,2,0.5\n-3,4e2,0.25\n"

// TestTableForms writes one table in every form a file may have; all read the same.
func TestTableForms(t *testing.T) {
	want := dataset(readText(small, ReadOptions{}))(t)
	must.Equal(t, fmt.Sprintln(want.Columns, want.Target, want.Task, want.X.Float64s(), want.Y),
		"[a b] target regression [1 2 -3 400] [0.5 0.25]\n")
	for _, c := range []struct{ name, text string }{
		{"gzip", zipped(small)},
		{"BOM", "\xef\xbb\xbf" + small},
		{"gzip in parts", zipped(small[:10]) + zipped(small[10:])},
		{"gzip BOM", zipped("\xef\xbb\xbf" + small)},
		{"CRLF", strings.ReplaceAll(small, "\n", "\r\n")},
		{"no last newline", strings.TrimSuffix(small, "\n")},
		{"semicolons", strings.ReplaceAll(small, ",", ";")},
		{"tabs", strings.ReplaceAll(small, ",", "\t")},
		{"quotes", "\"a\",\"b\",\"target\"\n\"1\",2,0.5\n-3,\"4e2\",0.25\n"},
		{"blank lines", "\na,b,target\n\n1,2,0.5\n\n-3,4e2,0.25\n\n"},
		{"lines of blanks", " \na,b,target\n \t\n1,2,0.5\n  \n-3,4e2,0.25\n \n\t\n"},
		{"old line ends", strings.ReplaceAll(small, "\n", "\r")},
		{"last separator", strings.ReplaceAll(small, "\n", ",\n")},
		{"spaces", " a, b , target\n 1, 2 ,0.5\n-3,+400,.25\n"},
		{"target first", "target,a,b\n0.5,1,2\n0.25,-3,4e2\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := write(t, "t.csv", c.text)
			got, _, err := ReadFile(path, ReadOptions{})
			must.OK(t, err)
			if got.Fingerprint != want.Fingerprint {
				t.Errorf("another fingerprint: %v %v %v", got.Columns, got.X.Float64s(), got.Y)
			}
			if got.Name != "t" || got.Path != path {
				t.Errorf("name %q, path %q", got.Name, got.Path)
			}
		})
	}
}

func TestHeaderAndTarget(t *testing.T) {
	for _, c := range []struct{ text, target, wantColumns, wantTarget string }{
		{"1,2,3.5\n4,5,6\n", "", "x0 x1", "x2"},
		{"1,2,3.5\n4,5,6\n", "1", "x1 x2", "x0"},
		{"1,2,3.5\n4,5,6\n", "x1", "x0 x2", "x1"},
		{"a,b,c\n1,2,3.5\n", "", "a b", "c"},
		{"a,target,c\n1,2.5,3\n", "", "a c", "target"},
		{"a,target,c\n1.5,2.5,3\n", "a", "target c", "a"},
		{"a,b,c,,\n1,2,3.5,,\n", "", "a b", "c"}, // empty columns without a name
		{"1,2,3.5,,\n4,5,6,,\n", "", "x0 x1", "x2"},
		{"a,1,c\n1,2,3.5\n", "1", "a c", "1"},    // a name wins over a number
		{"a,1,c\n1,2,3.5\n", "3", "a 1", "c"},    // and a number is no name here
		{"1e400x,2\n1,2.5\n", "", "1e400x", "2"}, // any text makes a header
		{"1_1,1_2\n1,2.5\n", "", "1_1", "1_2"},   // and so does Go's way to write 11
	} {
		d, _, err := readText(c.text, ReadOptions{Target: c.target})
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if got := strings.Join(d.Columns, " "); got != c.wantColumns || d.Target != c.wantTarget {
			t.Errorf("%q, target %q: inputs %s, target %s; want %s, %s", c.text, c.target, got, d.Target,
				c.wantColumns, c.wantTarget)
		}
	}
}

// TestBadFiles gives every kind of bad file and reads where it is said to be bad.
func TestBadFiles(t *testing.T) {
	long := strings.Repeat("1,", 1<<16)
	for _, c := range []struct {
		name, text, want string
		opt              ReadOptions
	}{
		{"empty", "", "t.csv: is empty", ReadOptions{}},
		{"blank", "\n\n\r\n", "t.csv: is empty", ReadOptions{}},
		{"blanks", " \n\t\n", "t.csv: is empty", ReadOptions{}},
		{"empty gzip", zipped(""), "t.csv: is empty", ReadOptions{}},
		{"bytes after gzip", zipped("a,b\n1,2\n") + "no gzip data",
			"t.csv: the gzip data are damaged, or other bytes follow", ReadOptions{}},
		{"interval", "a,b\n(0,1],5\n(1,2],6\n", "t.csv:2: this row has 3 cells, the first row has 2: every row needs " +
			"the same; write a cell such as (0,1] in quotes", ReadOptions{}},
		{"object of rows", "{\n \"data\": [\n{\"a\":1,\"y\":2},\n{\"a\":2,\"y\":3}]}",
			`t.csv: is an object that holds its rows as "data": write these alone, as an array or one on each line`,
			ReadOptions{}},
		{"objects on several lines", "{\n\"a\": 1,\n\"y\": 2\n}\n", "t.csv:1:2: the object does not end on its line",
			ReadOptions{}},
		{"header only", "a,b,c\n", "t.csv: has a header but no rows", ReadOptions{}},
		{"short row", "a,b,c\n1,2,3\n1,2\n", "t.csv:3: this row has 2 cells, the first row has 3", ReadOptions{}},
		{"long row", "1,2,3\n1,2,3\n1,2,3,4\n", "t.csv:3: this row has 4 cells", ReadOptions{}},
		{"text cell", "a,b,c\n" + strings.Repeat("1,2,3\n", 30) + "1,red,3\n",
			`t.csv:32:3: found "red" in column "b", whose other cells are numbers: correct it, leave it empty with ` +
				`--missing impute, read the column as words by --set text=b, or leave it out with --ignore b`,
			ReadOptions{}},
		{"total", "a,b,c\n1,2,3\n2,1.5,4\n3,3,1\n4,2.5,3\n5,7,2\n6,1,1\n7,8,2\n8,9,3\n9,4,1\n10,5,2\nTotal,43,22\n",
			`t.csv:12:1: found "Total" in column "a", whose other cells are numbers: correct it`, ReadOptions{}},
		{"text target", "a,b,c\n" + strings.Repeat("1,2,3\n", 30) + "1,2,spam\n",
			`t.csv:32:5: found "spam" in the target column "c", whose other values are numbers: correct it, or use ` +
				`the task classification`, ReadOptions{}},
		{"names for classes", "a,b\n" + words(30),
			`t.csv:2:5: found "w0" in the target column "b", which holds 30 different words in 30 rows`, ReadOptions{}},
		{"31 February", "a,day,b\n1,2024-02-31,3\n1,2024-02-29,4\n",
			`t.csv:2:3: found "2024-02-31" in column "day", which is not a date of the calendar in a form such as ` +
				`2020-12-31 23:59: correct it, or leave it empty with --missing impute`, ReadOptions{}},
		{"date as target", "a,day\n1,3/4/2020 12:30\n2,3/5/2020 12:31\n",
			`t.csv:2:3: found "3/4/2020 12:30" in the target column "day", which is a date`, ReadOptions{}},
		{"only names", "a,b\n" + swapped(words(30)),
			`t.csv: has no input column beside the target; left out: "a" (--sequence a reads`, ReadOptions{}},
		{"ignored", "a,b,c\n1,2,3\n", `t.csv: has no column "d" to leave out`,
			ReadOptions{TableOptions: TableOptions{Ignore: "a,d"}}},
		{"ignored target", "a,b,c\n1,2,3\n",
			`t.csv: the column "c" cannot be both the target and left out`,
			ReadOptions{TableOptions: TableOptions{Ignore: "3"}}},
		{"all ignored", "a,b\n1,2\n", `t.csv: has no input column beside the target; left out: "a"`,
			ReadOptions{TableOptions: TableOptions{Ignore: "a"}}},
		{"way", "a,b\n1,2\n", `--missing cannot be "fill"`, ReadOptions{TableOptions: TableOptions{Missing: "fill"}}},
		{"separator", "a,b\n1,2\n", `"sem" is not a separator`,
			ReadOptions{TableOptions: TableOptions{Dialect: Dialect{Separator: "sem"}}}},
		{"comma twice", "a,b\n1,2\n", `the comma cannot both separate cells and mark decimals`,
			ReadOptions{TableOptions: TableOptions{Dialect: Dialect{Separator: ",", Decimal: ","}}}},
		{"all dropped", "a,b\n1,\n2,\n,3\n",
			"t.csv: has no row that can be used: 0 have the weight 0, 2 lack the target, and 1 lack other cells",
			ReadOptions{TableOptions: TableOptions{Missing: "drop"}}},
		{"empty target", "a,b\n1,\n2,?\n", `t.csv: the target column "b" has no values`, ReadOptions{}},
		{"NaN", "1,2,3\n1,NaN,3\n",
			`t.csv:2:3: cells are missing, in "x1" 1: --missing impute fills them in, --missing drop leaves their ` +
				`rows out`, ReadOptions{}},
		{"NaN in row 1", "1,nan,3\n1,2,3\n", `t.csv:1:3: cells are missing`, ReadOptions{}},
		{"Inf", "1,2,-Inf\n", `t.csv:1:5: found "-Inf"`, ReadOptions{}},
		{"too large", "1,2,1e999\n", `t.csv:1:5: found "1e999" in column "x2", which is beyond`, ReadOptions{}},
		{"enormous", "a,b\n1,-2e100\n",
			`t.csv:2:3: found "-2e100" in column "b", which is beyond ±1e+100: divide`, ReadOptions{}},
		{"missing", "a,b,c\n1,2,3\n1,,3\n", `t.csv:3:3: cells are missing, in "b" 1`, ReadOptions{}},
		{"missing in row 1", "1,,3\n1,2,3\n", `t.csv:1:3: cells are missing, in "x1" 1`, ReadOptions{}},
		{"two columns", "a,b,c\n1,,3\n-,,4\n5,6,NA\n", `t.csv:2:3: cells are missing, in "a" 1, "b" 2: --missing`,
			ReadOptions{}},
		{"decimal comma", "a;b\n1,5;2.5\n", `t.csv:2:1: found "1,5" in column "a": --set decimal=comma reads`,
			ReadOptions{TableOptions: TableOptions{Dialect: Dialect{Decimal: "point"}}}},
		{"thousands", "a,b\n\"1,50.5\",2\n", `t.csv:2:1: found "1,50.5"`, ReadOptions{}},
		{"second line of a quoted row", "\"a\nb\",c\n1,2.5\n\"3\n\",x\n", `t.csv:5:3: found "x"`, ReadOptions{}},
		{"one column", "a\n1\n2\n", "t.csv: has one column only", ReadOptions{}},
		{"open quote", "a,b\n1,\"2\n3,4\n", "t.csv:2: a quoted cell of this row is not closed", ReadOptions{}},
		{"bare quote", "a,b\n1,2\"\n", `t.csv:2:4: found a " inside a cell`, ReadOptions{}},
		{"double name", "a,b,a\n1,2,3\n", `t.csv:1:5: columns 1 and 3 are both named "a"`, ReadOptions{}},
		{"no target", "ambient,vacuum,power\n1,2,3\n",
			`t.csv: has no column "powr" to be the target (did you mean "power"?); its columns are "ambient", ` +
				`"vacuum", "power"`, ReadOptions{Target: "powr"}},
		{"target 0", "a,b\n1,2\n",
			"t.csv: has no column number 0 to be the target: columns count from 1 to 2", ReadOptions{Target: "0"}},
		{"target −1", "a,b\n1,2\n", "t.csv: has no column number -1", ReadOptions{Target: "-1"}},
		{"target 3", "a,b\n1,2\n", "t.csv: has no column number 3", ReadOptions{Target: "3"}},
		{"unknown task", "a,b\n1,2\n", `there is no task "clasification": did you mean "classification"?`,
			ReadOptions{Task: "clasification"}},
		{"cut gzip", zipped(small)[:30], "t.csv: the gzip data end too early", ReadOptions{}},
		{"gzip header only", zipped(small)[:5], "t.csv: the gzip data end too early", ReadOptions{}},
		{"gzip without its end", zipped(small)[:len(zipped(small))-4], "t.csv: the gzip data end too early",
			ReadOptions{}},
		{"damaged gzip", zipped(small)[:len(zipped(small))-8] + "\x00\x00\x00\x00\x00\x00\x00\x00",
			"t.csv: the gzip data are damaged", ReadOptions{}},
		{"zipped twice", zipped(zipped(small)), "t.csv: is compressed twice", ReadOptions{}},
		{"binary", "\x01\x80\xff\x00\x10", "t.csv: is not text (byte 0x00", ReadOptions{}},
		{"Latin 1", "temp\xe9rature,b\n1,2\n", "t.csv:1: is not UTF-8 text (byte 0xe9", ReadOptions{}},
		{"UTF-16", "\xff\xfea\x00,\x00", "t.csv: is UTF-16 text", ReadOptions{}},
		{"spreadsheet", "PK\x03\x04xl", "t.csv: is a zip archive that cannot be read", ReadOptions{}},
		{"too many cells", "a,b\n" + strings.Repeat("1,2\n", 1<<15+1),
			"t.csv:32770: the table holds more than", ReadOptions{}},
		{"too much text", zipped("a,b,c\n" + strings.Repeat("1,2,"+strings.Repeat("c", 1<<10)+"\n",
			1<<11)), "t.csv: holds more than 1.0 MiB of text",
			ReadOptions{Schema: &Schema{Columns: []string{"a"}, Target: "b", TargetAt: 1, Task: Regression}}},
		{"long line", long, "t.csv: the row after line 0 is longer than 64 KiB", ReadOptions{}},
		{"gzip bomb", zipped("a,b\n1,\"" + strings.Repeat("0", 1<<22)),
			"t.csv: the row after line 1 is longer than 64 KiB", ReadOptions{}},
		{"gzip bomb of blank lines", zipped("a,b\n" + strings.Repeat("\n", 1<<22)),
			"t.csv: the row after line 1 is longer", ReadOptions{}},
	} {
		_, _, err := readText(c.text, c.opt)
		wantError(t, c.name, err, strings.HasPrefix, c.want)
	}
}

// words returns n rows of a number and a word of its own.
func words(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d.5,w%d\n", i*i, i)
	}
	return b.String()
}

// swapped returns rows of two cells the other way round.
func swapped(rows string) string {
	var b strings.Builder
	for line := range strings.Lines(rows) {
		first, second, _ := strings.Cut(strings.TrimSpace(line), ",")
		fmt.Fprintf(&b, "%s,%s\n", second, first)
	}
	return b.String()
}

func TestBadPaths(t *testing.T) {
	dir := t.TempDir()
	closed := write(t, "closed.csv", small)
	os.Chmod(closed, 0)
	want := map[string]string{filepath.Join(dir, "none.csv"): "there is no such file", dir: "is a folder"}
	if os.Getuid() != 0 { // root may read everything
		want[closed] = "may not be read"
	}
	for path, what := range want {
		_, _, err := ReadFile(path, ReadOptions{})
		var e *Error
		if !errors.As(err, &e) || e.File != path || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestSeparator(t *testing.T) {
	for text, want := range map[string]rune{
		"a,b\n1,2\n":                ',',
		"a;b\n1,5;2,5\n":            ';',
		"a\tb,c\n1\t2\n":            '\t',
		"a,b;c\n1,2\n":              ',',
		"\"a;b\",c\n\"1;2\",3\n":    ',',
		"a":                         ',',
		"a,b,c\n1,2\n":              ',',
		"\"x\ny;z\",b\n1,2\n":       ',',
		"1,5;2,5;3\n1,5;2,5;3\n":    ';',
		"a;b\r\n1;2\r\n\r\n3;4\r\n": ';',
		"a|b|c\n1,5|2,5|3\n":        '|',
		" 1.0   2\n10.0 3  \n":      ' ',
		"# by a tool\n1 2\n3 4\n":   ' ',
		"a b,c\n1,2\n":              ',',
	} {
		if got := separator([]byte(text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestBlocks reads a table of more values than a block holds.
func TestBlocks(t *testing.T) {
	var b strings.Builder
	const rows, width = 20001, 7
	for i := range rows {
		for j := range width {
			fmt.Fprintf(&b, "%d,", i*width+j)
		}
		fmt.Fprintf(&b, "%d.5\n", i)
	}
	d := dataset(read("t.csv", strings.NewReader(b.String()), ReadOptions{}, fileLimits()))(t)
	if d.N() != rows || d.D() != width {
		t.Fatalf("%d rows, %d inputs", d.N(), d.D())
	}
	for i, v := range d.X.Float64s() {
		if v != float64(i) {
			t.Fatalf("value %d is %g", i, v)
		}
	}
	if row := d.Row(rows - 1); !slices.Equal(row[:2],
		[]float64{(rows - 1) * width, (rows-1)*width + 1}) || len(row) != width || cap(row) != width {
		t.Errorf("last row %v", row)
	}
}

// FuzzReadCSV gives any bytes: no panic, and a table that is whole where there is no error.
func FuzzReadCSV(f *testing.F) {
	for _, s := range []string{small, zipped(small), "1;2\n3;4\n", "\"a\nb\",c\n1,2\n", "a,b\n1,\"",
		"\xef\xbb\xbf1\t2", "x,y\n0,1\n1,2\n0,1\n1,2",
		"% c\n@relation r\n@attribute a numeric\n@attribute 'b c' {0,1}\n@data\n1,0\n2,1\n"} {
		f.Add([]byte(s), "", "auto")
	}
	like := Schema{Columns: []string{"a", "b"}, Target: "target", TargetAt: 2, Task: Regression}
	f.Fuzz(func(t *testing.T, text []byte, target, task string) {
		lim := limits{text: 1 << 20, record: 1 << 14, cells: 1 << 14}
		for _, opt := range []ReadOptions{{Target: target, Task: task},
			{Target: target, Task: task, TableOptions: TableOptions{OneHot: true}},
			{Schema: &like, TargetOptional: true}} {
			d, _, err := read("f", bytes.NewReader(text), opt, lim)
			checkFuzzed(t, d, err)
		}
	})
}

// checkFuzzed: an error is about the file, and a table is whole.
func checkFuzzed(t *testing.T, d *Dataset, err error) {
	t.Helper()
	var e *Error
	switch {
	case err != nil && !errors.As(err, &e):
		t.Fatalf("not an *Error: %v", err)
	case err == nil && (d.N() == 0 || d.D() == 0 || d.HasTarget() && len(d.Y)+len(d.Labels) != d.N()):
		t.Fatalf("%d rows, %d inputs, %d + %d targets", d.N(), d.D(), len(d.Y), len(d.Labels))
	}
}

// In a table of one column, a blank line is a row without a value, unless no row follows it.
func TestBlankRows(t *testing.T) {
	training := func(text string, o TableOptions) *Schema {
		ds := dataset(readText(text, ReadOptions{TableOptions: o}))(t)
		impute(ds)
		return throughJSON(t, ds)
	}
	numbers := training("a,y\n1,0.5\n,1.5\n3,4.5\n", TableOptions{Missing: MissingImpute})
	for text, want := range map[string]string{
		"a\n5\n\n7\n":  "[5 0 2 1 7 0]",
		"a\n\n5\n\n\n": "[2 1 5 0]",
		"\r\n\r\na\r\n\r\n5\r\n \r\n7\r\n\r\n\r\n": "[2 1 5 0 2 1 7 0]",
		"\n5\n\n7":                              "[2 1 5 0 2 1 7 0]",
		"a\n5\n\n# a comment\n7\n\n# the end\n": "[5 0 2 1 7 0]",
		"a,b\n5,1\n\n7,1\n":                     "[5 0 7 0]",
	} {
		ds, _, err := readText(text, ReadOptions{Schema: numbers, TargetOptional: true})
		if err != nil || fmt.Sprint(ds.X.Float64s()) != want {
			t.Errorf("%q: %v, %v", text, ds, err)
		}
	}
	words := training("a,y\n\"one\n\ntwo\",0.5\nb,1.5\nb,1\n\"one\n\ntwo\",2\n", TableOptions{})
	ds, _, err := readText("a\n\"one\n\ntwo\"\nb\n\n", ReadOptions{Schema: words, TargetOptional: true})
	must.OK(t, err)
	must.Equal(t, ds.N(), 2)
	must.Equal(t, ds.lines[1], 5)
	for _, o := range []TableOptions{{}, {Dialect: Dialect{Separator: "space"}}} {
		_, _, err = readText("a\nb\n\nb\n", ReadOptions{Schema: words, TargetOptional: true, TableOptions: o})
		wantError(t, "", err, strings.Contains, `t.csv:3:1: empty cell in column "a"`)
	}
	wantError(t, "",
		errorOf(readText("a\nb\n"+strings.Repeat("\n", 1<<17)+"b\n", ReadOptions{Schema: words, TargetOptional: true})),
		strings.Contains, "the row after line 2 is longer than")
	dna := training("y\tx\n1\tACGT\n\n2\tAC\n1\tGG\n2\tTTA\n", TableOptions{})
	ds, _, err = readText("\nACGT\nAC\n\n", ReadOptions{Schema: dna, TargetOptional: true})
	must.OK(t, err)
	must.Equal(t, ds.N(), 2)
	wantError(t, "", errorOf(readText("ACGT\n\nAC\n", ReadOptions{Schema: dna, TargetOptional: true})),
		strings.Contains, "t.csv:2:1: the sequence is empty")
	ds, _, err = readText("1\tACGT\n\n2\tAC\n", ReadOptions{Schema: dna, TargetOptional: true})
	must.OK(t, err)
	must.Equal(t, ds.N(), 2)
}
