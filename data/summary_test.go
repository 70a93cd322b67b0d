package data

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestSummarize(t *testing.T) {
	d := dataset(readText("count,size,same,y\n1,0.5,7,0\n2,1.5,7,1\n2,0.5,7,12\n4,2.5,7,12\n", ReadOptions{}))(t)
	d.Path = "t.csv"
	s := Summarize(d)
	for j, want := range []ColumnSummary{
		{"count", "whole", 1, 2.25, 1.2583057392117916, 4, 3},
		{"size", "real", 0.5, 1.25, 0.9574271077563381, 2.5, 3},
		{"same", "constant", 7, 7, 0, 7, 1},
	} {
		got := s.Columns[j]
		got.SD = want.SD
		if got != want || !near(s.Columns[j].SD, want.SD, 1e-14) {
			t.Errorf("%+v, want %+v", s.Columns[j], want)
		}
	}
	total := 0
	for _, b := range s.Histogram {
		total += b.Count
	}
	if total != 4 || s.Histogram[0] != (Bin{0, 1, 1}) || s.Histogram[1] != (Bin{1, 2, 1}) ||
		s.Histogram[11] != (Bin{11, 12, 2}) {
		t.Errorf("histogram %v", s.Histogram)
	}
	if s.TargetStats.Distinct != 3 || s.Rows != 4 || s.Inputs != 3 || s.Outlier.Column != "count" ||
		s.AutoScaling != "standard" {
		t.Errorf("%+v", s)
	}
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
	d := dataset(readText(numbered(100, 3), ReadOptions{}))(t)
	s := Summarize(d)
	if s.TargetStats != nil || s.Histogram != nil || len(s.Classes) != 3 ||
		s.Classes[0] != (ClassCount{"0", 34}) || s.Classes[2].Count != 33 {
		t.Errorf("%+v", s)
	}
	if text := strings.Join(s.Lines(), "\n"); !strings.Contains(text, `     0        34   34.0 %  ████`) {
		t.Error(text)
	}
}
