package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/seq"
)

// Members that no column knows take no memory of their own.
func TestManyMembers(t *testing.T) {
	const n = 1 << 18
	row := json.RawMessage(`{` + strings.Repeat(`"a":1,`, n) + `"b":2}`)
	live := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := live()
	seen := 0
	err := members(row, func(name string, value json.RawMessage) error {
		if seen++; name == "b" {
			if now := live(); now > before+uint64(len(row))/2 {
				t.Errorf("%d bytes for an object of %d", now-before, len(row))
			}
		}
		return nil
	})
	if err != nil || seen != n+1 {
		t.Errorf("%d members, %v", seen, err)
	}
}

// A row has the columns that the model reads, and may have others of the training file: its target, what was left out,
// and its roles. A key beyond these, a key that comes twice, and a cell that is a list are errors.
func TestRowKeys(t *testing.T) {
	in := newRowReader(data.Schema{Columns: []string{"x", "b"}, Target: "y", Task: data.Regression,
		LeftOut: []data.LeftOutColumn{{Column: "name"}, {Column: "hours"}, {Column: "patient"}},
		Roles:   data.RowRoles{Offset: "hours"}})
	row := json.RawMessage(`{"b":1,"y":[{}],"hours":3,"name":"n","patient":7,"x":"A"}`)
	cells, err := in.cells(row)
	if err != nil || string(bytes.Join([][]byte{cells[0], cells[1], cells[2]}, []byte(" "))) != `"A" 1 3` {
		t.Errorf("%q, %v", cells, err)
	}
	for row, want := range map[string]string{
		`{"x":1,"b":2,"hours":0,"c":3}`: `the training data have no column "c": the model reads ["x" "b" "hours"]`,
		`{"x":1,"b":2,"b":2,"hours":0}`: `column "b" is given twice`, `{"x":1,"b":2}`: `lacks column "hours"`,
		`{"x":[1],"b":2,"hours":0}`: `column "x": found "[1]": a cell is`, `[1,{},2]`: `column "b": found "{}"`,
	} {
		if _, err := in.cells(json.RawMessage(row)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected %s", row, err, want)
		}
	}
	for body, want := range map[string]string{`{"instances":[],"level":0.5}`: `there is no key "level"`,
		`{"rows":[[1]]}`: `there is no key "rows"`, `{"inputs":[]}`: `there is no key "inputs"`, `[]`: "an object",
		`{}`: "", `{"instances":[]} 1`: "more after", `{"instances":1,"instances":2}`: "twice", `{`: "", "\xff": ""} {
		_, err := parseRows(in.schema, []byte(body), 9)
		if err == nil || !strings.Contains(err.Error(), want) ||
			!strings.HasSuffix(err.Error(), `: write {"instances": [{"COLUMN": 1, …}, …]}`) {
			t.Errorf("%s: %v, expected %s", body, err, want)
		}
	}
	for _, number := range []string{"1e400", "-1e400", "1e101", `"1e400"`, `"inf"`} {
		found := "found " + quote(strings.Trim(number, `"`)) + ", which is beyond"
		_, err := parseRows(data.Schema{Columns: []string{"b"}}, []byte(`{"instances":[[`+number+`]]}`), 9)
		if err == nil || !strings.Contains(err.Error(), found) {
			t.Errorf("%s: %v, expected %s", number, err, found)
		}
	}
	text := newRowReader(data.Schema{Sequence: "smiles", Alphabet: &seq.Alphabet{Kind: seq.Graphs}})
	if _, err := text.cells(json.RawMessage("12")); err == nil || !strings.Contains(err.Error(), "or a text") {
		t.Errorf("a number in place of a text: %v", err)
	}
	graph := json.RawMessage(`[{"nodes": 2, "edges": [[0, 1]]}]`)
	if _, err := text.cells(graph); err == nil || !strings.Contains(err.Error(), "a graph goes as a text") {
		t.Errorf("a graph that is an object: %v", err)
	}
	body := `{"signature_name":"serving_default","instances":[]}`
	if _, err := parseRows(in.schema, []byte(body), 9); err != nil {
		t.Errorf("a client of TensorFlow: %v", err)
	}
}

// Lists in lists without end are an error.
func TestDeepJSON(t *testing.T) {
	deep := strings.Repeat("[", 1<<20)
	for _, text := range []string{deep, deep + strings.Repeat("]", len(deep)), strings.Repeat(`{"a":`, 1<<18)} {
		for _, key := range []string{"instances", "inputs", "other"} {
			body := []byte(`{"` + key + `":` + text + `}`)
			var own *Error
			if _, err := parseRows(fuzzed(), body, 1000); !asError(err, &own) || own.kind != bad {
				t.Errorf("rows: %v", err)
			}
			if _, err := parseRequest(body, len(body), 1000); !asError(err, &own) || own.kind != bad {
				t.Errorf("tensors: %v", err)
			}
		}
	}
}

// The row of serve in the table of docs/data.md is what becomes of rows in JSON.
func TestPaths(t *testing.T) {
	page := must.Get(os.ReadFile("../docs/data.md"))(t)
	_, rest, _ := strings.Cut(string(page), "\n| serve |")
	line, _, _ := strings.Cut(rest, "\n")
	cells := strings.Split(line, "|")
	r, dated := serveKind(t, booleans, testConfig()), serveKind(t, dates, testConfig())
	for i, row := range []string{`{"a": null, "flag": true, "kind": "u"}`, `{"a": 1, "flag": "TRUE", "kind": "u"}`,
		`{"a": 1, "when": "2024-01-06T10:00+02:00"}`, `{"a": 1, "flag": true, "kind": "w"}`,
		"", `{"a": "1.5,7", "flag": true, "kind": "u"}`} {
		if len(cells) <= i {
			t.Fatalf("%q", line)
		}
		got := "not applicable"
		if row != "" {
			got = "an input"
			server := r
			if strings.Contains(row, "when") {
				server = dated
			}
			code, _, text := server.post(t, "/v1/models/m:predict", []byte(`{"instances":[`+row+`]}`))
			if code == 400 {
				got = "error"
			} else if strings.Contains(string(text), "warnings") {
				got = "noted"
			}
		}
		if want := strings.TrimSpace(cells[i]); got != want {
			t.Errorf("%s: %s, and the table has %s", row, got, want)
		}
	}
}

// Numbers that are not plain are texts in a request, and a number of JSON is itself.
func TestNotations(t *testing.T) {
	s := data.Schema{Columns: []string{"w", "b"}, Target: "y", TargetAt: 2, Task: data.Regression,
		Notations: []data.Notation{{Column: "w", Thousands: ".", Comma: true, Unit: "kg"}}}
	must.Equal(t, fmt.Sprint(inputsOf(s)), "[{inputs FP64 [-1 1]} {w BYTES [-1]}]")
	g := must.Get(parseRows(s, []byte(`{"instances": [{"w": "1.299,5 kg", "b": 1}, {"w": 1.299, "b": "2"}]}`), 9))(t)
	rows := must.Get(s.Rows(g))(t)
	must.Equal(t, fmt.Sprint(rows.X.Data()), "[1299.5 1 1.299 2]")
}
