package data

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// sampleFile returns a file of two rows, a and b, by polars or pyarrow.
func sampleFile(t *testing.T, name string) string {
	t.Helper()
	text := must.Get(os.ReadFile("testdata/" + name))(t)
	return string(text)
}

// Rows in JSON are those of the same table as CSV.
func TestJSONRows(t *testing.T) {
	opt := ReadOptions{TableOptions: TableOptions{Missing: MissingImpute}}
	want := dataset(readText("kind,area,sold,price\nflat,78.1,1,190.5\nhouse,,0,259\nflat,-3e2,,7\n", opt))(t)
	got, _, err := readText("\ufeff"+`{"kind": "flat", "area": 78.1, "sold": true, "price": 190.5}

{"price": 259, "kind": "house", "area": null, "sold": false}
{"kind": "fl\u0061t", "area": -3e2, "price": 7}
`, opt)
	must.OK(t, err)
	if !reflect.DeepEqual(got.Columns, want.Columns) ||
		fmt.Sprint(got.X.Data()) != fmt.Sprint(want.X.Data()) || !reflect.DeepEqual(got.Y, want.Y) {
		t.Errorf("%v %v %v, expected %v %v %v", got.Columns, got.X, got.Y, want.Columns, want.X, want.Y)
	}
	if where := got.RowLocation(1); where != "t.csv:3" {
		t.Errorf("row 2 stands at %s", where)
	}
}

// The elements of an array are rows, however they stand on lines.
func TestJSONArrays(t *testing.T) {
	want := dataset(readText("{\"k\": \"a\\\"]}\", \"x\": 1}\n{\"k\": \"b\\\\\", \"x\": 2}\n", ReadOptions{}))(t)
	for text, line := range map[string]string{
		`[{"k": "a\"]}", "x": 1},{"k": "b\\", "x": 2}]`: "t.csv:2",
		"\ufeff [\n  {\n    \"k\": \"a\\\"]}\",\n    \"x\": 1\n  },\n" +
			"  {\n    \"k\": \"b\\\\\",\n    \"x\": 2\n  }\n]\n": "t.csv:7",
	} {
		got, _, err := readText(text, ReadOptions{})
		if err != nil ||
			fmt.Sprint(got.Columns, got.X.Data(), got.Y) != fmt.Sprint(want.Columns, want.X.Data(), want.Y) {
			t.Errorf("%s: %v, %v, expected %v", text, got, err, want)
		} else if where := got.RowLocation(1); where != line {
			t.Errorf("row 2 stands at %s", where)
		}
	}
}

func TestBadJSONRows(t *testing.T) {
	const first = `{"a": 1, "b": 2}` + "\n"
	for text, want := range map[string]string{
		first + `{"a": 1, "c": 2}`:          `t.csv:2:13: found the key "c", which the first row does not`,
		first + `{"a": 1, "a": 2}`:          `t.csv:2:13: found the key "a" twice`,
		first + `{"a": [1], "b": 2}`:        `t.csv:2:10: found a JSON list in column "a"`,
		first + `{"a": 1, "b": `:            `t.csv:2:14: the object does not end on its line`,
		first + `{"a": 1, "b": NaN}`:        `t.csv:2:14: found NaN, which JSON does not have: write null`,
		first + `{"a": 1, "b": 2} {"a": 1}`: `t.csv:2:19: found more after the object`,
		first + `[1, 2]`:                    `t.csv:2:2: found no object in JSON`,
		first + `{"a": 1, "b": x}`:          `t.csv:2:`,
		first + `{"b": 1}`:                  `t.csv:2:1: cells are missing, in "a" 1`,

		`[{"a": 1}, {"a": 2, "c": 2}]`:                  `t.csv:2:13: found the key "c", which the first row does not`,
		"\n [{\"a\": 1},\n{\"a\": 2,\n\"c\": 2}]":       `t.csv:4:4: found the key "c", which the first row does not`,
		`[{"a": 1, "b": 2}, {"a": 1, "b": NaN}]`:        `t.csv:2:14: found NaN, which JSON does not have: write null`,
		`[{"a": 1, "b": 2}, 5, {"a": 1, "b": 3}]`:       `t.csv:2:2: found no object in JSON`,
		`[{"a": 1, "b": 2}, {"a": 1, `:                  `t.csv: the array breaks off after 1 whole element`,
		`[{"a": 1, "b": 2}, 5]`:                         `t.csv:2:2: found no object in JSON`,
		"[{\"a\": 1, \"b\": 2}\n {\"a\": 1, \"b\": 3}]": `t.csv:2:2: found no comma between two rows of the array`,
		`[{"a": 1, "b": 2} 5]`:                          `t.csv:1:19: found no comma between two rows of the array`,
		`[{"a": 1, "b": 2},, {"a": 1, "b": 3}]`:         `t.csv:1:19: found no row at this comma of the array`,
		`[{"a": 1, "b": 2},]`:                           `t.csv:1:19: found no row at this comma of the array`,
		`[{"nodes": [1], "edges": []}]`:                 `t.csv: is an array of graphs in JSON: write each`,
		`[{"a": 1, "b": 2}] [{"a": 1, "b": 2}]`:         `t.csv: found more after the array`,
		`[{"a": "` + strings.Repeat("x", 1<<17) + `"}]`: `t.csv: the row after line 0 is longer than 64 KiB`,
	} {
		_, _, err := readText(text, ReadOptions{})
		wantError(t, text, err, strings.HasPrefix, want)
	}
}

// Rows in brackets are no CSV: their first and last cells would be words.
func TestRowsInBrackets(t *testing.T) {
	for _, text := range []string{
		"[0.5, 1.2, 0]\n[0.7, 1.5, 1]\n[0.1, 0.3, 1]\n",
		"a,b,y\r\n(0.5, 1.2, 0)\r\n(0.7, 1.5, 1)\r\n",
		"[[0.5, 1.2, 0],\n [0.7, 1.5, 1]]",
		"[\n  [\n    0.5,\n    1.2\n  ]\n]\n",
		"[[0.5 1.2 0]\n [0.7 1.5 1]\n [0.1 0.3 1]]\n",
		"[0.5, 1.2, 0]\n\n", "(1, 2)",
	} {
		_, _, err := readText(text, ReadOptions{})
		wantError(t, text, err, strings.HasPrefix, "t.csv: has rows in brackets: write them without")
	}
	for _, text := range []string{
		"[a],[b],[y]\n1,2,3.5\n2,3,4\n",
		"(1),(2),(3.5)\n(2),(3),(4)\n(2),(5),(4)\n",
		"w,y\n[a] b,1.5\n[a] b,2\n[c] d,3\n",
		"[[a,1,1.5\n[[b,2,2\n[[a,3,3\n",
		"[[a]],1,1.5\n[[b]],2,2\n[[a]],3,3\n",
	} {
		if _, _, err := readText(text, ReadOptions{}); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Columns that are called as the parts of graphs are columns: the parts of a graph are lists.
func TestRowsWithNodes(t *testing.T) {
	d := dataset(readText(`{"nodes": 4, "edges": 3, "hours": 1.5}
{"nodes": 8, "edges": 6, "hours": 2.5}
`, ReadOptions{}))(t)
	must.Equal(t, fmt.Sprint(d.Columns, d.X.Data(), d.Y), "[nodes edges] [4 3 8 6] [1.5 2.5]")
}

// Columns of lists and objects are left out, as in other files of typed columns. A list after numbers is a mistake,
// unless its column is not read.
func TestListsInJSON(t *testing.T) {
	const rows = `{"a": 1.25, "emb": null, "at": {"x": [1, {"y": 2}]}, "y": 0.5}
{"a": 2.5, "emb": [1, [2, 3]], "at": null, "y": 1.5}
{"a": 4, "emb": [], "at": {}, "y": 2.25}
`
	mixed := strings.Replace(rows, "4,", "[4],", 1)
	more := strings.ReplaceAll(mixed, `"y"`, `"b": 0.5, "y"`)
	ignored := ReadOptions{TableOptions: TableOptions{Ignore: "a,at"}}
	d, notes, err := readText(rows, ReadOptions{TableOptions: TableOptions{Missing: MissingImpute}})
	must.OK(t, err)
	must.Equal(t, fmt.Sprint(d.Columns, d.X.Data(), d.Y), "[a] [1.25 2.5 4] [0.5 1.5 2.25]")
	for column, kind := range map[string]string{"emb": "list", "at": "object"} {
		want := fmt.Sprintf("t.csv: column %q is of type %s, which cannot be read: left out", column, kind)
		if !strings.Contains(strings.Join(notes, "\n"), want) {
			t.Errorf("%q, expected %s", notes, want)
		}
	}
	must.Equal(t, fmt.Sprint(dataset(readText(more, ignored))(t).Columns), "[b]")
	s := d.Schema()
	optional := ReadOptions{Schema: &s, TargetOptional: true}
	for _, text := range []string{rows, `{"a": 7, "emb": 5, "y": [1]}`,
		`{"a": 7, "y": 2}` + "\n" + `{"a": 8, "y": [2]}`} {
		if _, _, err := readText(text, optional); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, c := range []struct {
		text, want string
		opt        ReadOptions
	}{
		{mixed, `t.csv:3:10: found a JSON list in column "a": only numbers`, ReadOptions{}},
		{rows, `t.csv: column "at" is of type object: only numbers`, ReadOptions{Target: "at"}},
		{rows, `t.csv: column "emb" is of type list: only numbers`, ReadOptions{TableOptions: TableOptions{ID: "emb"}}},
		{`{"a": [1]}`, `t.csv: column "a" is of type list: only numbers`, optional},
		{`{"a": null}` + "\n" + `{"a": {}}`, `t.csv:2:9: found a JSON object in column "a"`, optional},
		{`{"a": 1, "emb": [1`, `t.csv:1:`, optional},
	} {
		_, _, err := readText(c.text, c.opt)
		wantError(t, c.text, err, strings.HasPrefix, c.want)
	}
}

// A text has neither bytes 0x00 nor halves of characters. A column that is left out may have both.
func TestTextsInJSON(t *testing.T) {
	const rows = `{"a": 1, "b": "x", "y": 2.5}` + "\n" + `{"a": 2, "b": "TEXT", "y": 3.5}` + "\n"
	for text, want := range map[string]string{
		`\ud83d\ude00 \\ud800`: "", `r\u0000`: "found a byte 0x00, which text does not have: correct column \"b\"",
		`\ud800`: `found \ud800, half of a character, which text does not have`, `\ud83d\ud83d\ude00`: `found \ud83d`,
		`\n\uDE00`: `found \uDE00`,
	} {
		_, _, err := readText(strings.Replace(rows, "TEXT", text, 1), ReadOptions{})
		if want == "" {
			must.OK(t, err)
			continue
		}
		wantError(t, text, err, strings.Contains, want)
		ignoring := ReadOptions{TableOptions: TableOptions{Ignore: "b"}}
		_, _, err = readText(strings.Replace(rows, "TEXT", text, 1), ignoring)
		must.OK(t, err)
	}
}

// An object that holds all rows has a single key, or is one that pandas writes. Others are rows that have a list.
func TestTableFault(t *testing.T) {
	const parts = "orient=records"
	for head, want := range map[string]string{
		`{"data": [{"a":1}]}`: `"data"`, `{"data": [{"a":1},`: `"data"`, `{"tags":[{"x":1}],"y":2}`: "",
		`{"tags":[{"x":1}]}` + "\n" + `{"tags":[]}`: "", `{"tags":[{"x":NaN}],"y":2}`: "", `{"a":1}`: "",
		`{"columns":["a","y"],"index":[0],"data":[[1,2]]}`: parts, `{"columns":["a","y"],"data":[[1,`: parts,
		`{"a":{"0":1},"y":{"0":2}}`: parts, `{"0":{"a":1,"y":2},"1":{"a":`: parts,
		`{"at":{"x":1},"y":2}`: "", `{"at":{"x":1}}` + "\n" + `{"at":{"x":2}}`: "", `{"data":[1,2],"y":2}`: "",
	} {
		if got := tableFault([]byte(head)); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, not %q", head, got, want)
		}
	}
}
