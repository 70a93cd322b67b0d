package data

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
)

// sampleFile is a file of two rows, a and b, by polars or pyarrow.
func sampleFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Rows in JSON are those of the same table as CSV.
func TestJSONRows(t *testing.T) {
	opt := ReadOptions{TableOptions: TableOptions{Missing: MissingImpute}}
	want, _, err := readText("kind,area,sold,price\nflat,78.1,1,190.5\nhouse,,0,259\nflat,-3e2,,7\n", opt)
	if err != nil {
		t.Fatal(err)
	}
	got, _, err := readText("\ufeff"+`{"kind": "flat", "area": 78.1, "sold": true, "price": 190.5}

{"price": 259, "kind": "house", "area": null, "sold": false}
{"kind": "fl\u0061t", "area": -3e2, "price": 7}
`, opt)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.Columns, want.Columns) ||
		fmt.Sprint(got.X.Data()) != fmt.Sprint(want.X.Data()) || !reflect.DeepEqual(got.Y, want.Y) {
		t.Errorf("%v %v %v, expected %v %v %v", got.Columns, got.X, got.Y, want.Columns, want.X, want.Y)
	}
	if where := got.Where(1); where != "t.csv:3" {
		t.Errorf("row 2 stands at %s", where)
	}
}

func TestBadJSONRows(t *testing.T) {
	const first = `{"a": 1, "b": 2}` + "\n"
	for text, want := range map[string]string{
		first + `{"a": 1, "c": 2}`:          `t.csv:2:13: found the key "c", which the first row does not have`,
		first + `{"a": 1, "a": 2}`:          `t.csv:2:13: found the key "a" twice`,
		first + `{"a": [1], "b": 2}`:        `t.csv:2:8: found [ in column "a"`,
		first + `{"a": 1, "b": `:            `t.csv:2:14: the object does not end on its line`,
		first + `{"a": 1, "b": NaN}`:        `t.csv:2:15: found NaN, which JSON does not have: write null`,
		first + `{"a": 1, "b": 2} {"a": 1}`: `t.csv:2:19: found more behind the object`,
		first + `[1, 2]`:                    `t.csv:2:2: found no object in JSON`,
		first + `{"a": 1, "b": x}`:          `t.csv:2:`,
		first + `{"b": 1}`:                  `t.csv:2:1: cells are missing, in "a" 1`,

		`[{"a": 1, "b": 2}, {"a": 2, "b": 4}]`: `t.csv: is an array in JSON: write each of its objects on a line`,
	} {
		_, _, err := readText(text, ReadOptions{})
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, expected %s", text, err, want)
		}
	}
}

// Columns that are called as the parts of graphs are columns: the parts of a graph are lists.
func TestRowsWithNodes(t *testing.T) {
	d, _, err := readText(`{"nodes": 4, "edges": 3, "hours": 1.5}
{"nodes": 8, "edges": 6, "hours": 2.5}
`, ReadOptions{})
	if err != nil || fmt.Sprint(d.Columns, d.X.Data(), d.Y) != "[nodes edges] [4 3 8 6] [1.5 2.5]" {
		t.Error(d, err)
	}
}
