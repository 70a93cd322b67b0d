package summary

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/matrix"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// read reads a table that is no file of the tests.
func read(t testing.TB, text string, opt data.ReadOptions) *data.Dataset {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.csv")
	must.OK(t, os.WriteFile(path, []byte(text), 0o644))
	d, _, err := data.ReadFile(path, opt)
	return must.Get(d, err)(t)
}

func lines(d *data.Dataset) string { return strings.Join(Of(d).Lines(), "\n") }

func TestSummarize(t *testing.T) {
	d := read(t, "count,size,same,y\n1,0.5,7,0\n2,1.5,7,1\n2,0.5,7,12\n4,2.5,7,12\n", data.ReadOptions{})
	d.Path = "t.csv"
	s := Of(d)
	for j, want := range []ColumnSummary{
		{"count", "whole", 1, 2.25, 1.2583057392117916, 4, 3},
		{"size", "real", 0.5, 1.25, 0.9574271077563381, 2.5, 3},
		{"same", "constant", 7, 7, 0, 7, 1},
	} {
		got := s.Columns[j]
		got.SD = want.SD
		if got != want || !(math.Abs(s.Columns[j].SD-want.SD) <= 1e-14) {
			t.Errorf("%+v, want %+v", s.Columns[j], want)
		}
	}
	total := 0
	for _, b := range s.Histogram {
		total += b.Count
	}
	must.Equal(t, total, 4)
	must.Equal(t, []Bin{s.Histogram[0], s.Histogram[1], s.Histogram[11]}, []Bin{{0, 1, 1}, {1, 2, 1}, {11, 12, 2}})
	must.Equal(t, []int{s.Rows, s.Inputs, s.TargetStats.Distinct}, []int{4, 3, 3})
	must.Equal(t, s.Outlier.Column, "count")
	must.Equal(t, s.AutoScaling, "standard")
	if d.Y[0] != 0 || d.Row(0)[0] != 1 {
		t.Error("the summary changed the data")
	}
	text := strings.Join(s.Lines(), "\n")
	for _, want := range []string{`t.csv: 4 rows, 3 inputs, target "y" (regression)`, d.Fingerprint,
		"count   whole", "auto scaling: standard", "████"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	out, err := json.Marshal(s)
	var back Summary
	if err != nil || json.Unmarshal(out, &back) != nil || !reflect.DeepEqual(s, back) {
		t.Errorf("%s, %v", out, err)
	}
}

// A whole number may be beyond 64 bits.
func TestSummarizeLarge(t *testing.T) {
	for want, values := range map[string][]float64{"whole": {1e20, -1e300, 3}, "real": {1e20, 0.5}} {
		if s := summarizeColumn("x", values); s.Type != want {
			t.Errorf("%v: %s, expected %s", values, s.Type, want)
		}
	}
}

func TestSummarizeClasses(t *testing.T) {
	d := read(t, "id,target\n"+strings.Repeat("1,0\n2,1\n3,2\n", 33)+"4,0\n", data.ReadOptions{})
	s := Of(d)
	if s.TargetStats != nil || s.Histogram != nil {
		t.Errorf("classes have the statistics %+v and the histogram %v", s.TargetStats, s.Histogram)
	}
	must.Equal(t, s.Classes, []ClassCount{{"0", 34}, {"1", 33}, {"2", 33}})
	must.Contain(t, strings.Join(s.Lines(), "\n"), `     0        34   34.0 %  ████`)
}

func TestSeveralTargets(t *testing.T) {
	d := read(t, "a,b,c,d\n1,2,3,4\n5,6,7,13\n9,8,2,1\n", data.ReadOptions{Target: "b,d"})
	if s := Of(d); len(s.Targets) != 2 || s.Targets[1].Max != 13 || !strings.Contains(lines(d), "\nd ") {
		t.Errorf("%+v", s.Targets)
	}
}

func TestSequences(t *testing.T) {
	for table, want := range map[string]string{
		"dna,ph,target\nACGT,7.5,0\nggNc,6,1\nTT,5,0\nA,4,1\n": "sequences of 1 to 4 symbols (mean 2.8), alphabet dna",
		"dna,target\nACGT,0\nACGA,1\n":                         "sequences of 4 symbols",
	} {
		d := read(t, table, data.ReadOptions{Sequence: "dna"})
		if got := lines(d); !strings.Contains(got, want) || strings.Contains(got, "\n\n\n") ||
			strings.Contains(table, "ph") != strings.Contains(got, "\nph ") {
			t.Errorf("%q:\n%s\nwant in it %s", table, got, want)
		}
	}
}

func TestGraphs(t *testing.T) {
	d := read(t, `{"nodes": ["a", "b"], "edges": [[0, 1]], "label": 0}
{"nodes": ["a"], "edges": [], "label": 1}
`, data.ReadOptions{})
	must.Contain(t, lines(d), "graphs of 1 to 2 nodes (mean 1.5)")
}

func TestWorstOutlier(t *testing.T) {
	const n = 1001
	x := make([]float64, 2*n)
	for i := range x {
		x[i] = float64(i % 5)
	}
	x[501] = 1e4
	// (n−1)/√n at most
	if col, sds := worstOutlier(&data.Dataset{X: matrix.New(n, 2, x)}); col != 1 || sds < 31 || sds > 32 {
		t.Errorf("column %d, %g", col, sds)
	}
}
