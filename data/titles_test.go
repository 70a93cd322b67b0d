package data

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
)

// A line with the separator is honoured, and titles above the names are left out. Errors count all lines of the file.
func TestTitles(t *testing.T) {
	const rows = "a,b,y\n1,2,0.5\n3,4,1.5\n5,7,2.5\n"
	semicolons := strings.ReplaceAll(rows, ",", ";")
	for _, c := range []struct {
		text  string
		lines int // above the names
	}{
		{"sep=;\n" + semicolons, 0},
		{"\ufeffsep=;\r\n" + strings.ReplaceAll(semicolons, "\n", "\r\n"), 0},
		{"sep=\t\n" + strings.ReplaceAll(rows, ",", "\t"), 0},
		{"Sales of 2024\n\n" + rows, 2},
		{"Sales of 2024,,\n,,\n" + rows, 2},
		{"Sales, in euros\nof 2024\n" + semicolons, 2},
		{"sep=;\nSales;;\n" + semicolons, 1},
	} {
		ds, notes, err := readText(c.text, ReadOptions{})
		if err != nil || fmt.Sprint(ds.Columns, ds.X.Float64s(), ds.Y) != "[a b] [1 2 3 4 5 7] [0.5 1.5 2.5]" {
			t.Errorf("%q: %v, %v", c.text, ds, err)
			continue
		}
		told := fmt.Sprintf("t.csv: %s above the names of the columns left out", phrase.Plural(c.lines, "line"))
		if slices.Contains(notes, told) != (c.lines > 0) {
			t.Errorf("%q: %q", c.text, notes)
		}
		line := strings.Count(c.text, "\n")
		if where := ds.RowLocation(2); where != fmt.Sprintf("t.csv:%d", line) {
			t.Errorf("%q: the last row stands at %s", c.text, where)
		}
		want := fmt.Sprintf("t.csv:%d:1: found \"x\"", line+1)
		separator := c.text[strings.Index(c.text, "\na")+2:][:1]
		bad := c.text + strings.ReplaceAll("x,8,9\n", ",", separator)
		if _, _, err := readText(bad, ReadOptions{Schema: throughJSON(t, ds)}); err == nil ||
			!strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, expected %s", bad, err, want)
		}
		want = fmt.Sprintf(`t.csv:%d: column "a" is missing`, line-3)
		other := strings.Replace(c.text, "\na", "\nc", 1)
		if _, _, err := readText(other, ReadOptions{Schema: throughJSON(t, ds)}); err == nil ||
			!strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, expected %s", other, err, want)
		}
	}
	for _, text := range []string{
		"a,b\n1,2,3\n4,5,6\n7,8,9\n",                 // a name is missing
		"a,b\nx,p,q\ny,r,s\nz,t,u\n",                 // the same above words
		"size,colour\nS,red,\nM,blue,5\nL,green,6\n", // and above a row that lacks a cell
		"title\nS,red,\nM,blue,5\nL,green,6\n",
		strings.Repeat("title\n", maxTitles+1) + rows,
	} {
		if _, _, err := readText(text, ReadOptions{}); err == nil ||
			!strings.Contains(err.Error(), "every row needs the same") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// R writes no name above the names of the rows, which stand in quotes. Without quotes they may be cells, and the error
// tells what R should do.
func TestRowNames(t *testing.T) {
	const table = "\"a\",\"kind\",\"y\"\n\"1\",1,\"red, old\",0.5\n\"7\",3,\"blue\",1.5\n" +
		"\"big \"\"3\"\"\",5,\"red, old\",2.5\n"
	for _, separator := range []string{",", "\t", " ", ";"} {
		text := strings.NewReplacer(",", separator, "red, old", "red, old", `""`, `'`).Replace(table)
		d, notes, err := readText(text, ReadOptions{})
		if err != nil || fmt.Sprint(d.Columns, d.Y) != "[a kind=blue kind=red, old] [0.5 1.5 2.5]" ||
			!slices.Contains(notes, `t.csv: column "row names" has no name, as R writes the names of rows: left out`) {
			t.Errorf("%q: %v, %v, %q", separator, d, err, notes)
			continue
		}
		like := throughJSON(t, d)
		for _, other := range []string{text, "y,kind,a\n1,blue,2\n", strings.ReplaceAll(text, `"7"`, `"1"`)} {
			d, _, err := readText(other, ReadOptions{Schema: like})
			if (err != nil) != (strings.Count(other, `"1"`) > 1) {
				t.Errorf("%q: %v, %v", other, d, err)
			}
		}
		bare := strings.ReplaceAll(text, `"`, "")
		if _, _, err := readText(bare, ReadOptions{}); err == nil || !strings.Contains(err.Error(), "col.names=NA") &&
			separator != "," && separator != " " {
			t.Errorf("%q: %v", bare, err)
		}
	}
	// A single column has no separator above it.
	one, _, err := readText("a,y\n1,0.5\n3,1.5\n5,2.5\n", ReadOptions{})
	must.OK(t, err)
	for _, separator := range []string{",", "\t", " ", ";"} {
		text := "\"a\"\r\n\"1\"|7,25\r\n\"x y\"|8,5\r\n"
		if separator == "," {
			text = strings.ReplaceAll(text, ",", ".")
		}
		d, _, err := readText(strings.ReplaceAll(text, "|", separator), ReadOptions{Schema: throughJSON(t, one),
			TargetOptional: true})
		if err != nil || fmt.Sprint(d.X.Float64s()) != "[7.25 8.5]" {
			t.Errorf("%q: %v, %v", separator, d, err)
		}
	}
	for _, text := range []string{
		"\"a\",\"b\"\n\"x\",1,\n\"y\",2,\n\"z\",4,\n", // a separator ends each line
		"\"a\",\"b\"\n\"x\",1,5\n\"x\",2,6\n\"z\",4,7\n",
	} {
		if d, _, err := readText(text, ReadOptions{}); err == nil {
			t.Errorf("%q: %v", text, d)
		}
	}
}

// Names that come again, where files were joined, are an error with their line. Words of a table without names may
// repeat, and a note tells that there are no names.
func TestNamesAgain(t *testing.T) {
	for _, text := range []string{
		"a,b,y\n1,2,0.5\n2,3,1.5\na,b,y\n3,5,2.5\n",
		",a,y\n0,1,0.5\n1,3,1.5\n,a,y\n0,5,2.5\n",
		"kind,size,y\nred,1,0.5\nblue,3,1.5\nkind,size,y\nred,5,2.5\n",
		"a,b,y\ngreen,g,0.5\nblue,b,1.5\na,b,y\ngreen,g,2.5\n", // b is also a value
		"colour,shape,kind\nred,round,a\nblue,flat,b\ncolour,shape,kind\nred,flat,b\n",
		"\ufeffa,b,y\n1,2,0.5\n2,3,1.5\n\ufeffa,b,y\n3,5,2.5\n", "a b y\n1 2 0.5\n2 3 1.5\n\ufeffa b y\n3 5 2.5\n",
	} {
		if _, _, err := readText(text, ReadOptions{}); err == nil ||
			!strings.HasPrefix(err.Error(), "t.csv:4: this row has the names of the columns again") {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, text := range []string{"a,b,y\n1,2,3\n\ufeff4,5,6\n", "a b y\n1 2 3\n\ufeff4 5 6\n"} {
		if d, _, err := readText(text, ReadOptions{Task: "regression"}); err != nil || d.X.Float64s()[2] != 4 {
			t.Errorf("%q: %v", text, err)
		}
	}
	d, notes, err := readText("word,kind\nnoun,a\nverb,b\nword,b\n", ReadOptions{})
	if err != nil || d.N() != 4 || !strings.Contains(strings.Join(notes, "\n"),
		"no header, so the columns are called x0, x1, … (--set header=yes if the first row names them)") {
		t.Errorf("%v, %q, %v", d, notes, err)
	}
}

// A header that is longer than the first bytes of a file is one, and titles may stand above it.
func TestLongHeader(t *testing.T) {
	const columns = 9001
	row := func(cell string) string {
		var cells []string
		for i := range columns {
			cells = append(cells, fmt.Sprintf(cell, i))
		}
		return strings.Join(cells, ",") + "\n"
	}
	table := row("gene_%04d") + row("%d.5") + row("1%d.25")
	for _, text := range []string{table, "Title\n" + table} {
		ds, _, err := ReadFile(write(t, "t.csv", text), ReadOptions{})
		if err != nil || ds.N() != 2 || ds.D() != columns-1 || ds.Target != "gene_9000" {
			t.Errorf("%.20q: %v", text, err)
		}
	}
}
