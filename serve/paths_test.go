package serve

import (
	"os"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

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
