package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

func scored(names []string, confused map[[2]int]int) []metrics.ClassScore {
	set := make([]metrics.ClassScore, len(names))
	for i, name := range names {
		set[i] = metrics.ClassScore{Class: name, Predicted: map[string]metrics.RowCount{name: 3}}
		for pair, n := range confused {
			if pair[0] == i {
				set[i].Predicted[names[pair[1]]] = metrics.RowCount(n)
			}
		}
	}
	return metrics.MergeClassScores([][]metrics.ClassScore{set})
}

// Names that are wide, long, empty or not printable stand in columns all the same.
func TestClassTables(t *testing.T) {
	names := []string{"猫と犬", "café", "", "two\nlines", strings.Repeat("long", 20)}
	want := `  class                     precision  recall      F1  rows
  猫と犬                       1.0000  0.6000  0.7500     5
  café                         0.6000  1.0000  0.7500     3
  ""                           1.0000  1.0000  1.0000     3
  "two\nlines"                 1.0000  1.0000  1.0000     3
  longlonglonglonglonglon…     1.0000  1.0000  1.0000     3

rows by class (down) and predicted class (across)
                            猫と犬  café  ""  "two\nlines"  longlonglonglonglonglon…
  猫と犬                         3     2   0             0                         0
  café                           0     3   0             0                         0
  ""                             0     0   3             0                         0
  "two\nlines"                   0     0   0             3                         0
  longlonglonglonglonglon…       0     0   0             0                         3`
	if got := classTables(scored(names, map[[2]int]int{{0, 1}: 2})); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Of many classes the worst are shown, and the confusions in place of a matrix.
func TestManyClasses(t *testing.T) {
	var names []string
	for i := range 40 {
		names = append(names, fmt.Sprint("k", i))
	}
	text := classTables(scored(names, map[[2]int]int{{20, 7}: 9, {3, 4}: 2}))
	for _, want := range []string{
		"the 10 of 40 classes with the lowest F1\n  class  precision", "\n  k20       1.0000  0.2500  0.4000    12\n",
		"most frequent confusions\n  class  taken for  rows\n  k20    k7         9 of 12\n  k3     k4         2 of 5",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if lines := strings.Count(text, "\n"); lines > 20 {
		t.Errorf("%d lines", lines)
	}
	must.Lack(t, classTables(scored(names, nil)), "confused")
}
